/// A value asked for one attribute, and by which command.
struct PendingValue<Value: Hashable & Sendable>: Equatable, Sendable {
    let value: Value
    /// The command's transition.
    let milliseconds: Int?
    let token: UInt64
    /// The number of the ask: a higher one is newer.
    let number: UInt64
    let asked: Duration
    /// How often it was sent and not delivered.
    var returns = 0
}
