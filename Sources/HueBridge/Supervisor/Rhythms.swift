/// How long a bridge may take to answer, how long a silent connection counts as alive, and how long a lost one is left
/// alone.
struct Timeouts: Equatable, Sendable {
    /// How long a connection to a known bridge may take, with the handshake of TLS.
    var connection: Duration = .seconds(5)
    /// How long a bridge may take to answer a command, or what it is asked about itself.
    var answer: Duration = .seconds(5)
    /// How long a bridge may take to send a list: a home of sixty lights and its scenes is some hundred KiB.
    var list: Duration = .seconds(10)
    /// How long whatever may be a bridge has to say so, from the connection to the whole answer.
    var discovery: Duration = .seconds(3)
    /// The stream of an idle home is silent for hours, and so is a dead one: after this much silence the bridge is
    /// probed. Together with ``echo``, a dead stream is detected within 30 s.
    var silence: Duration = .seconds(20)
    /// How long a live stream takes to report a change that the bridge has taken: bridges gather events for up to a
    /// second.
    var echo: Duration = .seconds(5)
    /// A write is echoed within about a second; after this much silence the bridge is probed.
    var writeEcho: Duration = .seconds(3)
    /// How long a light may be shown wrongly if the stream leaves a change out: with the time of an answer, less than
    /// half a minute.
    var audit: Duration = .seconds(25)
    /// How long after an audit that was not answered the next one comes.
    var auditRetry: Duration = .seconds(10)
    /// A bridge that accepts the request for its event stream answers at once.
    var streamResponse: Duration = .seconds(10)
    /// How often a polled bridge is asked for an event stream.
    var streamRetry: Duration = .seconds(30)
    /// How long until a refused key is tried again: somebody may restore the bridge from a backup.
    var refusedKey: Duration = .seconds(300)
    /// How long until the bridge's address is tried again after another device's certificate was found there.
    var foreignCertificate: Duration = Backoff.longest
}

/// How long to wait before the next attempt to reach a bridge: a short pause at first, then longer ones. Chance cuts
/// each by up to a half, so that several clients do not come back in step.
struct Backoff: Equatable, Sendable {
    /// The longest pause: a bridge that is back is found, and its home read, within half a minute.
    static let longest = Duration.seconds(20)

    private(set) var attempt = 0

    /// - Parameter chance: from 0 to 1.
    mutating func next(chance: Double = .random(in: 0...1)) -> Duration {
        defer { attempt += 1 }
        let ceiling = min(.milliseconds(250) * (1 << min(attempt, 7)), Self.longest)
        return ceiling * (0.5 + chance / 2)
    }

    mutating func reset() { attempt = 0 }
}

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

/// When an event last came by the stream.
struct LastHeard: Equatable, Sendable {
    let heard: Duration

    init(since heard: Duration) { self.heard = heard }

    func isSilent(for duration: Duration, at now: Duration) -> Bool { now - heard >= duration }
}
