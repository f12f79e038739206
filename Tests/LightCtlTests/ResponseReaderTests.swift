import TestSupport
import Testing

@testable import lightctl

@Suite struct ResponseReaderTests {
    /// What a response means: its status, its body, and whether more may follow.
    struct Meaning: Equatable {
        var status: Int?
        var body = ""
        var isComplete = false
        var fault: String?
    }

    /// Reads a response in pieces, then the end of the connection.
    private static func meaning(of response: some Collection<UInt8>, piece: Int) -> Meaning {
        var reader = ResponseReader()
        var (body, rest): ([UInt8], ArraySlice<UInt8>) = ([], Array(response)[...])
        while !rest.isEmpty {
            body += reader.read(rest.prefix(piece))
            rest = rest.dropFirst(piece)
        }
        reader.end()
        return Meaning(
            status: reader.status, body: String(decoding: body, as: UTF8.self), isComplete: reader.isComplete,
            fault: reader.fault)
    }

    static let responses: [(String, Meaning)] = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", Meaning(status: 200, body: "hello", isComplete: true)),
        ("HTTP/1.1 204 No Content\r\n\r\n", Meaning(status: 204, isComplete: true)),
        ("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n", Meaning(status: 304, isComplete: true)),
        ("HTTP/1.1 404 Not Found\r\ncontent-length:0\r\n\r\n", Meaning(status: 404, isComplete: true)),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nX: y\r\n\r\n",
            Meaning(status: 200, body: "hello", isComplete: true)
        ),
        ("HTTP/1.0 200 OK\r\n\r\nup to the end", Meaning(status: 200, body: "up to the end", isComplete: true)),
        (
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
            Meaning(status: 200, body: "x", isComplete: true)
        ),
        ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhel", Meaning(status: 200, body: "hel", fault: Self.within)),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\nhel",
            Meaning(status: 200, body: "hel", fault: Self.within)
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
            Meaning(status: 200, fault: "a chunk without a size")
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: +3\r\n\r\nabc",
            Meaning(status: 200, fault: "a length that is not a number")
        ),
        ("SSH-2.0-OpenSSH\r\n\r\n", Meaning(fault: "something other than HTTP")),
        ("", Meaning(fault: "it ended without an answer")),
    ]

    @Test func `the bridges that a list lacks are read from its head`() {
        var reader = ResponseReader()
        _ = reader.read(Array("HTTP/1.1 200 OK\r\nx-lightd-unread-bridges: a, b\r\n\r\n".utf8)[...])
        #expect(reader.unreadBridges == ["a", "b"])
    }

    private static let within = "it ended within the answer"

    @Test(arguments: responses) func `a response means the same in pieces of any size`(text: String, expected: Meaning)
    {
        for piece in 1...max(1, text.utf8.count) {
            #expect(Self.meaning(of: text.utf8, piece: piece) == expected, "pieces of \(piece)")
        }
    }

    @Test func `a head without an end is given up`() {
        let endless = "HTTP/1.1 200 OK\r\n" + String(repeating: "x", count: ResponseReader.longestHead)
        #expect(Self.meaning(of: endless.utf8, piece: 4096).fault == "a head without an end")
    }

    @Test func `every damaged response is read the same in any pieces`() async throws {
        try await Fuzzing("lightctl-responses").texts(Self.responses.map(\.0), batches: 5) { text in
            let whole = Self.meaning(of: text.utf8, piece: max(1, text.utf8.count))
            for piece in [1, 7] where Self.meaning(of: text.utf8, piece: piece) != whole {
                throw TestError("in pieces of \(piece) it means something else")
            }
        }
    }
}
