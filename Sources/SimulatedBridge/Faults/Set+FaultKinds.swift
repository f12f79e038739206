extension Set<FaultKind> {
    /// The faults that alter documents.
    static let documents = Set(FaultKind.allCases.filter { $0.target == .response })
    /// The faults that answer a request before it is read.
    static let immediate: Self = [.busy, .hang, .hangUp, .loneWrites, .errorAfterUptime, .eventsRefused]
    /// The faults that need another certificate or another server.
    static let needingRestart: Self = [.http1, .certificate]
    /// The faults of the network that last.
    static let ofNetwork: Self = [.slowDrip, .noNewConnections]
}
