import ControlProtocol
import Testing

@Suite struct ServerSentEventTests {
    static let events: [ServerSentEvent] = [
        .init(id: "1", name: "light", data: #"{"name":"Küche 🌈"}"#), .init(id: "2", name: "room", data: "a\nb\n\nc"),
        .init(id: "3", data: " leading space, colon: and : more"), .init(id: "4", name: "log", data: ""),
    ]

    @Test func `framed events give the same events in pieces of any size`() {
        let bytes = Array(Self.events.map(\.framed).joined().utf8)
        for size in 1...bytes.count {
            var parser = ServerSentEvent.Parser()
            let pieces = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
            #expect(pieces.flatMap { parser.read($0) } == Self.events, "pieces of \(size) bytes")
        }
        var random = Seeded(state: 7)
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

    @Test func `an event comes out with its empty line and not later`() {
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
}

/// A generator with the same sequence on every run (SplitMix64).
private struct Seeded: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
