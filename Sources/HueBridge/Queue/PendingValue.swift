/// A value asked for one attribute, and by which command.
struct PendingValue<Value: Hashable & Sendable>: Equatable, Sendable {
    let value: Value
    /// The command's transition.
    let milliseconds: Int?
    /// The number of the ask: a higher one is newer.
    let number: UInt64
    var origin: PendingOrigin

    var token: UInt64 { origin.token }

    /// How often it was sent and not delivered.
    var returns: Int {
        get { origin.returns }
        set { origin.returns = newValue }
    }
}

/// Who asked for a value, when, and how often it was sent in vain.
struct PendingOrigin: Equatable, Sendable {
    let token: UInt64
    let asked: Duration
    var returns = 0
}
