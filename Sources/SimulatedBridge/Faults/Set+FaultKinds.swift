extension Set<FaultKind> {
    /// Those that alter documents.
    static let documents = Set(FaultKind.allCases.filter { $0.target == .response })
    /// Those that answer a request before it is read.
    static let immediate: Self = [.busy, .hang, .hangUp, .loneWrites, .errorAfterUptime, .eventsRefused]
    /// Those that need another certificate or another server.
    static let needingRestart: Self = [.http1, .certificate]
}
