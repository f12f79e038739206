import Foundation
import HueWire
import Testing

@Suite struct EnvelopeTests {
    /// Messages seen from bridges, and whether they mean that the command was accepted but may have no effect.
    @Test(
        arguments: [
            (
                "device (light) 1a2b has communication issues, command (.on.on) may not have effect",
                "communication_error", true
            ),
            ("device (light) has communication issues, command (on) may not have effect", nil, true),
            (
                "device (grouped_light) 1a2b has communication issues, command (.on.on) may not have effect",
                "communication_error", true
            ),
            (
                #"device (light) 1a2b is "soft off", command (.dimming.brightness) may not have effect"#,
                "attribute_may_have_no_effect", true
            ),
            (#"device (light) is "soft off", command (.dimming.brightness) may not have effect"#, nil, true),
            ("attribute (.color_temperature.mirek) is not supported by resource 1a2b", "client_error", false),
            ("Invalid Request: Property [channels] cannot be specified for this request type", "client_error", false),
            ("The instance doesn't support triggers.", nil, false),
            ("bridge is busy", "internal_error", false),
            ("it may not have effect, but the code counts", "client_error", false),
            ("", nil, false),
        ] as [(String, String?, Bool)])
    func `an error is advisory if the command was accepted`(description: String, code: String?, isAdvisory: Bool) throws
    {
        let error = HueError(description, code: code)
        #expect(error.isAdvisory == isAdvisory)
        #expect(try JSONDecoder().decode(HueError.self, from: JSONEncoder().encode(error)) == error)
    }

    @Test func `the answer to a partly applied command has data and errors`() throws {
        let answer = try Self.read(
            #"{"data":[{"rid":"1a2b","rtype":"light"}],"#
                + #""errors":[{"description":"d","error_code":"communication_error"},{"description":"older"}]}"#)
        #expect(answer.data == [ResourceReference("1a2b", .light)])
        #expect(answer.errors == [HueError("d", code: "communication_error"), HueError("older")])
    }

    @Test(arguments: [
        "{}", #"{"data":[]}"#, #"{"errors":[]}"#, #"{"data":null,"errors":null}"#,
        #"{"errors":[],"data":[],"later":1}"#,
    ])
    func `data and errors may be missing`(text: String) throws {
        let answer = try Self.read(text)
        #expect(answer.data == [] && answer.errors == [] && answer.unreadable == [])
    }

    @Test(arguments: [
        (#""plain words""#, HueError("plain words")),
        (#"{"error_code":"client_error"}"#, HueError("", code: "client_error")),
        (#"{"description":null,"error_code":7}"#, HueError("")),
        ("null", HueError("")), ("3", HueError("")),
    ])
    func `an error in any form is read as an error`(text: String, error: HueError) throws {
        #expect(try Self.read(#"{"errors":[\#(text)]}"#).errors == [error])
    }

    @Test func `an unreadable element is listed, and the others are read`() throws {
        let answer = try Self.read(
            #"{"data":[{"rid":"a","rtype":"light"},{"rid":1},null,"x",{"rid":"b","rtype":"room"}]}"#)
        #expect(answer.data.map(\.rid) == ["a", "b"])
        #expect(answer.unreadable.count == 3)
        #expect(answer.unreadable.allSatisfy { !$0.isEmpty })
    }

    @Test(arguments: ["", "<html>no lighting here</html>", #"{"data":[{"rid":"a""#, "[]", #""""#, "null"])
    func `anything that is not a bridge's answer is an error`(text: String) {
        #expect(throws: (any Error).self) { try Self.read(text) }
    }

    private static func read(_ text: String) throws -> Envelope<ResourceReference> {
        try JSONDecoder().decode(Envelope<ResourceReference>.self, from: Data(text.utf8))
    }
}
