import Foundation
import Testing

@testable import ControlProtocol

/// What is wrong with a JSON text, in words.
struct DecodingWordsTests {
    private func words<Body: Decodable>(_ type: Body.Type, _ json: String) -> String? {
        do {
            _ = try JSONDecoder().decode(type, from: Data(json.utf8))
            return nil
        } catch {
            return (error as? DecodingError)?.words(in: Data(json.utf8), called: "the body")
        }
    }

    @Test(arguments: [
        ("", "the body is not JSON"), ("nonsense", "the body is not JSON"), ("[1", "the body is not JSON"),
        ("[]", "the body must be an object, not a list"), ("7", "the body must be an object, not 7"),
        (#"{"command":5}"#, "'command' must be text, not 5"),
        (#"{"command":"dance"}"#, "unknown command 'dance'; use one of turn, toggle, set"),
        (#"{"command":"turnn"}"#, "unknown command 'turnn'; did you mean 'turn'?"),
        (#"{"command":"turn","to":"up","target":"a"}"#, #"'to' must be on or off, not "up""#),
        (#"{"command":"turn","to":true,"target":"a"}"#, "'to' must be text, not true"),
        (#"{"command":"turn","to":"on","target":["a"]}"#, "'target' must be text, not a list"),
        (#"{"command":"turn","to":"on","target":null}"#, "'target' must be text, not null"),
        (#"{"command":"turn","to":"on"}"#, "'target' is missing"),
        (#"{"command":"turn","to":"on","targte":"a"}"#, "'turn' has no field 'targte'; did you mean 'target'?"),
        (
            #"{"command":"turn","to":"on","target":"a","over":1.5}"#,
            "'over' must be a whole number from 0 to 6000000, not 1.5"
        ),
        (
            #"{"command":"set","target":"a","brightness":"\#(String(repeating: "x", count: 50))"}"#,
            #"'brightness' must be a number, not "\#(String(repeating: "x", count: 40))…""#
        ),
        (
            #"{"command":"add_to_room","room":"a","targets":["b",{}]}"#,
            "entry 2 of 'targets' must be text, not an object"
        ),
        (#"{"command":"apply","lights":{}}"#, "'lights' must be a list, not an object"),
        (
            #"{"command":"apply","lights":[{"id":"a"},{"id":"b","temperature":366.5}]}"#,
            "'temperature' of entry 2 of 'lights' must be a whole number from 1 to 1000, not 366.5"
        ),
        (#"{"command":"apply","lights":[{"name":"a"}]}"#, "'id' of entry 1 of 'lights' is missing"),
        (
            #"{"command":"apply","lights":[{"id":"a","brightnes":4}]}"#,
            "entry 1 of 'lights': a light has no field 'brightnes'; did you mean 'brightness'?"
        ),
    ])
    func `a mistake in a command is named by its place, what is expected and what was found`(
        json: String, expected: String
    ) {
        let words = words(CommandRequest.self, json)
        #expect(words?.hasPrefix(expected) == true, "\(words ?? "")")
    }

    @Test(arguments: [
        (#"[{"name":"a","access":"none","created":""}]"#, #"'access' of entry 1 cannot be "none""#),
        (#"{"name":"a"}"#, "the body must be a list, not an object"),
    ])
    func `a value that the decoder itself refuses is named, too`(json: String, expected: String) {
        #expect(words([TokenBody].self, json) == expected)
    }

    @Test func `a whole number that is none does not make the text something other than JSON`() {
        #expect(words([Int].self, "[1,2.5]") == "the body has a number that is out of range")
    }

    @Test(arguments: [
        Array("{\"name\":\"a\nb\"}".utf8), Array(#"[{"name":"\ud800"}]"#.utf8), Array(#"{"a\ud800":1}"#.utf8),
        Array(#"{"name":""#.utf8) + [0xFF] + Array(#""}"#.utf8),
    ])
    func `a text that cannot be read is not called a number`(json: [UInt8]) throws {
        let data = Data(json)
        let error = #expect(throws: DecodingError.self) {
            _ = try JSONDecoder().decode([[String: String]].self, from: data)
        }
        let mistake = DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: ""))
        for words in [error?.words(in: data, called: "the body"), mistake.words(in: data, called: "the body")] {
            #expect(words?.contains("number") == false, "\(words ?? "")")
        }
        #expect(mistake.words(in: data, called: "the body").contains("not JSON"))
    }

    @Test(arguments: [
        (#"{"a":1,"b":{"a":2},"c":["a","a",{"a":3},{"a":4}]}"#, nil), (#"["a","a"]"#, nil),
        (#"{"a":"a","b":"a"}"#, nil),
        (#"{"a":1,"b":2,"a":3}"#, "a"), (#"{"b":[{"a":1},{"a":{},"a":[]}]}"#, "a"), (#"{"a":1,"\u0061":2}"#, "a"),
        (#"{"a,\"b":{"c":1},"c":",{","a,\"b":2}"#, #"a,"b"#), (#"{"#, nil), (#"}]{"a\"#, nil), (#"{"a":[],"a""#, "a"),
    ])
    func `a name that an object has twice is found, whatever stands around it`(json: String, name: String?) {
        #expect(repeatedName(in: Data(json.utf8)) == name)
    }

    // MARK: Lights to apply

    private func applied(_ json: String) throws -> Command.LightState {
        try JSONDecoder().decode(Command.LightState.self, from: Data(json.utf8))
    }

    private static let listed = LightBody(
        id: "b/1", name: "Desk", room: "Study", zones: ["Down"], power: .on,
        .init(brightness: 40, color: "#ffa500", hue: 39, saturation: 100, temperature: 366, mode: .color),
        freshness: .confirmed, since: "2026-11-21T09:42:03Z", bridge: "b",
        limits: .init(coolest: 153, warmest: 500, minimumDimLevel: 2),
        configuration: LightConfiguration(powerup: .safety),
        cause: CauseBody(kind: .otherApp, at: "2026-11-21T09:42:03Z"))

    @Test func `every field of a listed light is accepted`() throws {
        let json = try JSONEncoder().encode(Self.listed)
        let state = try JSONDecoder().decode(Command.LightState.self, from: json)
        #expect(state.id == "b/1" && state.brightness == 40 && state.color == "#ffa500")
    }

    @Test func `a listed light of a newer release is accepted, and a slip of the pen in it is not`() throws {
        var fields = try #require(
            JSONSerialization.jsonObject(with: JSONEncoder().encode(Self.listed)) as? [String: Any])
        fields["effect"] = "candle"
        let newer = String(decoding: try JSONSerialization.data(withJSONObject: fields), as: UTF8.self)
        #expect(try applied(newer).name == "Desk")
        fields["brightnes"] = 7
        let slip = String(decoding: try JSONSerialization.data(withJSONObject: fields), as: UTF8.self)
        #expect(throws: DecodingError.self) { try applied(slip) }
    }

    @Test(arguments: ["bri", "on", "ct", "Power", "powr", "colour"])
    func `a field that no light has is refused in a list by hand`(field: String) {
        #expect(throws: DecodingError.self) { try applied(#"{"id":"Desk","\#(field)":1}"#) }
    }

    @Test func `a light that is listed twice is refused`() {
        let request = CommandRequest(
            .apply(lights: [.init(id: "Desk"), .init(id: "b/2"), .init(id: "desk", name: "Desk")]))
        let error = #expect(throws: ErrorReply.self) { try request.validate() }
        #expect(error?.error.message == "'Desk' is listed twice, as entry 1 and 3")
        #expect(throws: Never.self) { try CommandRequest(.apply(lights: [.init(id: "a"), .init(id: "b")])).validate() }
    }

    @Test(arguments: [(1, "the only line"), (2, "both lines"), (3, "all 3 lines")])
    func `all of a few things have a name of their own`(count: Int, words: String) {
        #expect(whole(count, "line") == words)
    }
}
