import ControlProtocol
import Foundation
import HashTreeCollections
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

/// What clients were answered, word for word: scripts and programs read it.
@Suite struct StoredAnswerTests {
    private static let commands: [(command: Command, isDry: Bool)] = [
        (.turn(to: .on, target: "stove", over: 500), false), (.toggle(target: "fan"), false),
        (.set(.init(brightness: 40, color: "orange"), target: "desk"), false),
        (.set(.init(brightness: 30, temperature: 300), target: "@kitchen"), false),
        (.set(.init(brightness: 70), target: "all"), true), (.increase(.brightness, by: 10, target: "@kitchen"), false),
        (.increase(.hue, by: 30, target: "desk"), false), (.recall(scene: "Relax"), false), (.undo(), false),
        (.redo(), false), (.follow(target: "desk", curve: "dawn"), false),
        (.set(.init(hue: 120), target: "stove"), false),
        (.set(.init(color: "red"), target: "fan"), false), (.turn(to: .on, target: "attic"), false),
        (
            .apply(lights: [Command.LightState(id: "stove", power: .on, .init(brightness: 12.5, temperature: 222))]),
            true
        ),
        (.schedule(steps: ["turn off stove"], after: 600), false), (.pin(target: "@kitchen"), false),
    ]
    private static let paths = [
        Routes.lights, Routes.rooms, Routes.scenes, Routes.sensors, Routes.bridges, Routes.followings, Routes.curves,
        Routes.dashboard, Routes.bindings, Routes.away, Routes.names, Routes.automations, Routes.timers, Routes.page,
        Routes.log,
    ]

    @Test func `commands and lists are answered as they were`() async throws {
        let sensors = [Sensor.make(), .dimmer()]
        let state = AppState.make(
            lights: HomeFixture.lights, rooms: HomeFixture.rooms, scenes: [HomeFixture.relax], sensors: sensors)
        try await ServerFixture.run(in: state, stack: HomeFixture.stack) { server in
            var lines: [String] = []
            for (command, isDry) in Self.commands {
                let body = String(
                    decoding: try JSONEncoder.sorted.encode(CommandRequest(command, dryRun: isDry)), as: UTF8.self)
                let answer = try await server.post(body)
                lines.append("POST \(body) → \(answer.words)")
            }
            for path in Self.paths {
                let answer = try await server.get(path)
                lines.append("GET \(path) → \(answer.words)")
            }
            let difference = try StoredFile("answers.txt").difference(to: lines)
            #expect(difference == nil)
        }
    }
}

extension ClientFixture.Answer {
    fileprivate var words: String {
        let text = String(decoding: body, as: UTF8.self).trimmingCharacters(in: .newlines)
        // Whoever runs the tests.
        return "\(status) "
            + text.replacing(/[\w\-]+ \(uid \d+\)( with [\w\-]+)?/, with: "CLIENT")
            // The page names a program by itself.
            .replacing(/\u{2068}(lightdPackage|swiftpm-)[\w\-]*\u{2069}/, with: "CLIENT")
    }
}

extension JSONEncoder {
    fileprivate static var sorted: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
