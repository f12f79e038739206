public import ServerSentEvents

/// How a bridge frames its event stream, `/eventstream/clip/v2`. Each event's id is "<unix seconds>:<index>", to be
/// sent back unchanged as `Last-Event-ID`; its data is one JSON text, an array of ``EventContainer``.
public enum HueEventStream {
    /// The comment that a bridge sends at once: all that an idle home's stream carries.
    public static let greeting = ": hi\n\n"

    /// A parser that ignores spaces around a line and a value, because bridges leave some (aiohue, openHAB).
    public static var parser: ServerSentEvent.Parser { ServerSentEvent.Parser(trimsSpaces: true) }
}
