import Lighting

/// The address of one bridge, the addresses at which it announces itself, and which of those have not been tried yet.
struct AddressWatcher: Equatable, Sendable {
    /// The address in use.
    var current: Bridge.Address
    private var announced: Set<Bridge.Address> = []
    /// Those at which something announces itself that does not say which bridge it is.
    private var anonymous: Set<Bridge.Address> = []
    private var settled: Set<Bridge.Address> = []

    init(_ current: Bridge.Address) { self.current = current }

    /// - Parameters:
    ///   - all: every address that is announced now. One that is gone and comes back counts as new.
    ///   - anonymous: those of them at which something announces itself that does not say which bridge it is.
    mutating func announce(_ all: Set<Bridge.Address>, anonymous: Set<Bridge.Address> = []) {
        announced = all
        self.anonymous = anonymous
        settled.formIntersection(all)
    }

    /// Whether an address has not been tried yet.
    var hasUntried: Bool { !announced.isSubset(of: settled) }

    /// Whether the bridge announces itself, by its id, at an address that has not been tried yet.
    var hasUntriedOfBridge: Bool { !announced.subtracting(anonymous).isSubset(of: settled) }

    /// Counts every announced address as tried.
    ///
    /// - Returns: the addresses that had not been.
    @discardableResult
    mutating func settle() -> Set<Bridge.Address> {
        defer { settled = announced }
        return announced.subtracting(settled)
    }
}
