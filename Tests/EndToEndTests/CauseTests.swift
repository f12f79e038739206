import ControlProtocol
import Foundation
import LightDaemon
import SimulatedBridge
import TestSupport
import Testing

/// The cause of a light's state, for each way to change it at a real bridge.
@Suite(.timeLimit(.minutes(5)))
struct CauseTests {
    @Test func `each kind of change has its own cause`() async throws {
        try await SeveralBridgesFixture.running([.flat("Flat", seed: 1) { $0.timeScale = 20 }]) { home in
            let controls = home.bridges[0].controls
            // Before any change.
            let found = try await home.light("Stove")
            #expect(found.cause.kind == .unseen && found.power == .on)

            // A command of lightctl, and one of an unnamed client.
            #expect(try await home.lightctl("dim", "stove", "40%", "--wait").status == 0)
            let said = try await home.light("Stove").cause
            #expect(said.kind == .command && said.by?.hasSuffix("uid \(getuid())) with lightctl") == true, "\(said)")
            #expect(said.what == "set Stove to 40%" && said.ticket != nil)
            try await home.client.post(.set(.init(brightness: 50), target: "stove"), wait: true)
            let asked = try await home.light("Stove").cause
            #expect(asked.kind == .command && asked.by?.hasSuffix("lightctl") == false, "\(asked)")
            #expect(asked.what == "set Stove to 50%" && asked.ticket != said.ticket)

            // A scene, recalled by us and by another app.
            try await home.client.post(.recall(scene: "Evening"))
            let ours = try await home.wait(for: "Sofa", "set by the scene") { $0.cause.kind == .scene }
            #expect(
                ours.temperature == 447 && ours.cause.what?.hasSuffix("Evening") == true && ours.cause.by == asked.by,
                "\(ours)")
            try await home.client.post(.turn(to: .off, target: "@living"), wait: true)
            let scene = try #require(try await home.client.get([SceneBody].self, Routes.scenes).first)
            // Late enough not to be taken for the scene that we recalled.
            try await Task.sleep(for: .seconds(2))
            try await home.put(
                0, "scene", String(scene.id.split(separator: "/")[1]), #"{"recall":{"action":"active"}}"#)
            let theirs = try await home.wait(for: "Sofa", "set by the other app's scene") {
                $0.power == .on && $0.cause.kind == .scene
            }
            #expect(theirs.cause.by == nil && theirs.cause.what?.hasSuffix("Evening") == true, "\(theirs.cause)")

            // Another app.
            try await home.put(0, light: "Counter", #"{"on":{"on":true},"dimming":{"brightness":70}}"#)
            let other = try await home.wait(for: "Counter", "set by the other app") { $0.power == .on }
            #expect(other.cause.kind == .otherApp && other.cause.by == nil, "\(other.cause)")
            let why = try await home.lightctl("why", "counter")
            #expect(why.status == 0 && why.output.contains("elsewhere"), "\(why)")

            // And the stove: at this time scale the bridge notices the cut below so soon that our own command for it
            // would otherwise count as missed, and be sent again (docs/gateway.md).
            try await home.put(0, light: "Stove", #"{"dimming":{"brightness":60}}"#)
            try await home.wait(for: "Stove", "another app's") { $0.cause.kind == .otherApp }

            // A wall switch.
            try await controls.report("Kitchen switch", .button(1, "initial_press", at: Date()))
            await controls.alter("Counter", by: .turning(.it(on: false)))
            let wall = try await home.wait(for: "Counter", "off by the switch") { $0.power == .off }
            #expect(wall.cause.kind == .accessory && wall.cause.by == "Kitchen switch", "\(wall.cause)")

            // Power is cut and comes back.
            await controls.mains("Stove", on: false)
            try await home.wait(for: "Stove", "unreachable") { $0.freshness == .unreachable }
            await controls.mains("Stove", on: true)
            let back = try await home.wait(for: "Stove", "back") { $0.freshness == .confirmed }
            #expect(back.cause.kind == .power && back.brightness == 100, "\(back)")

            // A change while lightd was not connected.
            controls.reboot(for: .seconds(1))
            try await home.wait(for: "Fan", "stale") { $0.freshness == .stale }
            await controls.alter("Fan", by: .turning(.it(on: true)))
            let fan = try await home.wait(for: "Fan", "on") { $0.freshness == .confirmed && $0.power == .on }
            #expect(fan.cause.kind == .unseen, "\(fan.cause)")
            // Lights that did not change keep their cause.
            #expect(try await home.light("Counter").cause == wall.cause)
            let stove = try await home.light("Stove")
            #expect(stove.cause == back.cause, "\(stove), \(back)")
        }
    }

    @Test func `a scene that reverses a command at once is shown as it is`() async throws {
        try await SeveralBridgesFixture.running([.flat("Flat", seed: 1)]) { home in
            try await home.client.post(.turn(to: .on, target: "sofa"), wait: true)
            // The bridge's events of these two come together, a second later: the sofa was never off in between.
            try await home.client.post(.turn(to: .off, target: "sofa"))
            try await home.client.post(.recall(scene: "Evening"), wait: true)
            let sofa = try await home.light("Sofa")
            #expect(sofa.power == .on && sofa.freshness == .confirmed && sofa.temperature == 447, "\(sofa)")
            try await home.client.post(.toggle(target: "sofa"), wait: true)
            // The bridge reports what it was asked for; the lamp follows by radio.
            try await until("the lamp is off") {
                await home.bridges[0].controls.lightState(of: "Sofa")?.isOn == false
            }
        }
    }

    @Test func `undo works on every bridge, and leaves what another app has changed since`() async throws {
        let homes = try [Settings.flat("Left", seed: 1), .flat("Right", seed: 2)]
        try await SeveralBridgesFixture.running(homes) { home in
            let before = try await home.lights()
            try await home.client.post(.set(.init(brightness: 30), target: "all"), wait: true)
            try await home.put(0, light: "Sofa", #"{"dimming":{"brightness":90}}"#)
            let theirs = try await home.wait(for: "Sofa", of: 0, "set by the other app") {
                $0.cause.kind == .otherApp && abs(($0.brightness ?? 0) - 90) < 1
            }
            let undone = try await home.lightctl("undo", "--wait")
            #expect(undone.status == 7 && undone.errors.contains("Left/Living/Sofa: changed since by"), "\(undone)")
            func check(_ what: String, _ isMeant: (LightBody, LightBody) -> Bool) async throws {
                for light in try await home.lights() where light.id != theirs.id && light.name != "Fan" {
                    let was = try #require(before.first { $0.id == light.id })
                    #expect(light.freshness == .confirmed && isMeant(light, was), "\(what): \(light), \(was)")
                    let member = home.bridges[home.bridges[0].id == light.bridge ? 0 : 1]
                    try await until("lamp \(light.name) shows it") {
                        await member.controls.lightState(of: light.name)?.isOn == (light.power == .on)
                    }
                }
                let sofa = try await home.light("Sofa", of: 0)
                #expect(sofa.brightness == theirs.brightness && sofa.cause == theirs.cause, "\(what)")
            }
            try await check("undone") { $0.power == $1.power && abs(($0.brightness ?? 0) - ($1.brightness ?? 0)) < 1 }
            let redone = try await home.client.post(.redo(), wait: true)
            // Redo restores the state before the undo, in which the sofa was as it is now.
            #expect(redone.skipped?.isEmpty == true && redone.lights?.count == 7, "\(redone.skipped ?? [])")
            try await check("redone") { light, _ in light.power == .on && abs((light.brightness ?? 0) - 30) < 1 }
        }
    }
}
