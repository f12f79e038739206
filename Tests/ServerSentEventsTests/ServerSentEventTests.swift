import ServerSentEvents
import TestSupport
import Testing

@Suite struct ServerSentEventTests {
    static let events: [ServerSentEvent] = [
        .init(id: "1", name: "light", data: #"{"name":"Küche 🌈"}"#), .init(id: "2", name: "room", data: "a\nb\n\nc"),
        .init(id: "3", data: " leading space, colon: and : more"), .init(id: "4", name: "log", data: ""),
    ]

    @Test func `no line end in the data begins a field`() {
        let framed = ServerSentEvent(data: "a\r\nevent: x\rid: 7\n\u{301}b").framed
        #expect(framed == "data: a\ndata: event: x\ndata: id: 7\ndata: \u{301}b\n\n")
    }

    @Test func `framed events give the same events in pieces of any size`() {
        let bytes = Array(Self.events.map(\.framed).joined().utf8)
        for size in 1...bytes.count {
            var parser = ServerSentEvent.Parser()
            let pieces = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
            #expect(pieces.flatMap { parser.read($0) } == Self.events, "pieces of \(size) bytes")
        }
        var random = SplitMix(seed: 7)
        for _ in 0..<200 {
            var parser = ServerSentEvent.Parser()
            var rest = bytes[...]
            var read: [ServerSentEvent] = []
            while !rest.isEmpty {
                let count = Int.random(in: 0...17, using: &random)
                read += parser.read(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            #expect(read == Self.events)
        }
    }

    @Test(arguments: ["\n", "\r", "\r\n"]) func `lines end with LF, CR or CR LF`(end: String) {
        let text = Self.events.map(\.framed).joined()
        let bytes = Array(text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: end).utf8)
        var parser = ServerSentEvent.Parser()
        #expect(bytes.flatMap { parser.read([$0]) } == Self.events)
    }

    @Test func `an event is complete with its empty line`() {
        var parser = ServerSentEvent.Parser()
        #expect(parser.read("data: 1\n".utf8) == [])
        #expect(parser.read("\n".utf8) == [.init(data: "1")])
    }

    @Test func `comments, unknown fields and events without data are ignored`() {
        var parser = ServerSentEvent.Parser()
        #expect(parser.read(":\n\n: hello\n\nretry: 3\nwhat: ever\n\nevent: light\n\n".utf8) == [])
        #expect(parser.read("data\n\n".utf8) == [.init(data: "")])
        #expect(parser.read("data:no space\n\n".utf8) == [.init(data: "no space")])
    }

    @Test func `an id also holds for the events after it, until another comes`() {
        var parser = ServerSentEvent.Parser()
        #expect(
            parser.read("id: 7\ndata: a\n\ndata: b\n\n".utf8) == [.init(id: "7", data: "a"), .init(id: "7", data: "b")])
    }

    @Test func `an event of many lines that is too long as a whole is skipped`() {
        var parser = ServerSentEvent.Parser(longestLine: 64)
        let lines = String(repeating: "data: 123456789\n", count: 1000)
        #expect(parser.read((lines + "\ndata: short\n\n").utf8) == [.init(data: "short")])
    }

    @Test func `an overlong line is skipped and the next frame is complete`() {
        var parser = ServerSentEvent.Parser(longestLine: 64)
        let longest = String(repeating: "x", count: 64 - "data: ".utf8.count)
        let text = "data: \(longest)\n\ndata: \(longest)y\n\n: \(String(repeating: "z", count: 500))\ndata: short\n\n"
        #expect(parser.read(text.utf8).map(\.data) == [longest, "short"])
    }
}
