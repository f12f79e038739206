/// When an event last came by the stream.
struct SilenceDetector: Equatable, Sendable {
    let heard: Duration

    init(since heard: Duration) { self.heard = heard }

    func isSilent(for duration: Duration, at now: Duration) -> Bool { now - heard >= duration }
}
