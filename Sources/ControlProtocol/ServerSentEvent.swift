/// One event of a stream, as the WHATWG's HTML standard frames it ("Server-sent events"): lines of `field: value`, ended by an
/// empty one. Both ends of `/v1/events` stand on it.
public struct ServerSentEvent: Equatable, Sendable {
    /// To be sent back as `Last-Event-ID` after a break.
    public var id: String?
    /// The event's type, one of ``EventName``; "message" where the stream named none.
    public var name: String
    /// The data, its lines joined by "\n".
    public var data: String

    public init(id: String? = nil, name: String = "message", data: String) {
        self.id = id
        self.name = name
        self.data = data
    }

    /// The event as it goes over the wire, its empty line included.
    public var framed: String {
        var lines: [String] = []
        if let id { lines.append("id: \(id)") }
        if name != "message" { lines.append("event: \(name)") }
        lines += data.split(separator: "\n", omittingEmptySubsequences: false).map { "data: \($0)" }
        return lines.joined(separator: "\n") + "\n\n"
    }

    /// Reads a stream in pieces of any size: events come out as soon as their empty line has come in.
    public struct Parser: Sendable {
        private var line: [UInt8] = []
        private var endedByReturn = false
        private var id: String?
        private var name = ""
        private var data: [String] = []

        public init() {}

        /// Takes the next bytes, gives the events that they complete. Comments and unknown fields are passed over.
        public mutating func read(_ bytes: some Sequence<UInt8>) -> [ServerSentEvent] {
            var events: [ServerSentEvent] = []
            for byte in bytes {
                // A line ends by LF, CR or CR LF; the LF of the last may come with the next piece.
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
            default: break  // "retry", a comment, or a field of a later day
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
