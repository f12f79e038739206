import ControlProtocol
import Foundation
import HueWire
import LightDaemon
import Logging
import SimulatedBridge
import Synchronization
import TestSupport
import Testing

/// Commands, hands at the wall, cut mains and faults of the bridge, all at random and the same way for the same seed. At no time may a
/// light claim to be confirmed while the bridge has known otherwise for longer than the bound.
///
/// `LIGHTD_TEST_CHAOS_SECONDS` says how long; `make chaos` runs it for ten minutes.
@Suite(.timeLimit(.minutes(20)))
struct ChaosTests {
    /// Docs and users are told this one: a stream that leaves something out is noticed by the look that is taken once a minute,
    /// which may have to wait for a busy bridge.
    static let bound = Duration.seconds(75)

    @Test
    func `whatever goes wrong, no light is shown wrongly for longer than the bound, and nothing is lost in the end`()
        async throws
    {
        let environment = ProcessInfo.processInfo.environment
        let length = Duration.seconds(environment["LIGHTD_TEST_CHAOS_SECONDS"].flatMap(Int.init) ?? 40)
        let seed = environment["LIGHTD_TEST_CHAOS_SEED"].flatMap(UInt64.init) ?? 4
        let place = try TemporaryDirectory()
        defer { place.remove() }
        var settings = Settings(home: .flat)
        settings.seed = seed
        let bridge = try SimulatedBridge(settings, logger: silent)
        let log = LineCount()
        try await withBridge(bridge) {
            let ready = try await bridge.ready
            let host = Configuration.Host(host: ready.host, port: ready.httpsPort)
            try await withDaemon(at: place.path, [host], logger: log.logger) { client in
                await bridge.controls.pressButton()
                _ = try await client.post(.pair())
                try await until("the lights are known") {
                    try await client.get([LightBody].self, Routes.lights).count == 5
                }
                let chaos = Chaos(bridge: bridge, client: client, seed: seed)
                let watch = try await withThrowingTaskGroup(of: Comparison?.self) { group in
                    group.addTask { try await chaos.compare(for: length) }
                    group.addTask {
                        try await chaos.live(for: length)
                        return nil
                    }
                    var comparison: Comparison?
                    for try await one in group { comparison = one ?? comparison }
                    return try #require(comparison)
                }
                let summary =
                    "chaos of \(length), seed \(seed): \(await chaos.summary), \(watch), \(log.count) lines in the log"
                print(summary)
                #expect(watch.longest <= Self.bound, "\(summary)")
                try await chaos.calm()
                try await until("lightd and the bridge agree", within: .seconds(90)) { try await chaos.agrees() }
                // What is asked last is so: at the bridge, and at the lamps themselves.
                for light in ["Stove", "Counter", "Desk", "Sofa"] {
                    try await chaos.order(.set(.init(brightness: 62), target: light))
                }
                try await chaos.order(.turn(to: .on, target: "Fan"))
                try await until("all is as asked, everywhere", within: .seconds(30)) { try await chaos.isAll(at: 62) }
            }
        }
        // One line when the bridge goes and one when it is back, whatever happened in between.
        #expect(log.count < 20 + Int(length / .seconds(1)), "\(log.count) lines in the log")
    }
}

/// How lightd's picture and the bridge's compared.
private struct Comparison: CustomStringConvertible {
    var looks = 0
    var wrong = 0
    /// For how long a light that claimed to be confirmed was otherwise at the bridge.
    var longest = Duration.zero
    var worst = ""

    var description: String {
        "\(looks) looks, \(wrong) confirmed and otherwise at the bridge, the longest for \(longest) \(worst)"
    }
}

