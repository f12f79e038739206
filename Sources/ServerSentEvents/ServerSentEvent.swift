/// One event of a stream of server-sent events, framed as in the HTML standard ("Server-sent events"): lines of
/// `field: value`, ended by an empty line.
public struct ServerSentEvent: Hashable, Sendable {
    /// Sent back as `Last-Event-ID` after an interruption.
    public var id: String?
    /// The event's type; "message" if the stream gives none.
    public var name: String
    /// The data, its lines joined by "\n".
    public var data: String

    public init(id: String? = nil, name: String = "message", data: String) {
        self.id = id
        self.name = name
        self.data = data
    }

    /// The event as it is sent, with its empty line. One space after each colon: some clients of the bridge split on
    /// ": " (ebaauw/hb-hue-tools).
    public var framed: String {
        var lines: [String] = []
        if let id { lines.append("id: \(id)") }
        if name != "message" { lines.append("event: \(name)") }
        // All line ends of the standard; for Swift, "\r\n" is one Character and no "\n".
        lines += data.split(omittingEmptySubsequences: false) { ["\n", "\r\n", "\r"].contains($0) }
            .map { "data: \($0)" }
        return lines.joined(separator: "\n") + "\n\n"
    }

    /// Reads a stream in pieces of any size. An event comes out as soon as its empty line has come in.
    public struct Parser: Sendable {
        private let trimsSpaces: Bool
        private let longestLine: Int
        private var line: [UInt8] = []
        private var isOverlong = false
        private var endedByReturn = false
        private var id: String?
        private var name = ""
        private var data: [String] = []
        /// The bytes of the event's data so far, its line ends included.
        private var size = 0

        /// - Parameters:
        ///   - trimsSpaces: whether spaces and tabs around a value and at the end of a line are ignored. The standard
        ///     keeps all but the first space after the colon.
        ///   - longestLine: in bytes. A longer line is skipped, and so is an event with more data than this, so that a
        ///     peer cannot fill the memory.
        public init(trimsSpaces: Bool = false, longestLine: Int = 8 << 20) {
            self.trimsSpaces = trimsSpaces
            self.longestLine = longestLine
        }

        /// Takes the next bytes and returns the events that they complete. Skips comments, unknown fields and overlong
        /// lines.
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
                } else if line.count < longestLine {
                    line.append(byte)
                } else {
                    isOverlong = true
                }
            }
            return events
        }

        private mutating func endLine() -> ServerSentEvent? {
            defer {
                line.removeAll(keepingCapacity: true)
                isOverlong = false
            }
            guard !isOverlong else { return nil }
            if trimsSpaces {
                while let last = line.last, Self.isSpace(last) { line.removeLast() }
            }
            guard !line.isEmpty else { return endEvent() }
            let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
            let field = line[..<colon]
            var value = line[colon...].dropFirst()
            if trimsSpaces {
                value = value.drop(while: Self.isSpace)
            } else if value.first == UInt8(ascii: " ") {
                value = value.dropFirst()
            }
            let text = String(decoding: value, as: UTF8.self)
            switch String(decoding: field, as: UTF8.self) {
            case "id" where !text.contains("\0"): id = text
            case "event": name = text
            case "data":
                size += value.count + 1
                if size <= longestLine + 1 { data.append(text) } else { data = [] }
            default: break  // "retry", a comment, or an unknown field
            }
            return nil
        }

        private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

        private mutating func endEvent() -> ServerSentEvent? {
            defer { (name, data, size) = ("", [], 0) }
            guard !data.isEmpty, size <= longestLine + 1 else { return nil }
            return ServerSentEvent(
                id: id, name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"))
        }
    }
}
