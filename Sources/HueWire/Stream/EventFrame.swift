/// One message of the event stream.
public struct EventFrame: Hashable, Sendable {
    /// "<unix seconds>:<index>", to be sent back unchanged as `Last-Event-ID`.
    public let id: String?
    /// One JSON text: an array of ``EventContainer``.
    public let data: String

    public init(id: String?, data: String) {
        self.id = id
        self.data = data
    }

    /// As it goes over the wire. One space after each colon: clients split on ": " (ebaauw/hb-hue-tools).
    public var framed: String {
        let lines = data.split(separator: "\n", omittingEmptySubsequences: false).map { "data: \($0)\n" }
        return (id.map { "id: \($0)\n" } ?? "") + lines.joined() + "\n"
    }

    /// The comment that a bridge sends at once: the only sign of life in an idle home.
    public static let greeting = ": hi\n\n"
}

/// Reads a stream in pieces of any size. Lines end with LF or CR LF; spaces around a value are trimmed, because bridges
/// leave some (aiohue, openHAB).
public struct EventStreamParser: Sendable {
    private var line: [UInt8] = []
    private var id: String?
    private var data: [String] = []
    /// A longer line is not a bridge's event.
    private let longestLine: Int
    private var isOverlong = false

    public init(longestLine: Int = 8 << 20) {
        self.longestLine = longestLine
    }

    /// Takes the next bytes, and returns the frames that they complete. Skips comments, unknown fields and overlong
    /// lines.
    public mutating func read(_ bytes: some Sequence<UInt8>) -> [EventFrame] {
        var frames: [EventFrame] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                if let frame = endLine() { frames.append(frame) }
            } else if line.count < longestLine {
                line.append(byte)
            } else {
                isOverlong = true
            }
        }
        return frames
    }

    private mutating func endLine() -> EventFrame? {
        defer {
            line.removeAll(keepingCapacity: true)
            isOverlong = false
        }
        guard !isOverlong else { return nil }
        while let last = line.last, last == 13 || last == 32 || last == 9 { line.removeLast() }
        guard !line.isEmpty else { return endFrame() }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let value = String(decoding: line[line.index(after: colon)...].drop { $0 == 32 }, as: UTF8.self)
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "id": id = value
        case "data": data.append(value)
        default: break  // a comment, or a field of a later day
        }
        return nil
    }

    private mutating func endFrame() -> EventFrame? {
        defer { data = [] }
        return data.isEmpty ? nil : EventFrame(id: id, data: data.joined(separator: "\n"))
    }
}
