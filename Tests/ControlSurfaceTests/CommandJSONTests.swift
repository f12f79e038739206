import ControlProtocol
import ControlSurface
import Foundation
import Testing

@Suite struct CommandJSONTests {
    @Test func `a command is read with its wait field`() throws {
        let request = try CommandRequest(json: Data(#"{"command":"turn","to":"on","target":"desk","wait":true}"#.utf8))
        #expect(request == CommandRequest(.turn(to: .on, target: "desk"), wait: true))
    }

    @Test(arguments: [
        ("", "not JSON"), ("no json", "not JSON"), ("[]", "an object"), (#"{"to":"on"}"#, "'command' is missing"),
        (#"{"command":"dazzle"}"#, "unknown command 'dazzle'; use one of turn, toggle, set,"),
        (
            #"{"command":"turn","to":"on","target":"all","colour":"red"}"#,
            "'turn' has no field 'colour'; it has dry_run, gesture, over, target, to, wait"
        ),
        (#"{"command":"load","target":"all"}"#, "'load' has no field 'target'; it has none"),
        (#"{"command":"turn","to":"on"}"#, "'target' is missing"),
        (#"{"command":"turn","to":"up","target":"desk"}"#, #"'to' must be on or off, not "up""#),
        (#"{"command":"set","target":"Desk","brightness":"much"}"#, "'brightness' must be a number"),
        (#"{"command":"move","target":"Desk","place":1.5}"#, "'place' must be a whole number from 1 to"),
        (
            #"{"command":"undo","steps":9223372036854775807}"#,
            "'steps' must be a whole number from 1 to 1000, not 9.223372036854776e+18"
        ),
        (#"{"command":"turn","to":"on","target":7}"#, "'target' must be text"),
        (#"{"command":"rename","target":"desk","name":"x","wait":true}"#, "'rename' has no field 'wait'"),
        (#"{"command":"rename","target":"desk","name":"x","gesture":"g"}"#, "'rename' has no field 'gesture'"),
        (#"{"command":"turn","to":"on","target":"desk","wait":1}"#, "'wait' must be true or false"),
        (#"{"command":"turn","to":"on","to":"off","target":"desk"}"#, "the body has the field 'to' twice"),
    ])
    func `an invalid command is refused with what was expected`(json: String, words: String) {
        let error = #expect(throws: ErrorReply.self) { try CommandRequest(json: Data(json.utf8)) }
        #expect(error?.error.code == .invalid)
        #expect(error?.error.message.contains(words) == true, "\(error?.error.message ?? "")")
    }
}
