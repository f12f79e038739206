/// A keep-alive probe under way: the bridge was made to send an event, and a live stream reports it in time. A bridge
/// that cannot be made to send one is asked for its lights instead: if the stream has not reported what they show, it
/// is dead.
struct KeepAliveProbe: Equatable, Sendable {
    enum Verdict: Equatable, Sendable {
        case pending
        /// No event can be expected: audit the lights instead.
        case needsAudit
        case alive
        case silent
    }

    private enum Step: Equatable, Sendable {
        case asking, auditing
        case listening(until: Duration)
    }

    private let echo: Duration
    private var step = Step.asking
    private var isHeard = false

    /// - Parameter echo: how long a live stream takes to report what the bridge has taken.
    init(echo: Duration) { self.echo = echo }

    /// When silence is proven, once the bridge has taken the request.
    var deadline: Duration? { if case let .listening(until: end) = step { end } else { nil } }

    mutating func handle(_ input: ConnectionStateMachine.Input, at now: Duration) -> Verdict {
        switch input {
        case .heard: isHeard = true
        case .probed(canEcho: true): step = .listening(until: now + echo)
        case .probed(canEcho: false):
            step = .auditing
            return .needsAudit
        case let .audited(.insteadOfProbe, foundDifference: isDead): return isDead ? .silent : .alive
        default: break
        }
        guard let deadline else { return .pending }
        if isHeard { return .alive }
        return now >= deadline ? .silent : .pending
    }
}
