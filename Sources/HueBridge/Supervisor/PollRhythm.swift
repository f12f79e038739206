/// When to ask a bridge without an event stream for its lights, as a value without a clock: `now` comes in. Every so often; for a
/// while after a command more often, because then somebody is looking.
struct PollRhythm: Equatable, Sendable {
    /// How long between two questions while nobody does anything.
    let interval: Duration
    /// How long between two questions after a command: what was asked is shown within one second, and its fade followed.
    static let alertInterval = Duration.seconds(1)
    /// For how long after a command.
    static let alert = Duration.seconds(10)

    private var asked: Duration?
    private var commanded: Duration?

    init(interval: Duration) { self.interval = interval }

    mutating func asked(at now: Duration) { asked = now }

    /// A command was answered: from now on the bridge tells what it asked for.
    mutating func commanded(at now: Duration) { commanded = now }

    /// When the next question is due; at once where none was ever asked.
    var due: Duration {
        guard let asked else { return .zero }
        guard let commanded, asked < commanded + Self.alert else { return asked + interval }
        return asked + min(Self.alertInterval, interval)
    }
}
