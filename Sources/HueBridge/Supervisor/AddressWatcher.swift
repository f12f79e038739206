import Lighting

/// The address of one bridge, the addresses at which it announces itself, and which of those have not been tried yet.
struct AddressWatcher: Equatable, Sendable {
    /// The address in use.
    var current: Bridge.Address
    private var announced: Set<Bridge.Address> = []
    private var settled: Set<Bridge.Address> = []

    init(_ current: Bridge.Address) { self.current = current }

    /// - Parameter all: every address that is announced now. One that is gone and comes back counts as new.
    mutating func announce(_ all: Set<Bridge.Address>) {
        announced = all
        settled.formIntersection(all)
    }

    /// Whether an address has not been tried yet.
    var hasUntried: Bool { !announced.isSubset(of: settled) }

    /// Counts every announced address as tried.
    ///
    /// - Returns: the addresses that had not been.
    @discardableResult
    mutating func settle() -> Set<Bridge.Address> {
        defer { settled = announced }
        return announced.subtracting(settled)
    }
}
