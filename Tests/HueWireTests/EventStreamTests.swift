import Foundation
import HueWire
import ServerSentEvents
import TestSupport
import Testing

@Suite struct EventStreamTests {
    // MARK: - Laws

    @Test(arguments: 0..<150)
    func `a stream gives the same frames, wherever it is cut`(seed: Int) {
        var generator = SplitMix(seed: UInt64(seed))
        let (text, frames) = Self.stream(&generator)
        var parser = HueEventStream.parser
        var heard: [ServerSentEvent] = []
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let piece = bytes.prefix(Int.random(in: 1...40, using: &generator))
            heard += parser.read(piece)
            bytes = bytes.dropFirst(piece.count)
        }
        #expect(heard == frames)
        var whole = HueEventStream.parser
        #expect(whole.read(text.utf8) == frames)
    }

    @Test(arguments: 0..<150)
    func `the parser reads back what is framed`(seed: Int) {
        var generator = SplitMix(seed: UInt64(seed))
        let frames = (0..<10).map { ServerSentEvent(id: "\(1_790_000_000 + $0):0", data: Self.text(&generator)) }
        var parser = HueEventStream.parser
        #expect(parser.read((HueEventStream.greeting + frames.map(\.framed).joined()).utf8) == frames)
    }

    @Test func `data of several lines is one frame`() {
        let frame = ServerSentEvent(id: "1:0", data: "[\n{\"type\": \"update\"},\n\n{}]")
        var parser = HueEventStream.parser
        #expect(parser.read(frame.framed.utf8) == [frame])
    }

    // MARK: - Examples

    @Test func `a frame has one space after each colon`() {
        #expect(ServerSentEvent(id: "1790000000:0", data: "[]").framed == "id: 1790000000:0\ndata: []\n\n")
        #expect(ServerSentEvent(id: nil, data: "[]").framed == "data: []\n\n")
        #expect(HueEventStream.greeting == ": hi\n\n")
    }

    @Test func `a frame without an id gets the last one`() {
        var parser = HueEventStream.parser
        let frames = parser.read("data: 0\n\nid: 7:0\ndata: 1\n\ndata: 2\n\nid: 8:0\n\ndata: 3\n\n".utf8)
        #expect(frames.map(\.id) == [nil, "7:0", "7:0", "8:0"])
        #expect(frames.map(\.data) == ["0", "1", "2", "3"])
    }

    @Test func `an unfinished frame is not returned`() {
        var parser = HueEventStream.parser
        #expect(parser.read("id: 1:0\ndata: []\n".utf8) == [])
        #expect(parser.read("\n".utf8) == [ServerSentEvent(id: "1:0", data: "[]")])
        #expect(parser.read("\n\n\n".utf8) == [], "there is nothing between blank lines")
    }

    @Test func `a character cut in two is one character`() {
        var parser = HueEventStream.parser
        let bytes = Array("data: \"Küche\"\n\n".utf8)
        let cut = bytes.firstIndex(of: 0xC3)! + 1
        #expect(parser.read(bytes[..<cut]) == [])
        #expect(parser.read(bytes[cut...]) == [ServerSentEvent(id: nil, data: "\"Küche\"")])
    }

    @Test func `a recorded stream is decoded`() throws {
        var parser = HueEventStream.parser
        let frames = parser.read(try Fixture.bytes(of: "events.txt"))
        #expect(frames.map(\.id) == (0...3).map { "179000000\($0):0" })
        let containers = try frames.map { try EventContainer.all(in: $0) }
        #expect(
            containers.map { $0.map(\.kind) } == [
                [.update, .update], [.update], [.add, .delete], [.other("error"), .update],
            ])

        #expect(containers[0].map { $0.data.map(\.name) } == [[.light], [.groupedLight, .groupedLight]])
        guard case let .light(shelf) = containers[0][0].data[0],
            case let .groupedLight(house) = containers[0][1].data[1]
        else {
            Issue.record("not a light and groups")
            return
        }
        #expect(shelf.on == On(true) && shelf.dimming == nil && shelf.colorTemperature == nil)
        #expect(house.on == nil && house.dimming == Dimming(75.1))

        guard case let .light(desk) = containers[1][0].data[0] else {
            Issue.record("not a light")
            return
        }
        #expect(desk.colorTemperature == ColorTemperature(mirek: nil, valid: false), "it no longer shows a white")
        #expect(desk.color == ColorFeature(XY(x: 0.1725, y: 0.1532)))

        guard case let .zone(nook) = containers[2][0].data[0] else {
            Issue.record("not a zone")
            return
        }
        #expect(nook.children?.count == 1 && nook.metadata?.name == "Nook")
        #expect(
            containers[2][1].data.map(\.id) == [
                "5f1b8c1e-0000-4a00-8000-000000000050", "5f1b8c1e-0000-4a00-8000-000000000099",
            ])

        #expect(containers[3][0].data == [])
        #expect(containers[3][1].data.map(\.name) == [.connectivity])
        #expect(containers[3][1].unreadable.count == 1, "a light without an id")
    }

    @Test(arguments: ["", "hello", "{}", "[{\"type\":\"update\"", "<html></html>"])
    func `anything that is not a list of containers is an error`(data: String) {
        #expect(throws: (any Error).self) { try EventContainer.all(in: ServerSentEvent(id: nil, data: data)) }
    }

    @Test(arguments: ["[]", "[null]", "[1,\"a\",[],{}]"])
    func `a malformed container is skipped`(data: String) throws {
        #expect(try EventContainer.all(in: ServerSentEvent(id: nil, data: data)).isEmpty)
    }

    @Test(arguments: [#"{"type":"update"}"#, #"{"type":"update","data":null}"#, #"{"type":"update","data":{}}"#])
    func `a container may be empty`(container: String) throws {
        let containers = try EventContainer.all(in: ServerSentEvent(id: nil, data: "[\(container)]"))
        #expect(containers.map(\.kind) == [.update])
        #expect(containers.first?.data == [])
    }

    // MARK: - Helpers

    /// JSON of one line, without blanks at its ends.
    private static func text(_ generator: inout SplitMix) -> String {
        let json = JSONValue.array([.any(&generator, depth: 3), .any(&generator, depth: 3)])
        // An encoder of JSON values never fails: there is no NaN among them.
        return (try? JSONEncoder().encode(json)).map { String(decoding: $0, as: UTF8.self) } ?? "[]"
    }

    /// A stream in all the forms that bridges send, and the frames in it.
    private static func stream(_ generator: inout SplitMix) -> (String, [ServerSentEvent]) {
        var text = ""
        var frames: [ServerSentEvent] = []
        var id: String?
        func end() -> String {
            [" ", "\t", "  ", "", "", ""].randomElement(using: &generator)!
                + ["\n", "\r\n"].randomElement(using: &generator)!
        }
        for number in 0..<Int.random(in: 1...12, using: &generator) {
            if Bool.random(using: &generator) { text += ": hi" + end() + end() }
            if Bool.random(using: &generator) { text += "event: message" + end() }
            if Bool.random(using: &generator) {
                id = "\(1_790_000_000 + number):0"
                text += ["id: ", "id:"].randomElement(using: &generator)! + id! + end()
            }
            if Bool.random(using: &generator) { text += "retry: 1000" + end() + ":" + end() + "nonsense" + end() }
            if Int.random(in: 0..<5, using: &generator) > 0 {
                let data = Self.text(&generator)
                text += ["data: ", "data:", "data:  "].randomElement(using: &generator)! + data + end()
                frames.append(ServerSentEvent(id: id, data: data))
            }
            text += end()
            if Bool.random(using: &generator) { text += end() }
        }
        return (text, frames)
    }
}
