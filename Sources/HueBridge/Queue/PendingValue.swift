/// One attribute's wished value, and by whom.
struct PendingValue<Value: Hashable & Sendable>: Equatable, Sendable {
    let value: Value
    /// The transition of the command that asked for it.
    let milliseconds: Int?
    let token: UInt64
    /// Which ask it was: a higher number is newer.
    let number: UInt64
    let asked: Duration
    /// How often it was sent and came back undelivered.
    var returns = 0
}
