import ControlProtocol
import Foundation
import LightDaemon
import SimulatedBridge
import TestSupport
import Testing

/// Lamps that lose power and come back, on a bridge with a clock sixty times as fast.
@Suite(.timeLimit(.minutes(5)))
struct ReturningLampTests {
    private static let scale = 60.0

    private func home(
        returning policy: Configuration.Returning.Policy = .apply, keep: Duration = .seconds(600),
        _ body: @escaping @Sendable (SeveralBridgesFixture) async throws -> Void
    ) async throws {
        try await SeveralBridgesFixture.running(
            [.flat("Flat", seed: 1) { $0.timeScale = Self.scale }],
            adjust: {
                $0.returning.policy = policy
                $0.returning.keep = keep
            }, body)
    }

    /// Cuts the power of a lamp and waits until the bridge has noticed.
    private func cutPower(_ lamp: String, _ home: SeveralBridgesFixture) async throws {
        await home.bridges[0].controls.mains(lamp, on: false)
        try await home.wait(for: lamp, "unreachable") { $0.freshness == .unreachable }
    }

    /// The commands sent after a lamp returned, once lightd has had the time to send any.
    private func commandsAfterReturn(_ home: SeveralBridgesFixture) async throws -> [LoggedRequest] {
        // Twice as long as lightd waits after a lamp has returned.
        try await Task.sleep(for: .seconds(4))
        return await home.bridges[0].commands
    }

