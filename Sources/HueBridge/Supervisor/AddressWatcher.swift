import Lighting

/// The address of one bridge, and the addresses at which it announces itself: tells those that have not been looked at
/// since they appeared.
struct AddressWatcher: Equatable, Sendable {
    /// Where the bridge is spoken to.
    var current: Bridge.Address
    private var announced: Set<Bridge.Address> = []
    private var settled: Set<Bridge.Address> = []

    init(_ current: Bridge.Address) { self.current = current }

    /// - Parameter all: every address that is announced now. One that is gone and comes back counts as new.
    mutating func announce(_ all: Set<Bridge.Address>) {
        announced = all
        settled.formIntersection(all)
    }

    /// Whether an address waits to be looked at.
    var hasNews: Bool { !announced.isSubset(of: settled) }

    /// Counts everything that is announced as looked at.
    ///
    /// - Returns: what had not been.
    @discardableResult
    mutating func settle() -> Set<Bridge.Address> {
        defer { settled = announced }
        return announced.subtracting(settled)
    }
}
