import ControlProtocol
import Foundation
import Khipu
import LightDaemon
import Lighting
import Persistence
import SimulatedBridge
import TestSupport
import Testing

/// A presence replay of a journal made by hand, at a real bridge and over restarts.
@Suite(.timeLimit(.minutes(5)))
struct PresenceProgramTests {
    private static let home = """
        rooms:
          - name: Kitchen
            lights: [{ name: Stove, kind: ambiance }, { name: Counter, kind: dimmable }]
            accessories: [{ name: Kitchen switch, kind: switch }, { name: Door, kind: contact }]
          - name: Living
            lights: [{ name: Desk, kind: color }, { name: Sofa, kind: ambiance }, { name: Fan, kind: plug }]
            accessories: [{ name: Hall, kind: motion }]
        """

    enum Sign: String, CaseIterable {
        case press = "somebody was at 'Kitchen switch'"
        case motion = "somebody was at 'Hall'"
        case door = "somebody was at 'Door'"
        case anotherApp = "another app or a switch changed a light: Counter"
        case command = "with lightctl"

        func give(to bridge: SimulatedBridge, _ lightctl: (String...) async throws -> Program.End) async throws {
            switch self {
            case .press:
                try await bridge.controls.report("Kitchen switch", .button(1, "initial_press", at: Date()))
            case .motion: try await bridge.controls.report("Hall", .motion(true, at: Date()))
            case .door: try await bridge.controls.report("Door", .contact(false, at: Date()))
            case .anotherApp: await bridge.controls.alter("Counter", by: .turning(.it(on: true)))
            case .command: #expect(try await lightctl("turn", "on", "counter").status == 0)
            }
        }
    }

