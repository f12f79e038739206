import ControlProtocol
import Testing

@testable import lightctl

@Suite struct LiveViewTests {
    private func printed(_ view: inout LiveView, _ light: LightBody) -> [String] {
        view.take(light: light).compactMap { $0.text(.noon) }
    }

    @Test func `each change is printed once`() {
        var view = LiveView()
        #expect(printed(&view, .make()) == ["Desk: new, on, 40%, 2703K"])
        #expect(printed(&view, .make()) == [])
        #expect(printed(&view, .make(power: .off, freshness: .expected)) == ["Desk: off, not yet confirmed"])
        #expect(printed(&view, .make(power: .off)) == ["Desk: confirmed"])
        #expect(printed(&view, .make(brightness: 50)) == ["Desk: on, 50%"])
        #expect(printed(&view, .make("Lamp", id: "b/Desk", brightness: 50)) == ["Desk: renamed to Lamp"])
        #expect(
            printed(&view, .make("Lamp", id: "b/Desk", brightness: 50, freshness: .unreachable)) == [
                "Lamp: unreachable"
            ])
        #expect(printed(&view, .make("Lamp", id: "b/Desk", brightness: 50)) == ["Lamp: reachable again, on"])
        #expect(
            view.remove(.init(kind: "light", id: "b/Desk")).compactMap { $0.text(.noon) } == ["light Lamp: removed"])
        #expect(view.remove(.init(kind: "light", id: "b/Desk")) == [])
    }

    @Test func `what a sensor tells is printed, and what it only measures is not`() {
        var view = LiveView()
        func printed(_ sensor: SensorBody) -> [String] { view.take(sensor: sensor).compactMap { $0.text(.noon) } }
        var hall = SensorBody.make()
        #expect(printed(hall) == ["Hall: new, no motion, 12 lux, 20.5 °C, battery 80%"])
        hall.motion = .init(true, since: "2026-11-21T10:00:00Z")
        #expect(printed(hall) == ["Hall: motion"])
        hall.lightLevel = .init(200, since: "2026-11-21T10:00:00Z")
        #expect(printed(hall) == [])
        hall.freshness = .stale
        #expect(printed(hall) == ["Hall: stale: its bridge cannot be reached"])
        let press = PressBody(id: "b/dial", name: "Dial", button: 2, press: .releasedLong, time: "")
        #expect(LiveView.Change.press(press).text(.noon) == "Dial: button 2 released after being held")
        let turn = PressBody(id: "b/dial", name: "Dial", rotation: -90, time: "")
        #expect(LiveView.Change.press(turn).text(.noon) == "Dial: turned 90° counter-clockwise")
    }

    @Test func `a scene's new place is one line, also with its new name`() {
        var view = LiveView()
        func printed(_ scene: SceneBody) -> [String] { view.take(scene: scene).compactMap { $0.text(.noon) } }
        #expect(printed(SceneBody(id: "s", name: "Relax", bridge: "b")) == ["scene Relax: new"])
        #expect(printed(SceneBody(id: "s", name: "Relax", bridge: "b", place: 2)) == ["scene Relax: now at place 2"])
        #expect(
            printed(SceneBody(id: "s", name: "Rest", bridge: "b", place: 1))
                == ["scene Relax: renamed to Rest, now at place 1"])
        #expect(printed(SceneBody(id: "s", name: "Rest", bridge: "b")) == ["scene Rest: now by name"])
        #expect(printed(SceneBody(id: "s", name: "Rest", lights: ["b/x"], bridge: "b")) == [])
    }

    @Test func `a confirmation alone is reported, and its time alone is not`() {
        var view = LiveView()
        _ = view.take(light: .make(freshness: .expected))
        let change = view.take(light: .make())
        #expect(change.count == 1 && change[0].text(.noon) == "Desk: confirmed")
        var later = LightBody.make()
        later.since = "2026-11-21T09:59:00Z"
        #expect(view.take(light: later) == [])
    }

    @Test func `after a resync only the differences are printed`() {
        var view = LiveView()
        let room = RoomBody(id: "r", name: "Study", kind: .room, lights: ["b/Desk"], on: 1, bridge: "b")
        let scene = SceneBody(id: "s", name: "Relax", bridge: "b")
        _ = view.replace(lights: [.make(), .make("Old")], rooms: [room], scenes: [scene], bridges: [.make()])
        let same = view.replace(lights: [.make(), .make("Old")], rooms: [room], scenes: [scene], bridges: [.make()])
        #expect(same == [])
        let changes = view.replace(
            lights: [.make(power: .off)], rooms: [room], scenes: [], bridges: [.make(connected: false)])
        #expect(
            changes.compactMap { $0.text(.noon) } == [
                "bridge Home: lost since 10:42: no route", "Desk: off", "light Old: removed", "scene Relax: removed",
            ])
    }
}
