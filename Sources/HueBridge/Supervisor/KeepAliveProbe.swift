/// A keep-alive probe under way: the bridge was asked to send an event, and the stream is to tell of it. A quiet bridge
/// passes, a dead stream does not. A bridge that cannot be asked for an event is asked for its lights: if they differ
/// from what the stream has told, the stream is dead.
struct KeepAliveProbe: Equatable, Sendable {
    enum Verdict: Equatable, Sendable {
        case pending
        /// Nothing can be expected of the stream: the lights are to be audited.
        case needsAudit
        case alive
        case silent
    }

    private enum Step: Equatable, Sendable {
        case asking, auditing, listening
    }

    private let end: Duration
    private var step = Step.asking
    private var isHeard = false

    /// - Parameter echo: how long a live stream takes to tell of it.
    init(at now: Duration, echo: Duration) { end = now + echo }

    /// When silence is proven, once the bridge has taken the request.
    var deadline: Duration? { step == .listening ? end : nil }

    mutating func handle(_ input: ConnectionStateMachine.Input, at now: Duration) -> Verdict {
        switch input {
        case .heard: isHeard = true
        case .probed(canEcho: true): step = .listening
        case .probed(canEcho: false):
            step = .auditing
            return .needsAudit
        case let .audited(.insteadOfProbe, foundDifference: isDead): return isDead ? .silent : .alive
        default: break
        }
        guard step == .listening else { return .pending }
        if isHeard { return .alive }
        return now >= end ? .silent : .pending
    }
}
