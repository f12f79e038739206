/// One event of `/v1/events`, framed as in the HTML standard ("Server-sent events"): lines of `field: value`, ended by
/// an empty line.
public struct ServerSentEvent: Equatable, Sendable {
    /// Sent back as `Last-Event-ID` after an interruption.
    public var id: String?
    /// The event's type, one of ``EventName``; "message" if the stream gives none.
    public var name: String
    /// The data, its lines joined by "\n".
    public var data: String

    public init(id: String? = nil, name: String = "message", data: String) {
        self.id = id
        self.name = name
        self.data = data
    }

    /// The event as it is sent, with its empty line.
    public var framed: String {
        var lines: [String] = []
        if let id { lines.append("id: \(id)") }
        if name != "message" { lines.append("event: \(name)") }
        lines += data.split(separator: "\n", omittingEmptySubsequences: false).map { "data: \($0)" }
        return lines.joined(separator: "\n") + "\n\n"
    }

    /// Reads a stream in pieces of any size. An event comes out as soon as its empty line has come in.
    ///
    /// `HueWire` has a parser of its own, because bridges deviate from the standard.
    public struct Parser: Sendable {
        private var line: [UInt8] = []
        private var endedByReturn = false
        private var id: String?
        private var name = ""
        private var data: [String] = []

        public init() {}

        /// Takes the next bytes and returns the events that they complete. Comments and unknown fields are ignored.
        public mutating func read(_ bytes: some Sequence<UInt8>) -> [ServerSentEvent] {
            var events: [ServerSentEvent] = []
            for byte in bytes {
                // A line ends with LF, CR or CR LF; the LF after a CR may come with the next piece.
                if byte == UInt8(ascii: "\n"), endedByReturn {
                    endedByReturn = false
                    continue
                }
                endedByReturn = byte == UInt8(ascii: "\r")
                if byte == UInt8(ascii: "\n") || endedByReturn {
                    if let event = endLine() { events.append(event) }
                } else {
                    line.append(byte)
                }
            }
            return events
        }

        private mutating func endLine() -> ServerSentEvent? {
            defer { line.removeAll(keepingCapacity: true) }
            guard !line.isEmpty else { return endEvent() }
            let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
            let field = line[..<colon]
            var value = line[colon...].dropFirst()
            if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
            let text = String(decoding: value, as: UTF8.self)
            switch String(decoding: field, as: UTF8.self) {
            case "id" where !text.contains("\0"): id = text
            case "event": name = text
            case "data": data.append(text)
            default: break  // "retry", a comment, or an unknown field
            }
            return nil
        }

        private mutating func endEvent() -> ServerSentEvent? {
            defer { (name, data) = ("", []) }
            guard !data.isEmpty else { return nil }
            return ServerSentEvent(
                id: id, name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"))
        }
    }
}
