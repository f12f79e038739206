/// Bytes as they come in, as lines. A line that is too long is passed over and takes no memory.
struct MessageLines {
    enum Line: Equatable, Sendable {
        /// Without its line end.
        case whole([UInt8])
        case tooLong
    }

    /// In bytes. No message to a tool of ours comes near it.
    static let longest = 1 << 20

    private var line: [UInt8] = []
    private var isTooLong = false

    mutating func take(_ bytes: ArraySlice<UInt8>) -> [Line] {
        var lines: [Line] = []
        var rest = bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            add(rest[..<end])
            lines.append(ended())
            rest = rest[(end + 1)...]
        }
        add(rest)
        return lines
    }

    /// What comes after the last line end.
    mutating func end() -> Line? { line.isEmpty && !isTooLong ? nil : ended() }

    private mutating func add(_ bytes: ArraySlice<UInt8>) {
        isTooLong = isTooLong || line.count + bytes.count > Self.longest
        if isTooLong { line = [] } else { line += bytes }
    }

    private mutating func ended() -> Line {
        defer { (line, isTooLong) = ([], false) }
        return isTooLong ? .tooLong : .whole(line)
    }
}