    @Test(arguments: Sign.allCases)
    func `lamps burn as they did on other days, also after a restart, until the first sign of life`(sign: Sign)
        async throws
    {
        try await Self.withBridge { bridge, path in
            let ready = try await bridge.ready
            let hosts = [Configuration.Host(host: ready.host, port: ready.httpsPort)]
            @Sendable func light(_ name: String, _ client: ControlClient) async throws -> LightBody {
                try #require(try await client.get([LightBody].self, Routes.lights).first { $0.name == name })
            }
            @Sendable func lightctl(_ arguments: String...) async throws -> Program.End {
                let program = try Program(.lightctl, ["--socket", "\(path)/lightd.sock"] + arguments)
                defer { program.signal(SIGKILL) }
                return try await program.end()
            }
            /// What the replay has sent, by the journal.
            @Sendable func commands(_ client: ControlClient) async throws -> [String] {
                try await client.get([LogBody].self, Routes.path(Routes.log, [(.by, "away"), (.limit, "1000")]))
                    .filter { $0.feature == "lighting" && $0.holder == "away" && $0.outcome == nil }.map(\.text)
            }
            try await withDaemon(at: path, hosts) { client in
                try await bridge.controls.withButtonPressed { try await client.post(.pair()) }
                try await until("the lights are known") {
                    try await client.get([LightBody].self, Routes.lights).count == 5
                }
                let refused = try await lightctl("away", "on")
                #expect(refused.status == 1 && refused.errors.contains("lightctl away on --plain"), "\(refused)")
            }
            try await Self.write(Self.habits, to: "\(path)/state")

            try await withDaemon(at: path, hosts) { client in
                try await until("the lights are known") {
                    try await client.get([LightBody].self, Routes.lights).count == 5
                }
                // Chance may put it off by a quarter of an hour: a seed with which it begins at once.
                var seed = 0
                while true {
                    let plan = try #require(try await client.post(.away(to: .plan, .init(seed: seed))).away?.plan)
                    let first = try #require(plan.first { $0.name == "Desk" })
                    #expect(first.power == .on && first.brightness == 40)
                    if first.at <= Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)).iso8601Text {
                        break
                    }
                    seed += 1
                    try #require(seed < 100)
                }
                let begun = try await lightctl("--json", "away", "on", "--seed", "\(seed)", "--until", "2d")
                #expect(begun.status == 0, "\(begun)")
                try await until("the desk lamp burns") { try await light("Desk", client).power == .on }
                let desk = try await light("Desk", client)
                #expect(desk.brightness.map { abs($0 - 40) < 1 } == true && desk.cause.by == "away", "\(desk)")
                let why = try await lightctl("why", "desk")
                #expect(why.output.contains("\taway\tset Desk to 40%\t"), "\(why)")
                #expect(try await lightctl("away").output.contains("\toff\t-\tDesk\t"))
                #expect(try await commands(client) == ["set Desk to 40%"])
            }
            // Over a restart, and as if it had begun half an hour ago: whoever left is gone by now.
            try await Self.age("\(path)/state", by: .seconds(1800))
            try await withDaemon(at: path, hosts) { client in
                try await until("the lights are known") {
                    let lights = try await client.get([LightBody].self, Routes.lights)
                    return lights.count == 5 && lights.allSatisfy { $0.freshness == .confirmed }
                }
                let away = try await client.get(AwayBody.self, Routes.away)
                #expect(away.on && away.lit == ["Desk"])
                #expect(try await commands(client) == ["set Desk to 40%"])
                #expect(try await client.get(StatusBody.self, Routes.status).away?.since == away.since)
                try await sign.give(to: bridge, lightctl)
                try await until("it ends") { try await !client.get(AwayBody.self, Routes.away).on }
                await bridge.controls.alter("Counter", by: .turning(.it(on: true)))
                try await until("the desk lamp is off") { try await light("Desk", client).power == .off }
                try await until("the counter's is on") { try await light("Counter", client).power == .on }
                let over = try await lightctl("--json", "away")
                #expect(over.output.contains(sign.rawValue) && over.output.contains(#""on":false"#), "\(over)")
                #expect(try await commands(client) == ["set Desk to 40%", "turn Desk off"])
            }
        }
    }

    /// Runs a bridge with lamps, a switch, a door and a motion sensor during the body, and offers the path of a directory
    /// for a daemon.
    private static func withBridge(
        _ body: @escaping @Sendable (_ bridge: SimulatedBridge, _ path: String) async throws -> Void
    ) async throws {
        let place = try TemporaryDirectory()
        defer { place.remove() }
        var settings = Settings(home: try HomeFile(yaml: home, path: "test"))
        settings.quirks = [.unlimited]
        settings.host = Loopback.next()
        let (bridge, path) = (try SimulatedBridge(settings, logger: silent), place.path)
        try await EndToEndTests.withBridge(bridge) { try await body(bridge, path) }
    }

    /// Somebody turned on the desk lamp at this time of day, on each of the last 28 days.
    private static func habits(_ contents: Archive.Contents) -> [(Timestamp, Message)] {
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        let lights = contents.memory.lights.map { $0.value } + contents.memory.unreadLights.map { $0.value }
        let ids = Dictionary(lights.map { ($0.name, $0.id) }, uniquingKeysWith: { first, _ in first })
        var messages: [(Timestamp, Message)] = []
        func use(_ name: String, _ day: Int, from start: Int, to end: Int) {
            guard let id = ids[name] else { return }
            let ticket = Ticket(number: 1, holder: "lightctl (uid 1000)", time: now)
            for (minute, report) in [
                (start, Light.Report(power: .on, brightness: 0.4, source: .command(ticket))),
                (end, Light.Report(power: .off, source: .command(ticket))),
            ] {
                let time = now.advanced(by: .seconds(minute * 60 - day * 86_400))
                messages.append(
                    (time, .lighting(.reported(.light(id, report)), ticket: .unasked(from: "bridge", at: time))))
            }
        }
        for day in stride(from: 28, to: 0, by: -1) {
            // So that the hours around this one are none in which nobody ever turned a lamp on.
            use("Sofa", day, from: -61, to: -56)
            use("Desk", day, from: 0, to: 120)
            use("Sofa", day, from: 61, to: 66)
        }
        return messages
    }

    private static func write(
        _ make: @escaping @Sendable (Archive.Contents) -> [(Timestamp, Message)], to state: String
    ) async throws {
        try await withDatabase(state) { database in
            for (time, message) in make(database.contents) { database.journal.append(message, Journal.Names(), time) }
            await database.flush()
        }
    }

    private static func age(_ state: String, by duration: Duration) async throws {
        try await withDatabase(state) { database in
            let replay = try #require(database.contents.presence)
            let older = replay.began.advanced(by: .zero - duration)
            let outcome = await withCheckedContinuation { continuation in
                database.archive.keep(.presence(replay.begun(older))) { continuation.resume(returning: $0) }
            }
            #expect(outcome == .succeeded)
        }
    }

    private static func withDatabase(
        _ state: String, _ body: @escaping @Sendable (StateDatabase) async throws -> Void
    ) async throws {
        let clock = Clock.stopped(at: Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)))
        let database = try StateDatabase.open(
            directory: state, journal: .on(entries: 100_000, bytes: 1 << 25, flush: .milliseconds(10)), clock: clock,
            logger: silent)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await database.run() }
            try await body(database)
            group.cancelAll()
            try await group.waitForAll()
        }
    }
}

extension Timestamp {
    fileprivate var iso8601Text: String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000).formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
