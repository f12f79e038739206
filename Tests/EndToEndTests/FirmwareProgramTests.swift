import ControlProtocol
import Foundation
import TestSupport
import Testing

/// Firmware updates of bridges with the real programs, on a bridge with an event stream and on one that is polled.
@Suite(.timeLimit(.minutes(5)))
struct FirmwareProgramTests {
    @Test func `an update that the bridge reports is listed, logged and said by doctor, which succeeds`() async throws {
        try await ProgramsFixture.running { programs in
            #expect(try await programs.lightctl("pair").status == 0)
            func bridge() async throws -> BridgeBody {
                let listed = try await programs.lightctl("--json", "list", "bridges").output
                return try #require(JSONDecoder().decode([BridgeBody].self, from: Data(listed.utf8)).first)
            }
            let before = try await bridge()
            #expect(before.firmware == "1.78.1978293000" && before.firmwareUpdate == .upToDate)
            func firmware() async throws -> CheckBody {
                let doctor = try await programs.lightctl("--json", "doctor")
                #expect(doctor.status == 0, "\(doctor)")
                let checks = try JSONDecoder().decode([CheckBody].self, from: Data(doctor.output.utf8))
                return try #require(checks.first { $0.name == "firmware" })
            }
            #expect(try await firmware().result == .ok)

            try await programs.tell("update", #"{"state":"ready_to_install"}"#)
            try await until("the update is listed") { try await bridge().firmwareUpdate == .ready }
            let check = try await firmware()
            #expect(check.result == .warning && check.text.hasSuffix("an update is ready"), "\(check)")
            #expect(try await programs.lightctl("log").output.contains("a firmware update is ready"))
            let columns = try await programs.lightctl("list", "bridges").output.split(separator: "\t")
            #expect(columns.suffix(2) == ["1.78.1978293000", "ready\n"])

            try await programs.tell("update", #"{"state":"no_update"}"#)
            try await until("it is installed") { try await bridge().firmwareUpdate == .upToDate }
            #expect(try await firmware().result == .ok)
        }
    }

    @Test func `a bridge without an event stream is asked`() async throws {
        try await ProgramsFixture.running(
            lightsim: ["--model", "BSB001"], environment: ["LIGHTD_POLLING_INTERVAL": "1s"]
        ) { programs in
            try await programs.tell("update", #"{"state":"ready_to_install"}"#)
            #expect(try await programs.lightctl("pair").status == 0)
            let columns = try await programs.lightctl("list", "bridges").output.split(separator: "\t")
            #expect(columns.suffix(2) == ["1709131301", "ready\n"])
        }
    }
}
