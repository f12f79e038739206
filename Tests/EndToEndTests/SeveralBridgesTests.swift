import ControlProtocol
import Foundation
import LightDaemon
import SimulatedBridge
import TestSupport
import Testing

/// Several bridges in one home, with rooms and lights of the same names.
@Suite(.timeLimit(.minutes(5)))
struct SeveralBridgesTests {
    /// Bridges with the limits of real ones.
    private static func homes(_ names: String...) throws -> [Settings] {
        try names.enumerated().map { try .flat($1, seed: UInt64($0 + 1)) }
    }

    @Test func `each bridge has its own connection and budget, and 'all' is one group command on each`() async throws {
        try await SeveralBridgesFixture.running(Self.homes("Left", "Middle", "Right")) { home in
            // The commands sent before count within the same second.
            try await Task.sleep(for: .seconds(1.1))
            for member in home.bridges { await member.controls.forgetRequests() }
            let off = try await home.client.post(.turn(to: .off, target: "all"), wait: true)
            #expect(off.lights?.count == 15)
            #expect(off.lights?.allSatisfy { $0.power == .off && $0.freshness == .confirmed } == true)
            for member in home.bridges {
                #expect(await member.commands.count == 1)
                #expect(try await member.record(home.client).groupCommands == 1)
            }

            for member in home.bridges { await member.controls.forgetRequests() }
            let lights = try await home.lights().filter { $0.name != "Fan" }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (place, light) in lights.enumerated() {
                    group.addTask {
                        // No two lights get the same value, so that no group command can be used.
                        for move in 0..<8 {
                            let level = Double(2 + (place * 7 + move * 3) % 90)
                            try await home.client.post(.set(.init(brightness: level), target: light.id))
                        }
                    }
                }
                try await group.waitForAll()
            }
            for member in home.bridges {
                let record = try await member.record(home.client)
                #expect(record.inFlight <= 3 && record.groupsPerSecond <= 2 && record.refused == 0, "\(record)")
                #expect(record.lightsPerSecond <= mostArrivalsPerSecond && record.lightCommands >= 20, "\(record)")
            }
            for light in lights {
                let place = lights.firstIndex { $0.id == light.id } ?? 0
                let level = Double(2 + (place * 7 + 7 * 3) % 90)
                let member = home.bridges.firstIndex { $0.id == light.bridge } ?? 0
                try await home.wait(for: light.name, of: member, "as it was set last") {
                    $0.freshness == .confirmed && abs(($0.brightness ?? 0) - level) < 1
                }
            }
        }
    }

    @Test func `each bridge has its own limit of requests in flight`() async throws {
        try await SeveralBridgesFixture.running(Self.homes("Left", "Middle", "Right")) { home in
            let lights = try await home.lights().filter { $0.name != "Fan" }
            for member in home.bridges {
                try await home.client.begin(fault: #"{"name":"latency","value":3000}"#, at: member.controlURL)
                await member.controls.forgetRequests()
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (place, light) in lights.enumerated() {
                    group.addTask {
                        // The second half waits for the first, so that on a busy machine it may be confirmed too late.
                        let refusal = try await home.refusal(
                            of: .set(.init(brightness: Double(10 + place)), target: light.id))
                        #expect(refusal == nil || refusal?.code == .unconfirmed)
                    }
                }
                try await group.waitForAll()
            }
            var times: [Date] = []
            for member in home.bridges { times += await member.commands.map(\.time) }
            // Each is in flight for three seconds, so that with a limit for all bridges together no more than three would
            // begin within them.
            let most = times.map { start in times.count { $0 >= start && $0 < start + 2.9 } }.max() ?? 0
            #expect(most > 3, "\(most) of \(times.count) commands in flight at three bridges")
        }
    }

    @Test(arguments: [
        #"{"name":"latency","value":1500}"#, #"{"name":"hang","path":"/clip"}"#, #"{"name":"busy","path":"/clip"}"#,
    ])
    func `a slow or silent bridge delays no other`(fault: String) async throws {
        try await SeveralBridgesFixture.running(Self.homes("Left", "Right")) { home in
            let (slow, fast) = (home.bridges[0], home.bridges[1])
            try await home.client.begin(fault: fault, at: slow.controlURL)
            let clock = ContinuousClock()
            try await withThrowingTaskGroup(of: Duration.self) { group in
                for command in [Command.set(.init(brightness: 20), target: "left/stove"), .load] {
                    group.addTask {
                        try await clock.measure { _ = try await home.refusal(of: command) }
                    }
                }
                var answers: [Duration] = []
                for level in 1...5 {
                    answers.append(
                        try await clock.measure {
                            try await home.client.post(
                                .set(.init(brightness: Double(level * 10)), target: "right/desk"))
                        })
                    _ = try await clock.measure { _ = try await home.lights() }
                }
                var slowest: [Duration] = []
                for try await one in group { slowest.append(one) }
                let (worst, least) = (try #require(answers.max()), try #require(slowest.min()))
                print(
                    "\(fault): \(answers.map { $0 / .milliseconds(1) }) ms, \(slowest.map { $0 / .milliseconds(1) }) ms"
                )
                #expect(worst < least)
            }
            // The lamps of the other bridge turn off before the command to all is answered.
            async let answered = {
                let refusal = try await home.refusal(of: .turn(to: .off, target: "all"))
                return (refusal: refusal, time: clock.now)
            }()
            try await until("the lamps of the other bridge are off") {
                for name in ["Stove", "Counter", "Desk", "Sofa", "Fan"] {
                    guard await fast.controls.lightState(of: name)?.isOn == false else { return false }
                }
                return true
            }
            let dark = clock.now
            let (refusal, time) = try await answered
            #expect(dark < time)
            _ = await slow.controls.end()
            // Nothing is lost: what was accepted is carried out when the bridge answers again. What was refused, because
            // the bridge had been lost for too long, is not.
            let codes = [refusal?.code] + (refusal?.parts ?? []).map(\.code)
            let isAccepted = !codes.contains(.bridgeUnreachable)
            try await home.wait(for: "Stove", of: 0, isAccepted ? "off" : "known", within: .seconds(120)) {
                $0.freshness == .confirmed && ($0.power == .off || !isAccepted)
            }
            if isAccepted {
                try await until("the lamp is off") { await slow.controls.lightState(of: "Stove")?.isOn == false }
            }
        }
    }

    @Test func `the lights of a lost bridge are stale, the others still work, and 'all' names what failed`()
        async throws
    {
        try await SeveralBridgesFixture.running(Self.homes("Left", "Right")) { home in
            home.bridges[0].controls.reboot(for: .seconds(600))
            try await until("the lost bridge's lights are stale") {
                try await home.lights().filter { $0.bridge == home.bridges[0].id }
                    .allSatisfy { $0.freshness == .stale }
            }
            let refused = try #require(try await home.refusal(of: .turn(to: .off, target: "all"), wait: false))
            #expect(refused.code == .partly && refused.code.exitCode == .partly, "\(refused)")
            #expect(
                Set(refused.parts?.map(\.target) ?? []) == [
                    "Left/Kitchen/Stove", "Left/Kitchen/Counter", "Left/Living/Desk", "Left/Living/Sofa",
                    "Left/Living/Fan",
                ], "\(refused)")
            #expect(refused.parts?.allSatisfy { $0.code == .bridgeUnreachable } == true)
            try await until("the lights of the other bridge are off") {
                try await home.lights().filter { $0.bridge == home.bridges[1].id }
                    .allSatisfy { $0.power == .off && $0.freshness == .confirmed }
            }
            try await until("the lamp is off") { await home.bridges[1].controls.lightState(of: "Stove")?.isOn == false }
            let waited = try await home.lightctl("on", "all", "--wait")
            #expect(waited.status == 7 && waited.errors.contains("Left/Living/Fan"), "\(waited)")
            let alone = try await home.lightctl("on", "left/stove")
            #expect(alone.status == 3, "\(alone)")
            #expect(try await home.lightctl("dim", "right/stove", "30%", "--wait").status == 0)
            let status = try await home.lightctl("status")
            #expect(status.output.contains("Left") && status.output.contains("Right"), "\(status)")
        }
    }

    @Test func `an ambiguous name lists candidates that each name one target, and 'all' means all`()
        async throws
    {
        try await SeveralBridgesFixture.running(Self.homes("Left", "Right")) { home in
            for (typed, count) in [("stove", 1), ("@kitchen", 2), ("kitchen/stove", 1), ("@living", 3)] {
                let refused = try #require(try await home.refusal(of: .turn(to: .off, target: typed)))
                #expect(refused.code == .ambiguousTarget && refused.candidates?.count == 2, "\(refused)")
                var seen: Set<String> = []
                for candidate in refused.candidates ?? [] {
                    let lights = try await home.client.post(.turn(to: .on, target: candidate)).lights ?? []
                    #expect(lights.count == count && Set(lights.map(\.bridge)).count == 1, "\(candidate)")
                    seen.formUnion(lights.map(\.id))
                }
                #expect(seen.count == 2 * count)
            }
            let scene = try #require(try await home.refusal(of: .recall(scene: "Evening")))
            #expect(scene.candidates == ["Left/Living/Evening", "Right/Living/Evening"], "\(scene)")
            #expect(try await home.client.post(.turn(to: .off, target: "all")).lights?.count == 10)
        }
    }

    @Test func `of two unpaired bridges one must be named; forgetting one leaves the other`()
        async throws
    {
        try await SeveralBridgesFixture.running(Self.homes("Flat", "Flat"), pairs: false) { home in
            let ids = home.bridges.map(\.id)
            let which = try await home.lightctl("pair", "--timeout", "5")
            #expect(which.status == 4 && ids.allSatisfy(which.errors.contains), "\(which)")
            let refused = try #require(try await home.refusal(of: .pair(seconds: 1)))
            #expect(refused.code == .whichBridge && refused.candidates == ids.sorted(), "\(refused)")
            for member in home.bridges {
                await member.controls.pressButton()
                #expect(try await home.lightctl("pair", member.id).status == 0)
            }
            try await until("all lights are known") { try await home.lights().count == 10 }
            // Two bridges have the same name: only their ids differ.
            let stove = try #require(try await home.refusal(of: .turn(to: .on, target: "stove")))
            #expect(Set(stove.candidates ?? []) == Set(ids.map { "\($0)/Kitchen/Stove" }), "\(stove)")
            for candidate in stove.candidates ?? [] {
                try await home.client.post(.turn(to: .on, target: candidate))
            }

            let forgotten = try await home.lightctl("forget", ids[0])
            #expect(forgotten.status == 0, "\(forgotten)")
            #expect(Set(try await home.lights().map(\.bridge)) == [ids[1]])
            await home.bridges[0].controls.forgetRequests()
            let all = try await home.client.post(.turn(to: .off, target: "all"), wait: true)
            #expect(all.lights?.count == 5)
            try await home.client.post(.turn(to: .on, target: "stove"), wait: true)
            #expect(await home.bridges[0].commands.isEmpty)
            #expect(await home.bridges[0].controls.lightState(of: "Stove")?.isOn == true)
        }
    }

    @Test func `a snapshot restores the lights of a bridge of API v1 and of one of API v2`() async throws {
        let homes = try [Settings.flat("Old", seed: 1) { $0.model = .round }, .flat("New", seed: 2)]
        try await SeveralBridgesFixture.running(homes) { home in
            try await home.client.post(.set(.init(color: "hsb(240,100%,60%)"), target: "old/desk"), wait: true)
            try await home.client.post(.set(.init(brightness: 35, color: "2700K"), target: "new/sofa"), wait: true)
            let before = try await home.lights()
            let snapshot = Command.apply(lights: before.map { Command.LightState(of: $0) })
            try await home.client.post(.set(.init(brightness: 80, color: "rgb(0,255,0)"), target: "all"), wait: true)
            try await home.client.post(.turn(to: .on, target: "all"), wait: true)

            let dry = try await home.client.post(snapshot, dryRun: true)
            #expect(Set(dry.requests?.map(\.bridge) ?? []) == Set(home.bridges.map(\.id)))
            #expect(
                dry.requests?.allSatisfy {
                    $0.path.hasPrefix($0.bridge == home.bridges[0].id ? "/api/KEY/" : "/clip/v2/")
                } == true)
            try await home.client.post(snapshot, wait: true)
            let after = try await home.lights()
            for (light, was) in zip(after, before) {
                #expect(light.id == was.id && light.power == was.power && light.freshness == .confirmed)
                guard was.power == .on else { continue }
                #expect(light.mode == was.mode, "\(light)")
                #expect(abs((light.brightness ?? 0) - (was.brightness ?? 0)) < 1, "\(light)")
                if was.mode == .temperature { #expect(light.temperature == was.temperature, "\(light)") }
                if was.mode == .color { #expect(abs((light.hue ?? 0) - (was.hue ?? 0)) < 8, "\(light)") }
            }
            // What bridges report differs a little from what was sent; nothing is sent again for that.
            for command in [snapshot, .apply(lights: after.map { Command.LightState(of: $0) })] {
                #expect(try await home.client.post(command, dryRun: true).requests == [])
            }
        }
    }

    @Test func `a polled round bridge works beside one with an event stream`() async throws {
        let homes = try [Settings.flat("Old", seed: 1) { $0.model = .round }, .flat("New", seed: 2)]
        try await SeveralBridgesFixture.running(homes, adjust: { $0.polling.interval = .seconds(1) }) { home in
            let bridges = try await home.client.get([BridgeBody].self, Routes.bridges)
            #expect(bridges.first { $0.name == "Old" }?.updates == .polling)
            #expect(bridges.first { $0.name == "New" }?.updates == .stream)
            let off = try await home.client.post(.turn(to: .off, target: "all"), wait: true)
            #expect(off.lights?.count == 10 && off.lights?.allSatisfy { $0.power == .off } == true)
            for member in home.bridges {
                #expect(await member.controls.home.lamps.allSatisfy { !$0.lightState.isOn })
                await member.controls.alter("Sofa", by: .turning(.it(on: true)), .setting(.level(to: 127)))
            }
            for member in 0...1 {
                try await home.wait(for: "Sofa", of: member, "on at 50 %") {
                    $0.power == .on && abs(($0.brightness ?? 0) - 50) < 1 && $0.cause.kind == .otherApp
                }
            }
            let undone = try await home.client.post(.undo(), wait: true)
            #expect(undone.skipped?.count == 2)
            try await home.wait(for: "Stove", of: 0, "as before") { $0.power == .on && $0.freshness == .confirmed }
            try await until("the lamp is on") { await home.bridges[1].controls.lightState(of: "Stove")?.isOn == true }
        }
    }
}

extension SeveralBridgesFixture.PairedBridge {
    var controlURL: String { "http://\(ready.host):\(ready.controlPort)" }
}