    @Test func `a lamp that returns gets the last command, and shows it`() async throws {
        try await home { home in
            let controls = home.bridges[0].controls
            try await cutPower("Stove", home)
            for level in [60.0, 20] {
                let refused = try #require(
                    try await home.refusal(of: .set(.init(brightness: level), target: "stove")))
                #expect(refused.code == .unconfirmed && refused.code.exitCode == .unconfirmed, "\(refused)")
                #expect(refused.message.contains("communication issues"), "\(refused)")
            }
            let said = try await home.lightctl("set", "stove", "--temperature", "300mirek")
            #expect(said.status == 5 && said.errors.contains("communication issues"), "\(said)")
            #expect(try await home.light("Stove").freshness == .unreachable)
            #expect(await controls.lightState(of: "Stove") == nil)

            await controls.mains("Stove", on: true)
            // It comes back at full brightness, which lightd then changes.
            #expect(await controls.lightState(of: "Stove")?.level == 254)
            try await until("the lamp shows the command") {
                let state = await controls.lightState(of: "Stove")
                return state?.isAbout(20) == true && state?.tint == .white(mirek: 300)
            }
            let stove = try await home.wait(for: "Stove", "as commanded") {
                $0.freshness == .confirmed && abs(($0.brightness ?? 0) - 20) < 1 && $0.temperature == 300
            }
            #expect(stove.cause.kind == .command, "\(stove.cause)")
            #expect(await controls.home.lamp(called: "Stove")?.lightState.isAbout(20) == true)
        }
    }

    /// What the bridge answers says nothing of it; only its list of what is connected does.
    @Test func `no verb that waits takes the bridge's word for a lamp out of reach, and each names the lamp`()
        async throws
    {
        try await SeveralBridgesFixture.running([
            .flat("Flat", seed: 1) {
                $0.timeScale = Self.scale
                $0.quirks = [try Fault("quiet-unreachable")]
            }
        ]) { home in
            try await cutPower("Desk", home)
            for command in [
                ["turn", "off", "all"], ["turn", "on", "all"], ["turn", "toggle", "@living"],
                ["set", "@living", "--brightness", "40%", "--over", "1s"],
                ["increase", "brightness", "@living"], ["decrease", "brightness", "@living"],
                ["recall", "living/evening"], ["undo"], ["redo"],
            ] {
                let end = try await home.lightctl(command + ["--wait"])
                #expect(end.status == 7 && end.errors.contains("Desk"), "\(command): \(end)")
                #expect(end.errors.contains("out of reach") && !end.errors.contains("Sofa"), "\(command): \(end)")
            }
            let alone = try await home.lightctl(["turn", "on", "desk", "--wait"])
            #expect(alone.status == 5 && alone.errors.contains("out of reach: 'Desk'"), "\(alone)")
            #expect(try await home.light("Desk").freshness == .unreachable)

            await home.bridges[0].controls.mains("Desk", on: true)
            try await home.wait(for: "Desk", "confirmed") { $0.freshness == .confirmed }
            let back = try await home.lightctl(["turn", "off", "all", "--wait"])
            #expect(back.status == 0, "\(back)")
        }
    }

    @Test func `a lamp that returns shows what undo returned it to, not the command that was undone`() async throws {
        try await SeveralBridgesFixture.running([
            .flat("Flat", seed: 1) {
                // Slow enough that undo comes before the bridge pretends that the lamp shows the command.
                $0.timeScale = 20
                $0.quirks = [try Fault("quiet-unreachable")]
            }
        ]) { home in
            let controls = home.bridges[0].controls
            try await home.client.post(.set(.init(brightness: 60), target: "sofa"), wait: true)
            try await cutPower("Sofa", home)
            // Each is kept for the lamp's return, and nothing else confirms it.
            for command in [Command.set(.init(brightness: 25), target: "sofa"), .undo()] {
                let refused = try #require(try await home.refusal(of: command, wait: true))
                #expect(refused.code == .unconfirmed && refused.message.contains("out of reach: 'Sofa'"), "\(refused)")
            }
            await controls.mains("Sofa", on: true)
            // It comes back at full brightness.
            try await until("the lamp is as before") { await controls.lightState(of: "Sofa")?.isAbout(60) == true }
            try await home.wait(for: "Sofa", "as before") {
                $0.freshness == .confirmed && abs(($0.brightness ?? 0) - 60) < 1
            }
            let why = try await home.light("Sofa").cause
            #expect(why.kind == .command && why.what?.hasSuffix("25%") != true, "\(why)")
        }
    }

    @Test(arguments: ["scene", "undo", "on"])
    func `what is asked in the seconds after a lamp's return replaces what was kept for it, and no more`(last: String)
        async throws
    {
        try await home { home in
            let controls = home.bridges[0].controls
            try await home.client.post(.set(.init(brightness: 60), target: "sofa"), wait: true)
            try await cutPower("Sofa", home)
            _ = try await home.refusal(of: .set(.init(brightness: 20), target: "sofa"), wait: true)
            await controls.mains("Sofa", on: true)
            try await home.wait(for: "Sofa", "back") { $0.freshness == .confirmed }
            let command: Command =
                switch last {
                case "scene": .recall(scene: "Evening")
                case "undo": .undo()
                default: .turn(to: .on, target: "sofa")
                }
            try await home.client.post(command, wait: true)
            // As long as what is kept waits, and a little longer.
            try await Task.sleep(for: .seconds(3))
            let level = last == "scene" ? 30.0 : last == "undo" ? 60 : 20
            let shown = await controls.lightState(of: "Sofa")
            #expect(shown?.isAbout(level) == true, "\(String(describing: shown))")
        }
    }

    @Test func `a command sent before the bridge noticed the power cut is kept too`() async throws {
        try await home { home in
            let controls = home.bridges[0].controls
            await controls.mains("Stove", on: false)
            // Accepted: the bridge has not noticed the power cut yet.
            try await home.client.post(.set(.init(brightness: 20), target: "@kitchen"))
            try await home.wait(for: "Stove", "unreachable") { $0.freshness == .unreachable }
            await controls.mains("Stove", on: true)
            try await until("the lamp shows the command") {
                await controls.lightState(of: "Stove")?.isAbout(20) == true
            }
            try await home.wait(for: "Stove", "as commanded") {
                $0.freshness == .confirmed && abs(($0.brightness ?? 0) - 20) < 1
            }
        }
    }

    @Test func `a lamp turned off without power is turned off when it returns, and a scene is kept too`()
        async throws
    {
        try await home { home in
            let controls = home.bridges[0].controls
            for lamp in ["Stove", "Sofa"] { try await cutPower(lamp, home) }
            _ = try await home.refusal(of: .turn(to: .off, target: "stove"))
            _ = try await home.refusal(of: .set(.init(brightness: 70), target: "sofa"))
            // The last command is the scene: 30 % and 447 mirek.
            _ = try await home.refusal(of: .recall(scene: "Evening"))
            for lamp in ["Stove", "Sofa"] { await controls.mains(lamp, on: true) }
            try await until("the lamps show the commands") {
                let (stove, sofa) = (await controls.lightState(of: "Stove"), await controls.lightState(of: "Sofa"))
                return stove?.isOn == false && sofa?.isAbout(30) == true && sofa?.tint == .white(mirek: 447)
            }
            try await home.wait(for: "Stove", "off") { $0.freshness == .confirmed && $0.power == .off }
        }
    }

    @Test func `with the policy leave a lamp that returns keeps its power-on state`() async throws {
        try await home(returning: .leave) { home in
            let controls = home.bridges[0].controls
            try await cutPower("Stove", home)
            #expect(try await home.refusal(of: .set(.init(brightness: 20), target: "stove"))?.code == .unconfirmed)
            await controls.forgetRequests()
            await controls.mains("Stove", on: true)
            let stove = try await home.wait(for: "Stove", "back") { $0.freshness == .confirmed }
            #expect(stove.power == .on && stove.brightness == 100 && stove.cause.kind == .power, "\(stove)")
            #expect(try await commandsAfterReturn(home).isEmpty)
            #expect(await controls.lightState(of: "Stove")?.level == 254)
        }
    }

    @Test func `a command to a lamp that is away for too long is dropped`() async throws {
        try await home(keep: .seconds(1)) { home in
            let controls = home.bridges[0].controls
            try await cutPower("Stove", home)
            #expect(try await home.refusal(of: .set(.init(brightness: 20), target: "stove"))?.code == .unconfirmed)
            await controls.forgetRequests()
            try await Task.sleep(for: .seconds(1.1))
            await controls.mains("Stove", on: true)
            let stove = try await home.wait(for: "Stove", "back") { $0.freshness == .confirmed }
            #expect(stove.brightness == 100 && stove.cause.kind == .power, "\(stove)")
            #expect(try await commandsAfterReturn(home).isEmpty)
            #expect(await controls.lightState(of: "Stove")?.level == 254)
        }
    }

    @Test func `a later change by another app is kept when the lamp returns`() async throws {
        try await home { home in
            let controls = home.bridges[0].controls
            try await cutPower("Stove", home)
            #expect(try await home.refusal(of: .set(.init(brightness: 20), target: "stove"))?.code == .unconfirmed)
            // The bridge reports it within a second.
            try await home.wait(for: "Stove", "as commanded") { abs(($0.brightness ?? 0) - 20) < 1 }
            try await home.put(0, light: "Stove", #"{"on":{"on":true},"dimming":{"brightness":70}}"#)
            try await home.wait(for: "Stove", "as set by the other app") { abs(($0.brightness ?? 0) - 70) < 1 }
            await controls.forgetRequests()
            await controls.mains("Stove", on: true)
            try await home.wait(for: "Stove", "back") { $0.freshness == .confirmed }
            #expect(try await commandsAfterReturn(home).isEmpty)
        }
    }

    @Test func `a short power cut that the bridge did not notice causes no commands`() async throws {
        try await home { home in
            let controls = home.bridges[0].controls
            try await home.client.post(.set(.init(brightness: 40), target: "stove"), wait: true)
            await controls.forgetRequests()
            await controls.mains("Stove", on: false)
            try await Task.sleep(for: .seconds(10) / Self.scale)
            await controls.mains("Stove", on: true)
            try await home.wait(for: "Stove", "as it came back") {
                $0.brightness == 100 && $0.freshness == .confirmed
            }
            #expect(try await commandsAfterReturn(home).isEmpty)
            #expect(await controls.lightState(of: "Stove")?.level == 254)
        }
    }

    @Test(arguments: [
        (ControlProtocol.Powerup.safety, true, 254), (.powerfail, false, 102), (.lastOnState, true, 102),
    ])
    func `the power-up setting is read, set and obeyed`(
        preset: ControlProtocol.Powerup, isOn: Bool, level: Int
    ) async throws {
        try await home { home in
            let controls = home.bridges[0].controls
            #expect(try await home.light("Stove").configuration.powerup == .safety)
            try await home.client.post(.set(.init(brightness: 40), target: "stove"), wait: true)
            try await home.client.post(.turn(to: .off, target: "stove"), wait: true)
            try await home.client.post(.configure(target: "@kitchen", .powerup(preset)))
            for lamp in ["Stove", "Counter"] {
                try await home.wait(for: lamp, "set") { $0.configuration.powerup == preset }
            }
            #expect(try await home.light("Desk").configuration.powerup == .safety)
            try await cutPower("Stove", home)
            await controls.mains("Stove", on: true)
            #expect(await controls.lightState(of: "Stove")?.isOn == isOn)
            let stove = try await home.wait(for: "Stove", "back") { $0.freshness == .confirmed }
            #expect(stove.power == (isOn ? .on : .off) && stove.configuration.powerup == preset, "\(stove)")
            if isOn { #expect(await controls.lightState(of: "Stove")?.level == level) }
            #expect(isOn == (stove.cause.kind == .power), "\(stove.cause)")
        }
    }
}

extension LightState {
    /// Whether it is on at this brightness, in percent.
    fileprivate func isAbout(_ percent: Double) -> Bool { isOn && abs(Double(level) / 2.54 - percent) < 1 }
}
