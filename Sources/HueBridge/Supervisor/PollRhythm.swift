/// When to poll a bridge for its lights, as a value without a clock: `now` comes in. Once per interval; more often for
/// a while after a command, because somebody is watching then.
struct PollRhythm: Equatable, Sendable {
    /// The time between two polls while nobody does anything.
    var interval: Duration
    /// The time between two polls after a command: its effect shows within a second, and its fade is followed.
    static let alertInterval = Duration.seconds(1)
    /// How long that lasts.
    static let alert = Duration.seconds(10)

    private var asked: Duration?
    private var commanded: Duration?

    init(interval: Duration) { self.interval = interval }

    mutating func asked(at now: Duration) { asked = now }

    /// A command was answered: from now on a poll shows its effect.
    mutating func commanded(at now: Duration) { commanded = now }

    /// When the next poll is due; at once if there was none yet.
    var due: Duration {
        guard let asked else { return .zero }
        guard let commanded, asked < commanded + Self.alert else { return asked + interval }
        return asked + min(Self.alertInterval, interval)
    }
}