private actor Chaos {
    let bridge: SimulatedBridge
    let client: ControlClient
    private var random: SplitMix
    private var commands = 0
    private var refused: [String: Int] = [:]
    private var faults: [String: Int] = [:]
    private var hands = 0
    private var dark: [String] = []

    init(bridge: SimulatedBridge, client: ControlClient, seed: UInt64) {
        self.bridge = bridge
        self.client = client
        random = SplitMix(seed: seed)
    }

    var summary: String {
        let faults = faults.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        let refused = refused.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        return "\(commands) commands (failed: \(refused)), \(hands) hands, faults: \(faults)"
    }

    private static let lamps = ["Stove", "Counter", "Desk", "Sofa", "Fan"]

    /// Every fault that strikes requests, streams, limits and lamps, each for a while.
    private static let storms: [(String, String)] = [
        ("busy", #"{"name":"busy","value":429,"count":6,"method":"PUT"}"#),
        ("busy", #"{"name":"busy","value":503,"probability":0.5,"for":6}"#),
        ("latency", #"{"name":"latency","value":300,"for":8}"#), ("slow", #"{"name":"slow","value":1500,"for":8}"#),
        ("hang", #"{"name":"hang","count":1,"method":"PUT","for":8}"#),
        ("hang-up", #"{"name":"hang-up","probability":0.3,"for":6}"#), ("reset", #"{"name":"reset","count":2}"#),
        ("truncated", #"{"name":"truncated","count":2}"#), ("goaway", #"{"name":"goaway","value":20,"for":10}"#),
        ("stream-ends", #"{"name":"stream-ends","count":1}"#),
        ("silent-stream", #"{"name":"silent-stream","for":20}"#),
        ("lose-events", #"{"name":"lose-events","probability":0.3,"for":10}"#),
        ("duplicate-events", #"{"name":"duplicate-events","for":10}"#),
        ("reorder-events", #"{"name":"reorder-events","count":2}"#),
        ("error-event", #"{"name":"error-event","count":2}"#), ("unknown-ids", #"{"name":"unknown-ids","count":2}"#),
        ("unknown-types", #"{"name":"unknown-types","for":10}"#),
        ("split-stream", #"{"name":"split-stream","for":5}"#),
        ("stragglers", #"{"name":"stragglers","value":2,"count":1}"#),
        ("communication-errors", #"{"name":"communication-errors","probability":0.3,"for":10}"#),
        ("colour-shift", #"{"name":"colour-shift","value":60,"for":10}"#),
        ("reboot", #"{"name":"reboot","value":4}"#), ("lone-writes", #"{"name":"lone-writes","for":5}"#),
        ("events-429", #"{"name":"events-429","for":8}"#),
    ]

    func live(for length: Duration) async throws {
        let end = ContinuousClock.now + length
        try await withThrowingTaskGroup(of: Void.self) { group in
            while ContinuousClock.now < end {
                switch random.next() % 20 {
                case 0...10:
                    let command = command()
                    group.addTask { try await self.order(command) }
                case 11...14: await byHand()
                case 15: await mains()
                default:
                    if random.next() % 2 == 0 { try await storm() }
                }
                try await Task.sleep(for: .milliseconds(50 + Int(random.next() % 400)))
            }
            try await group.waitForAll()
        }
    }

    private func command() -> Command {
        let target = ["Stove", "Desk", "Sofa", "@kitchen", "@living", "all"][Int(random.next() % 6)]
        let over = random.next() % 3 == 0 ? Int(random.next() % 2000) : nil
        switch random.next() % 6 {
        case 0: return .turn(to: .on, target: target, over: over)
        case 1: return .turn(to: .off, target: target, over: over)
        case 2: return .set(.init(color: "#ff8800"), target: "Desk", over: over)
        case 3: return .set(.init(temperature: 200 + Int(random.next() % 200)), target: "Sofa", over: over)
        case 4: return .increase(.brightness, by: 10, target: target, over: over)
        default: return .set(.init(brightness: Double(1 + random.next() % 100)), target: target, over: over)
        }
    }

    /// A command that fails says so; what never happens is that it is not answered.
    func order(_ command: Command) async throws {
        commands += 1
        do {
            try await client.post(command)
        } catch let refusal as CommandRefused {
            refused[refusal.reply.error.code.rawValue, default: 0] += 1
        }
    }

    private func byHand() async {
        hands += 1
        let lamp = Self.lamps[Int(random.next() % 5)]
        let change: Lamp.Change =
            random.next() % 2 == 0
            ? .turning(.it(on: random.next() % 2 == 0)) : .setting(.level(to: 1 + Int(random.next() % 254)))
        await bridge.controls.alter(lamp, by: change)
    }

    private func mains() async {
        let lamp = Self.lamps[Int(random.next() % 4)]
        let isDark = dark.contains(lamp)
        await bridge.controls.mains(lamp, on: isDark)
        if isDark { dark.removeAll { $0 == lamp } } else { dark.append(lamp) }
    }

    private func storm() async throws {
        let (name, body) = Self.storms[Int(random.next() % UInt64(Self.storms.count))]
        faults[name, default: 0] += 1
        let ready = try await bridge.ready
        try await client.begin(fault: body, at: "http://\(ready.host):\(ready.controlPort)")
    }

    /// Everything ends that was wrong.
    func calm() async throws {
        await bridge.controls.end()
        for lamp in dark { await bridge.controls.mains(lamp, on: true) }
        dark = []
    }

    nonisolated func agrees() async throws -> Bool {
        let lights = try await client.get([LightBody].self, Routes.lights)
        let home = await bridge.controls.home
        return lights.allSatisfy { $0.freshness == .confirmed && $0.agrees(with: home) }
    }

    nonisolated func isAll(at level: Double) async throws -> Bool {
        let lights = try await client.get([LightBody].self, Routes.lights)
        var shown = true
        for lamp in Self.lamps {
            guard let lightState = await bridge.controls.lightState(of: lamp) else { return false }
            shown = shown && lightState.isOn && (lamp == "Fan" || abs(Double(lightState.level) / 2.54 - level) < 1)
        }
        return shown
            && lights.allSatisfy {
                $0.freshness == .confirmed && $0.power == .on
                    && ($0.name == "Fan" || abs(($0.brightness ?? 0) - level) < 1)
            }
    }

    /// Looks five times a second at what lightd claims.
    nonisolated func compare(for length: Duration) async throws -> Comparison {
        var comparison = Comparison()
        var wrongSince: [String: ContinuousClock.Instant] = [:]
        let end = ContinuousClock.now + length
        while ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(200))
            let before = await bridge.controls.home
            let lights = try await client.get([LightBody].self, Routes.lights)
            let after = await bridge.controls.home
            let now = ContinuousClock.now
            comparison.looks += 1
            for light in lights {
                // What changed while we looked says nothing.
                guard light.freshness == .confirmed, !light.agrees(with: before), !light.agrees(with: after) else {
                    wrongSince[light.name] = nil
                    continue
                }
                comparison.wrong += 1
                let since = wrongSince[light.name] ?? now
                wrongSince[light.name] = since
                if now - since > comparison.longest {
                    comparison.longest = now - since
                    comparison.worst = "(\(light.name): \(light.power) \(light.brightness ?? -1))"
                }
            }
        }
        return comparison
    }
}

extension LightBody {
    /// Whether the bridge knows the lamp so: lit or not, and how bright.
    fileprivate func agrees(with home: SimulatedHome) -> Bool {
        guard let lamp = home.lamps.first(where: { $0.name == name }) else { return false }
        guard lamp.lightState.isOn == (power == .on) else { return false }
        guard let brightness, power == .on else { return true }
        return abs(brightness - Double(lamp.lightState.level) / 2.54) <= 1
    }
}

/// How much a daemon said at "info" and above.
private final class LineCount: Sendable {
    private let lines = Mutex(0)

    var count: Int { lines.withLock { $0 } }

    var logger: Logger {
        var logger = Logger(label: "test") { [self] _ in Handler(note: { self.lines.withLock { $0 += 1 } }) }
        logger.logLevel = .info
        return logger
    }

    private struct Handler: LogHandler {
        let note: @Sendable () -> Void
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { note() }
    }
}
