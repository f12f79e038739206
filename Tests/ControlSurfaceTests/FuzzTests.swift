import ControlProtocol
import Foundation
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

@testable import ControlSurface

/// Commands and times as any client may send them.
@Suite struct FuzzTests {
    private static let commands = [
        #"{"command":"turn","to":"on","target":"@kitchen","over":2000,"wait":true}"#,
        ##"{"command":"set","target":"desk","brightness":40.5,"color":"#ff8800"}"##,
        #"{"command":"set","target":"all","hue":120,"saturation":50,"over":0}"#,
        #"{"command":"set","target":"Living/Desk","temperature":370}"#,
        #"{"command":"increase","value":"brightness","by":10,"target":"all"}"#,
        #"{"command":"rename","target":"desk","name":"Büro 🪔"}"#,
        #"{"command":"recall","scene":"Living/Relax","over":400}"#, #"{"command":"undo","steps":2}"#,
        #"{"command":"powerup","target":"desk","preset":"last_on_state"}"#, #"{"command":"load"}"#,
        #"{"command":"pair","bridge":"Left","seconds":30}"#, #"{"command":"move","target":"desk","place":1}"#,
        #"{"command":"apply","lights":[{"id":"desk","power":"on","brightness":40,"mode":"color","hue":1,"temperature":9}]}"#,
        #"{"command":"apply","lights":[{"id":"sink","power":"off"},{"id":"attic"}],"over":9,"dry_run":true}"#,
        ##"{"command":"set","target":"desk","color":"hsb(30, 100%, 80%)","dry_run":true}"##,
        #"{"command":"set","target":"desk","color":"xy(0.6,0.3)"}"#,
        #"{"command":"display","target":"desk","display":"slider"}"#, #"{"command":"prune","days":0.5}"#,
    ]

    @Test func `every damaged command can be written and read back, or is refused with words`() async throws {
        let home = Directory(HomeFixture.state)
        try await Fuzzing("api-commands").texts(Self.commands, batches: 2) { json in
            do throws(ErrorReply) {
                let request = try CommandRequest(json: Data(json.utf8))
                guard let again = try? CommandRequest(json: JSONEncoder().encode(request)), again == request else {
                    throw ErrorReply(.invalid, "")
                }
                try request.validate()
                _ = try request.command.resolved(in: home, at: Timestamp(milliseconds: 0))
            } catch {
                guard !error.error.message.isEmpty else { throw TestError("\(error)") }
            }
        }
    }

    @Test func `every damaged time can be written and read back, or is refused`() async throws {
        let samples = ["2026-11-21T10:00:00Z", "2026-02-28T23:59:59.999Z", "1969-12-31T23:59:59+01:00"]
        try await Fuzzing("api-times").texts(samples, batches: 2) { text in
            guard let time = Timestamp(iso8601: text) else { return }
            guard Timestamp(iso8601: time.iso8601) == time else { throw TestError("read as \(time.iso8601)") }
        }
    }
}
