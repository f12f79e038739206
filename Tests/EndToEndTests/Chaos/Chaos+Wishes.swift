import ControlProtocol
import SimulatedBridge
import TestSupport

/// *No lost wish*: what somebody has asked for, and what cannot be done just now, is done once it can be.
extension Chaos {
    /// What lamps must show in the end.
    struct Wish {
        let words: String
        let lamps: [String: (isOn: Bool, level: Int?)]
        /// The acts that are finished then.
        let acts: Set<Int>

        func isFulfilled(in home: SimulatedHome) -> Bool {
            lamps.allSatisfy { name, wanted in
                guard let shown = home.lamp(called: name)?.lightState else { return false }
                return shown.isOn == wanted.isOn && (wanted.level.map { abs(shown.level - $0) <= 3 } ?? true)
            }
        }
    }

    /// What is asked for before a disturbance that must not lose it; `nil` if it concerns no wish, or a lamp is in use.
    func wish(before disturbance: Disturbance) async throws -> Wish? {
        switch disturbance {
        case .lateBridge: try await setTimers()
        case .lampWithoutMains: try await missCommand()
        default: nil
        }
    }

    /// Waits for it as long as lightd looks for a bridge that is back, or the bridge for a lamp.
    func judge(_ wish: Wish) async throws {
        defer { reserved.subtract(wish.lamps.keys) }
        let end = Instant.now + .seconds(40)
        while true {
            let home = await bridge.controls.home
            if wish.isFulfilled(in: home) { break }
            guard Instant.now < end else {
                let shown = wish.lamps.keys.sorted().map { "\($0): \(home.lamp(called: $0)?.lightState as Any)" }
                breaks("no lost wish", "\(wish.words); \(shown)\n" + daemon.lines.suffix(8).joined(separator: "\n"))
                break
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        history.finish(wish.acts, isCertain: true, at: .now)
    }

    private func reserve(_ lamps: [String]) -> Bool {
        guard reserved.isDisjoint(with: lamps), unpowered.isDisjoint(with: lamps), sunrises.isDisjoint(with: lamps)
        else { return false }
        reserved.formUnion(lamps)
        return true
    }

    /// A timer, and the step of another behind a wait, fall due when lightd runs again and its bridge does not.
    private func setTimers() async throws -> Wish? {
        let lamps = ChaosHome.rooms["Study"] ?? []
        guard lamps.count == 2, reserve(lamps) else { return nil }
        count("timers due before the bridge was there")
        for lamp in lamps {
            try await send(.set(.init(brightness: 30), target: lamp), to: [lamp], .it(true), .it(level(30)))
        }
        let home = await bridge.controls.home
        func asks(_ lamp: String, _ words: String, _ isOn: Bool, _ level: Int?) -> Int {
            history.begin(
                .lightd, words, lamp, .it(isOn), level.map { .it($0) } ?? .untouched, in: home, at: .now)
        }
        let shown = asks(lamps[1], "for a while", true, level(80))
        try await daemon.client.post(.schedule(steps: ["turn off \(lamps[0])"], after: 3))
        try await daemon.client.post(
            .schedule(steps: ["set \(lamps[1]) --brightness 80%", "wait 4s", "restore \(lamps[1])"]))
        try await Task.sleep(for: .milliseconds(1500))
        history.finish([shown], isCertain: true, at: .now)
        return Wish(
            words: "'turn off \(lamps[0])' in 3 s, and \(lamps[1]) for 4 s at 80% instead of 30%",
            lamps: [lamps[0]: (false, nil), lamps[1]: (true, level(30))],
            acts: [asks(lamps[0], "timer", false, nil), asks(lamps[1], "the end of a while", true, level(30))])
    }

    private nonisolated func waitUntilUnreachable(_ lamp: String) async throws {
        try await until("lightd knows that \(lamp) is out of reach", within: .seconds(90)) {
            try await lights()?.contains { $0.name == lamp && $0.freshness == .unreachable } == true
        }
    }

    /// A lamp without mains is asked for something, and then for something for a while, which ends before or after its
    /// mains are back.
    private func missCommand() async throws -> Wish? {
        let lamp = pick(["Counter", "Desk", "Sofa", "Stove"])
        guard reserve([lamp]) else { return nil }
        count("whiles at a lamp without mains")
        try await send(.set(.init(brightness: 60), target: lamp), to: [lamp], .it(true), .it(level(60)))
        await bridge.controls.mains(lamp, on: false)
        unpowered.insert(lamp)
        try await waitUntilUnreachable(lamp)
        for command in [
            Command.set(.init(brightness: 20), target: lamp),
            .schedule(steps: ["turn on \(lamp)", "wait 3s", "restore \(lamp)"]),
        ] {
            // The bridge says that the lamp may not follow.
            do { try await daemon.client.post(command) } catch is CommandRefused {}
        }
        try await Task.sleep(for: .milliseconds(Int(random.next() % 5000)))
        await restorePower(of: lamp)
        let home = await bridge.controls.home
        return Wish(
            words: "\(lamp) at 20%, asked for while it had no mains", lamps: [lamp: (true, level(20))],
            acts: [history.begin(.lightd, "what it missed", lamp, .it(true), .it(level(20)), in: home, at: .now)])
    }
}
