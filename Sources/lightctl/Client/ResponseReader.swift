import ControlProtocol

/// Reads one response of HTTP/1.1 in pieces of any size (RFC 9112). Its body is chunked, as long as `Content-Length`
/// says, or ends with the connection.
struct ResponseReader: Sendable {
    /// Known as soon as the head has come in.
    private(set) var status: Int?
    /// What the body is, in lower case: "application/json". `nil` if the head does not say.
    private(set) var mediaType: String?
    /// The bridges whose lights the list in the body lacks (``Routes/unreadBridgesHeader``).
    private(set) var unreadBridges: [String] = []
    /// Whether the whole response has come in.
    private(set) var isComplete = false
    /// Why it cannot be read any further: "a chunk without a size".
    private(set) var fault: String?

    private var part = Part.head
    /// What has come in of the head, or of the line before or after a chunk.
    private var line: [UInt8] = []

    private enum Part: Equatable {
        case head
        case body(left: Int)
        case bodyUntilEnd
        case chunkSize
        case chunk(left: Int)
        case chunkEnd
        case trailer
    }

    private struct Malformed: Error {
        let reason: String
    }

    /// The longest head, and the longest line beside a chunk, in bytes.
    static let longestHead = 64 * 1024

    /// Takes the next bytes and returns those that belong to the body, up to the end or a fault.
    mutating func read(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var body: [UInt8] = []
        var rest = bytes
        while !rest.isEmpty, !isComplete, fault == nil {
            switch part {
            case let .body(left):
                body += rest.prefix(left)
                part = .body(left: left - min(left, rest.count))
                rest = rest.dropFirst(left)
                isComplete = part == .body(left: 0)
            case .bodyUntilEnd:
                body += rest
                rest = []
            case let .chunk(left):
                body += rest.prefix(left)
                part = left <= rest.count ? .chunkEnd : .chunk(left: left - rest.count)
                rest = rest.dropFirst(left)
            case .head, .chunkSize, .chunkEnd, .trailer: take(rest.removeFirst())
            }
        }
        return body
    }

    /// The connection has ended.
    mutating func end() {
        if part == .bodyUntilEnd { isComplete = true }
        guard !isComplete, fault == nil else { return }
        fault = status == nil ? "it ended without an answer" : "it ended within the answer"
    }

    private mutating func take(_ byte: UInt8) {
        line.append(byte)
        do throws(Malformed) {
            guard line.count <= Self.longestHead else { throw Malformed(reason: "a head without an end") }
            if byte == UInt8(ascii: "\n") { try endLine() }
        } catch {
            fault = error.reason
        }
    }

    private mutating func endLine() throws(Malformed) {
        if part == .head {
            // The head ends with an empty line.
            if line.suffix(4) == [13, 10, 13, 10] || line.suffix(2) == [10, 10] { try readHead() }
            return
        }
        let text = String(decoding: line, as: UTF8.self).filter { !$0.isNewline }
        line = []
        switch part {
        case .chunkSize:
            guard let size = Self.number(text.prefix { $0 != ";" && $0 != " " }, radix: 16) else {
                throw Malformed(reason: "a chunk without a size")
            }
            part = size == 0 ? .trailer : .chunk(left: size)
        case .chunkEnd:
            guard text.isEmpty else { throw Malformed(reason: "a chunk that is longer than its size") }
            part = .chunkSize
        default:
            isComplete = text.isEmpty
        }
    }

    private static let unreadBridgesHeader = Routes.unreadBridgesHeader.lowercased()

    private mutating func readHead() throws(Malformed) {
        let lines = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isNewline)
        line = []
        let words = (lines.first ?? "").split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].utf8.count == 3, let status = Int(words[1])
        else {
            throw Malformed(reason: "something other than HTTP")
        }
        // An interim response; the final one follows.
        guard status >= 200 else { return }
        self.status = status
        var length: Int?
        var isChunked = false
        for line in lines.dropFirst() {
            let halves = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = halves.count == 2 ? halves[1].filter { $0 != " " && $0 != "\t" } : ""
            switch halves[0].lowercased() {
            case "content-length":
                guard let number = Self.number(value[...], radix: 10) else {
                    throw Malformed(reason: "a length that is not a number")
                }
                length = number
            case "content-type": mediaType = value.prefix { $0 != ";" }.lowercased()
            case Self.unreadBridgesHeader: unreadBridges = value.split(separator: ",").map(String.init)
            case "transfer-encoding": isChunked = value.lowercased().hasSuffix("chunked")
            default: break
            }
        }
        if isChunked {
            part = .chunkSize
        } else if let length {
            part = .body(left: length)
            isComplete = length == 0
        } else if status == 204 || status == 304 {
            isComplete = true
        } else {
            part = .bodyUntilEnd
        }
    }

    /// Digits only: `Int` would also take a sign.
    private static func number(_ text: Substring, radix: Int) -> Int? {
        guard text.first != "+", text.first != "-" else { return nil }
        return Int(text, radix: radix)
    }
}
