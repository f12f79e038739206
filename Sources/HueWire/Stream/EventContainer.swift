public import FoundationEssentials
public import ServerSentEvents

/// What happened to some resources, as the event stream reports it.
public struct EventContainer: Decodable, Sendable {
    public let kind: Kind
    /// Partial for an update: what is absent has not changed. Complete for an add; id and type for a delete.
    public let data: [Resource]
    /// When the bridge made it, by its own clock; `nil` if it does not say.
    public let created: ReportTime?
    /// Why elements were skipped.
    public let unreadable: [String]

    public enum Kind: Hashable, Sendable {
        case update, add, delete
        /// "error", or a kind that is newer than this code: logged and ignored.
        case other(String)
    }

    public init(_ kind: Kind, _ data: [Resource], created: ReportTime? = nil) {
        self.created = created
        self.kind = kind
        self.data = data
        unreadable = []
    }

    private enum CodingKeys: String, CodingKey { case type, data, creationtime }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        created = container.feature(.creationtime)
        switch try container.decode(String.self, forKey: .type) {
        case "update": kind = .update
        case "add": kind = .add
        case "delete": kind = .delete
        case let other: kind = .other(other)
        }
        let elements = (try? container.decodeIfPresent([Lenient<Resource>].self, forKey: .data)) ?? []
        data = elements.compactMap(\.value)
        unreadable = elements.compactMap(\.problem)
    }

    /// The containers of a frame. One that cannot be read is skipped.
    public static func all(in frame: ServerSentEvent, by decoder: JSONDecoder = JSONDecoder()) throws
        -> [EventContainer]
    {
        try decoder.decode([Lenient<EventContainer>].self, from: Data(frame.data.utf8)).compactMap(\.value)
    }
}

/// How a bridge frames its event stream, `/eventstream/clip/v2`. Each event's id is "<unix seconds>:<index>", to be
/// sent back unchanged as `Last-Event-ID`; its data is one JSON text, an array of ``EventContainer``.
public enum HueEventStream {
    /// The comment that a bridge sends at once: all that an idle home's stream carries.
    public static let greeting = ": hi\n\n"

    /// A parser that ignores spaces around a line and a value, because bridges leave some (aiohue, openHAB).
    public static var parser: ServerSentEvent.Parser { ServerSentEvent.Parser(trimsSpaces: true) }
}
