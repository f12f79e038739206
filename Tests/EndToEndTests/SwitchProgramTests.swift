import ControlProtocol
import Curl
import Foundation
import LightDaemon
import SimulatedBridge
import TestSupport
import Testing

/// Switches bound to a room, pressed and turned at a simulated bridge.
@Suite(.timeLimit(.minutes(5)))
struct SwitchProgramTests {
    private static let yaml = """
        bridge: { name: Flat }
        rooms:
          - name: Living
            lights:
              - { name: Desk, kind: dimmable, on: true, brightness: 80 }
              - { name: Sofa, kind: dimmable, on: true, brightness: 20 }
            accessories:
              - { name: Dial Living, kind: dial }
              - { name: Dimmer, kind: switch }
        scenes:
          - name: Bright
            group: Living
            lights:
              Desk: { brightness: 100 }
              Sofa: { brightness: 100 }
        """

    private func running(_ body: @escaping @Sendable (SeveralBridgesFixture) async throws -> Void) async throws {
        let settings = Settings(home: try HomeFile(yaml: Self.yaml, path: "test"))
        try await SeveralBridgesFixture.running([settings], body)
    }

    @Test func `a dial bound in one line dims a room with its ratios, and undo takes a turn back`() async throws {
        try await running { home in
            let bound = try await home.lightctl("bind", "dial living", "@living", "--json")
            #expect(bound.status == 0, "\(bound)")
            let reply = try JSONDecoder().decode(CommandReply.self, from: Data(bound.output.utf8))
            #expect(reply.binding?.controls.first == .init(control: "button 1", does: "'Bright'; held: off"))
            let list = try await home.lightctl("bind")
            #expect(list.output.hasPrefix("Dial Living\t@Living\tBright\t-\t"), "\(list)")

            try await home.tell("sensors/Dial Living/rotate", #"{"steps":-200}"#)
            let desk = try await home.wait(for: "Desk", "dimmed") {
                $0.freshness == .confirmed && ($0.brightness ?? 100) < 70
            }
            let sofa = try await home.light("Sofa")
            #expect(abs((desk.brightness ?? 0) / (sofa.brightness ?? 1) - 4) < 0.2, "\(desk), \(sofa)")
            #expect(desk.cause.kind == .command && desk.cause.by == "switch 'Dial Living'", "\(desk.cause)")
            // To the end, where both are alike, and back up: the ratio is the same again.
            try await home.tell("sensors/Dial Living/rotate", #"{"steps":-1000}"#)
            try await home.wait(for: "Desk", "at its lowest level") { ($0.brightness ?? 100) < 2 }
            try await home.tell("sensors/Dial Living/rotate", #"{"steps":500}"#)
            let back = try await home.wait(for: "Desk", "bright") {
                $0.freshness == .confirmed && ($0.brightness ?? 0) > 40
            }
            try await home.wait(for: "Sofa", "at a quarter of that") {
                $0.freshness == .confirmed && abs(($0.brightness ?? 0) - (back.brightness ?? 0) / 4) < 0.6
            }
            #expect(try await home.lightctl("undo", "--wait").status == 0)
        }
    }

    @Test func `a dimmer switch turns on and off, dims while it is held, and stops`() async throws {
        try await running { home in
            #expect(try await home.lightctl("bind", "dimmer", "@living").status == 0)
            // Released at once: what is released after two seconds is another press, and pressing 'on' again recalls a scene.
            try await home.press("Dimmer", 4, "initial_press")
            try await home.press("Dimmer", 4, "short_release")
            try await home.wait(for: "Desk", "off") { $0.power == .off && $0.freshness == .confirmed }
            try await home.press("Dimmer", 1, "initial_press")
            try await home.press("Dimmer", 1, "short_release")
            let desk = try await home.wait(for: "Desk", "on") { $0.power == .on && $0.freshness == .confirmed }
            #expect(abs((desk.brightness ?? 0) - 80) < 1, "\(desk)")

            var level = desk.brightness ?? 0
            for event in ["initial_press", "repeat", "repeat"] {
                try await home.press("Dimmer", 3, event)
                let before = level
                level =
                    try await home.wait(for: "Desk", "darker") {
                        ($0.brightness ?? 0) < before - 1 && $0.freshness == .confirmed
                    }.brightness ?? 0
            }
            try await home.press("Dimmer", 3, "long_release")
            // One gesture: one step.
            #expect(try await home.lightctl("undo", "--wait").status == 0)
            let back = try await home.light("Desk")
            #expect(abs((back.brightness ?? 0) - 80) < 1, "\(back)")
        }
    }

    @Test func `ghosts and repeated events press nothing`() async throws {
        try await running { home in
            #expect(try await home.lightctl("bind", "dimmer", "@living").status == 0)
            let controls = home.bridges[0].controls
            await controls.begin(try Fault(.duplicateEvents))
            try await home.press("Dimmer", 4, "initial_press")
            try await home.wait(for: "Desk", "off") { $0.power == .off && $0.freshness == .confirmed }
            await controls.begin(try Fault(.ghostButtons))
            try await home.client.post(.turn(to: .on, target: "@living"), wait: true)
            controls.reboot(for: .seconds(1))
            try await home.wait(for: "Desk", "stale") { $0.freshness == .stale }
            try await home.wait(for: "Desk", "back") { $0.freshness == .confirmed }
            // What happens now comes after the ghosts.
            try await home.press("Dimmer", 3, "initial_press")
            let desk = try await home.wait(for: "Desk", "darker") {
                ($0.brightness ?? 0) < 79 && $0.freshness == .confirmed
            }
            #expect(desk.power == .on)
            let log = try await home.lightctl("log", "--by", "switch 'Dimmer'")
            let commands = log.output.split(separator: "\n").filter { $0.contains("\t-\tturn @Living off") }
            #expect(commands.count == 1, "\(log.output)")
        }
    }

    @Test func `a binding outlives lightd, and shows what no longer exists`() async throws {
        try await running { home in
            #expect(try await home.lightctl("bind", "dimmer", "@living").status == 0)
            #expect(try await home.lightctl("room", "rename", "living", "Lounge").status == 0)
            #expect(try await home.lightctl("bind").output.hasPrefix("Dimmer\t@Lounge\tBright\t-\t"))
            #expect(try await home.lightctl("room", "delete", "lounge").status == 0)
            let list = try await home.lightctl("list", "bindings")
            #expect(list.output.contains("@Living no longer exists"), "\(list)")
            try await home.press("Dimmer", 1, "initial_press")
            try await until("the log tells it") {
                try await home.lightctl("log").output.contains("'Dimmer' does nothing: @Living no longer exists")
            }
            #expect(try await home.lightctl("unbind", "dimmer").status == 0)
            #expect(try await home.lightctl("list", "bindings").output.isEmpty)
        }
    }
}

extension SeveralBridgesFixture {
    fileprivate func press(_ name: String, _ button: Int, _ event: String) async throws {
        try await tell("sensors/\(name)/button", #"{"button":\#(button),"event":"\#(event)"}"#)
    }
}
