import ControlProtocol
import Curl
import Foundation
import Glibc
import LightDaemon
import SimulatedBridge
import TestSupport
import Testing

/// What 'undo' and 'why' know of the time before lightd was stopped or killed, with the real program.
@Suite(.timeLimit(.minutes(5)))
struct RestartTests {
    @Test(arguments: [(SIGTERM, "true"), (SIGKILL, "true"), (SIGTERM, "false")])
    func `after a restart 'undo' takes back the latest command, and 'why' names who sent it`(
        signal: Int32, journal: String
    ) async throws {
        try await withFlatHome { bridge, path in
            let ready = try await bridge.ready
            let daemon = try DaemonProcess(
                at: path, Configuration.Host(host: ready.host, port: ready.httpsPort),
                environment: ["LIGHTD_JOURNAL_FLUSH": "100ms", "LIGHTD_JOURNAL_ENABLED": journal])
            let client = daemon.client
            defer { client.http.shutdown() }
            @Sendable func light(_ name: String) async throws -> LightBody {
                try #require(try await client.get([LightBody].self, Routes.lights).first { $0.name == name })
            }
            @Sendable func start() async throws {
                try daemon.start()
                try await daemon.answers()
            }
            @Sendable func lightsAreKnown() async throws {
                try await until("the lights are known") {
                    let lights = try await client.get([LightBody].self, Routes.lights)
                    return lights.count == 5 && lights.allSatisfy { $0.freshness == .confirmed }
                }
            }
            try await start()
            try await bridge.controls.withButtonPressed { try await client.post(.pair()) }
            try await lightsAreKnown()
            for (name, power) in [("Stove", Turn.off), ("Sofa", .on)] {
                try await client.post(.turn(to: power, target: name), wait: true)
            }
            let (stove, sofa) = (try await light("Stove"), try await light("Sofa"))
            // The lamp cannot show it as it is, and what it shows instead is reported only within a second.
            let before = try await light("Desk")
            let orange = try await client.post(.set(.init(color: "#ff8800"), target: "Desk")).ticket
            let desk = try await light("Desk")
            if signal == SIGKILL {
                try await until("the journal's batch is written") {
                    let log = try Data(contentsOf: URL(filePath: "\(path)/state/lightd.sqlite-wal"))
                    return [stove, desk, sofa].allSatisfy { light in
                        let id = light.id.replacingOccurrences(of: "/", with: "\\/")
                        return log.range(of: Data("\"asked\":[\"\(id)\"".utf8)) != nil
                    }
                }
            }
            try await daemon.end(by: signal)

            // While lightd does not run, somebody dims a lamp.
            await bridge.controls.alter("Sofa", by: .setting(.level(to: 7)))
            try await start()
            try await lightsAreKnown()
            let again = try await light("Stove")
            #expect(again.cause == stove.cause && again.cause.what == "turn Stove off")
            #expect(try await light("Sofa").cause.kind == .unseen)
            #expect(try await light("Desk").cause.ticket == orange)
            #expect(try await client.post(.undo(), wait: true).skipped == [])
            #expect(try await light("Desk").power == before.power)
            let reply = try await client.post(.undo(steps: 2), wait: true)
            #expect(reply.skipped?.map(\.name) == ["Sofa"])
            #expect(reply.skipped?.first?.reason == "changed while its bridge was not connected")
            #expect(try await light("Stove").power == .on)
            try await client.post(.redo(), wait: true)
            #expect(try await light("Stove").power == .off)
            try await daemon.end(by: SIGTERM)
        }
    }
}
