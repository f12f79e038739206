/// How long a line that says nothing is believed to be alive, and one that is lost left alone.
struct Timeouts: Equatable, Sendable {
    /// An idle house is silent for hours, and so is a dead stream: after so much silence the bridge is made to say something by it.
    /// With ``echo`` a stream that is dead is known to be within 30 s.
    var silence: Duration = .seconds(20)
    /// How long a live stream takes to tell of what was changed: bridges gather events for up to a second.
    var echo: Duration = .seconds(5)
    /// What was written is echoed within about a second; no word at all for so long is worth a question.
    var doubt: Duration = .seconds(3)
    /// How long a light may be shown otherwise than its bridge knows it, where the stream left that out.
    var audit: Duration = .seconds(60)
    /// A bridge that takes the connection begins its stream at once.
    var head: Duration = .seconds(10)
    /// How often a bridge that refuses its event stream, or is silent by it, is asked for one; meanwhile it is asked for its lamps.
    var stream: Duration = .seconds(30)
    /// A key that was refused is tried again seldom: somebody may restore the bridge from a backup.
    var refused: Duration = .seconds(300)
    /// How long until somebody else's certificate at our bridge's address is looked at again.
    var stranger: Duration = .seconds(30)
}
