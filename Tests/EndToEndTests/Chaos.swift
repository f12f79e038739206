import ControlProtocol
import Curl
import Foundation
import HueWire
import SimulatedBridge
import TestSupport

/// Commands, wall switches, power cuts and disturbances, the same for the same seed.
actor Chaos {
    let bridge: SimulatedBridge
    let daemon: DaemonProcess
    private var random: SplitMix
    private var commands = 0
    private var refused: [String: Int] = [:]
    private var wallSwitches = 0
    private var unpowered: [String] = []
    private var recoveries = RecoveryTimes()
    /// Whether it disturbs no longer.
    private(set) var isOver = false

    private static let lamps = ["Stove", "Counter", "Desk", "Sofa", "Fan"]

    init(bridge: SimulatedBridge, daemon: DaemonProcess, seed: UInt64) {
        self.bridge = bridge
        self.daemon = daemon
        random = SplitMix(seed: seed)
    }

    var summary: String {
        let refused = refused.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        return "\(commands) commands (failed: \(refused)), \(wallSwitches) wall switches"
    }

    /// Disturbs for this long: one disturbance at a time, all of them before one comes again, and after every fourth
    /// several at once.
    func run(for length: Duration) async throws -> RecoveryTimes {
        defer { isOver = true }
        let end = ContinuousClock.now + length
        var coming: [Disturbance] = []
        var count = 0
        while ContinuousClock.now < end {
            count += 1
            if coming.isEmpty { coming = Disturbance.all.shuffled(using: &random) }
            let some = count.isMultiple(of: 5) ? 4 : 1
            try await disturb(by: Array(coming.prefix(some)))
            coming.removeFirst(min(some, coming.count))
        }
        return recoveries
    }

    // MARK: - Disturbing

    private func disturb(by disturbances: [Disturbance]) async throws {
        let isMomentary = disturbances.allSatisfy(\.isMomentary)
        // One in four is long enough to be noticed by everything that watches the connection. After one that is over at
        // once the clock is running: what follows it must not take longer than the recovery.
        let steps = isMomentary ? 4 : random.next() % 4 == 0 ? 60 : 6 + Int(random.next() % 12)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let began = ContinuousClock.now
            for disturbance in disturbances {
                try await begin(disturbance)
                try await use(steps / disturbances.count, &group)
            }
            try await end(disturbances, begunAt: began)
            let ended = isMomentary ? began : .now
            let name = disturbances.count == 1 ? "\(disturbances[0])" : "several at once"
            try await measure(name, since: ended)
            try await group.waitForAll()
        }
    }

    private func begin(_ disturbance: Disturbance) async throws {
        switch disturbance {
        case let .fault(kind, with: more):
            let body = #"{"name":"\#(kind.rawValue)"\#(more.isEmpty ? "" : ",")\#(more)}"#
            let details = try await bridge.ready
            try await daemon.client.begin(fault: body, at: "http://\(details.host):\(details.controlPort)")
        case .stop: try await daemon.end(by: SIGTERM)
        case .kill: try await daemon.end(by: SIGKILL)
        }
    }

    private func end(_ disturbances: [Disturbance], begunAt began: ContinuousClock.Instant) async throws {
        for case .fault(.reboot, with: _) in disturbances {
            // Off for four seconds.
            try await Task.sleep(until: began + .seconds(4))
            _ = try await bridge.ready
        }
        await bridge.controls.end()
        guard !daemon.isRunning else { return }
        guard disturbances.contains(where: { [.stop, .kill].contains($0) }) else {
            throw TestError("lightd has ended: \(daemon.lines.suffix(5))")
        }
        try daemon.start()
    }

    /// Uses a wall switch, and records how long it takes until everything that lightd shows is true.
    private func measure(_ name: String, since ended: ContinuousClock.Instant) async throws {
        let isOn = await bridge.controls.home.lamp(called: "Fan")?.isOn == true
        await bridge.controls.alter("Fan", by: .turning(.it(on: !isOn)))
        var wrong = ""
        while let untrue = try await untrueLights() {
            guard .now - ended < .seconds(120) else { throw TestError("after '\(name)' it is still wrong: \(untrue)") }
            wrong = untrue
            try await Task.sleep(for: .milliseconds(20))
        }
        recoveries.record(name, .now - ended, wrong: wrong)
    }

    /// What lightd shows wrongly; `nil` if everything is true.
    private nonisolated func untrueLights() async throws -> String? {
        guard let lights = try await lights(), lights.count == Self.lamps.count else { return "lightd does not answer" }
        let home = await bridge.controls.home
        let untrue = lights.filter { !$0.isTrue(in: home) }
        return untrue.isEmpty ? nil : untrue.map { "\($0.name) \($0.freshness) \($0.power)" }.joined(separator: ", ")
    }

    /// What lightd shows; `nil` while it does not run.
    nonisolated func lights() async throws -> [LightBody]? {
        let starts = daemon.starts
        do {
            return try await daemon.client.get([LightBody].self, Routes.lights)
        } catch let error as CurlError {
            try mayBeUnanswered(since: starts, error)
            return nil
        }
    }

    /// A request is left unanswered only by a daemon that ends, or does not listen yet.
    private nonisolated func mayBeUnanswered(since starts: Int, _ error: CurlError) throws {
        guard case .noConnection = error else {
            if daemon.isRunning, !daemon.isEnding, daemon.starts == starts {
                throw TestError("a request was not answered: \(error); \(daemon.lines.suffix(3))")
            }
            return
        }
    }

    // MARK: - Using the lights

    private func use(_ steps: Int, _ group: inout ThrowingTaskGroup<Void, any Error>) async throws {
        for _ in 0..<steps {
            switch random.next() % 20 {
            case 0...11:
                let command = command()
                group.addTask { try await self.send(command) }
            case 12...16: await useWallSwitch()
            case 17: await togglePower()
            default: break
            }
            try await Task.sleep(for: .milliseconds(50 + Int(random.next() % 400)))
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

    /// A command may fail, but it is always answered, unless lightd ends.
    func send(_ command: Command) async throws {
        commands += 1
        let starts = daemon.starts
        do {
            try await daemon.client.post(command)
        } catch let error as CommandRefused {
            refused[error.reply.error.code.rawValue, default: 0] += 1
        } catch let error as CurlError {
            try mayBeUnanswered(since: starts, error)
            refused["lightd ended", default: 0] += 1
        }
    }

    private func useWallSwitch() async {
        wallSwitches += 1
        let lamp = Self.lamps[Int(random.next() % 5)]
        let change: Lamp.Change =
            random.next() % 2 == 0
            ? .turning(.it(on: random.next() % 2 == 0)) : .setting(.level(to: 1 + Int(random.next() % 254)))
        await bridge.controls.alter(lamp, by: change)
    }

    private func togglePower() async {
        let lamp = Self.lamps[Int(random.next() % 4)]
        let isUnpowered = unpowered.contains(lamp)
        await bridge.controls.mains(lamp, on: isUnpowered)
        if isUnpowered { unpowered.removeAll { $0 == lamp } } else { unpowered.append(lamp) }
    }

    // MARK: - The end

    /// Ends all power cuts.
    func restorePower() async {
        for lamp in unpowered { await bridge.controls.mains(lamp, on: true) }
        unpowered = []
    }

    nonisolated func agrees() async throws -> Bool {
        let home = await bridge.controls.home
        return try await lights()?.allSatisfy { $0.freshness == .confirmed && $0.agrees(with: home) } == true
    }

    nonisolated func isAll(at level: Double) async throws -> Bool {
        guard let lights = try await lights() else { return false }
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
}
