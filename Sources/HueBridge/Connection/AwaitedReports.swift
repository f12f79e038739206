import Lighting

/// Changes of rooms and scenes that a bridge has accepted, and the callers that wait until it reports them. A value
/// without a clock: times come in, answers come out.
struct AwaitedReports: Sendable {
    private struct Awaited: Sendable {
        let isShown: @Sendable (HomeResources) -> Bool
        /// When to read everything, if the bridge has not reported it.
        var readAt: Duration
        let deadline: Duration
        let reply: Reply<Outcome>
    }

    private var awaited: [Awaited] = []
    private var answers: [CommandQueue.Answer] = []

    /// Bridges report a change within about a second.
    static let patience = Duration.seconds(2)

    /// - Parameters:
    ///   - isShown: whether the home shows the change.
    ///   - readAt: when to read everything if the bridge has not reported it by then; and again after each ``patience``,
    ///     because a read can fail, or be answered with what a busy bridge knew before.
    mutating func wait(
        until isShown: @escaping @Sendable (HomeResources) -> Bool, readAt: Duration, deadline: Duration,
        _ reply: @escaping Reply<Outcome>
    ) {
        awaited.append(Awaited(isShown: isShown, readAt: readAt, deadline: deadline, reply: reply))
    }

    /// Answers those whose change the home shows.
    mutating func check(_ home: HomeResources) {
        guard !awaited.isEmpty else { return }
        answer(.succeeded) { $0.isShown(home) }
    }

    /// Answers those whose time is up.
    mutating func expire(on bridge: Bridge.ID, at now: Duration) {
        answer(.failed(.unconfirmed(by: bridge, words: "it accepted the change, but has not reported it"))) {
            now >= $0.deadline
        }
    }

    /// The connection is closed: nothing is reported any more.
    mutating func close(_ bridge: Bridge.ID) {
        answer(.failed(.unconfirmed(by: bridge, words: "its connection was closed before it reported the change"))) {
            _ in true
        }
    }

    /// Whether everything must be read now.
    mutating func takeReads(at now: Duration) -> Bool {
        let due = awaited.indices.filter { awaited[$0].readAt <= now }
        for index in due { awaited[index].readAt = now + Self.patience }
        return !due.isEmpty
    }

    /// When the next of them is due.
    var next: Duration? { awaited.map { min($0.readAt, $0.deadline) }.min() }

    /// The answers that have become due since this was last called.
    mutating func takeAnswers() -> [CommandQueue.Answer] {
        defer { answers = [] }
        return answers
    }

    private mutating func answer(_ outcome: Outcome, where isDue: (Awaited) -> Bool) {
        answers += awaited.filter(isDue).map { CommandQueue.Answer(reply: $0.reply, outcome: outcome) }
        awaited.removeAll(where: isDue)
    }
}
