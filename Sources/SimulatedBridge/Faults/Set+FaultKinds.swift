extension Set<FaultKind> {
    /// Those that bend documents.
    static let documents = Set(FaultKind.allCases.filter { $0.target == .response })
    /// Those that decide how a request is answered before anybody has looked at it.
    static let verdicts: Self = [.busy, .hang, .hangUp, .loneWrites, .errorAfterUptime, .eventsRefused]
    /// Those that another certificate or another server is needed for.
    static let lives: Self = [.http1, .certificate]
}
