import ControlProtocol
import ControlSurface
import Foundation
import HashTreeCollections
import Lighting
import LightingTestKit
import Testing

@Suite struct HomeEventTests {
    @Test func `a change of the home is signalled, and the newest state has it`() async throws {
        try await SurfaceFixture.run { surface in
            let latest = surface.surface.latest
            let before = latest.snapshot
            let subscriber = latest.changes.subscribe()
            surface.home.stack.tell(.light(HomeFixture.desk.id, Light.Report(brightness: 0.75)))
            for await _ in subscriber.signals
            where latest.snapshot.state.lights[HomeFixture.desk.id]?.brightness == 0.75 {
                break
            }
            #expect(latest.snapshot.id > before.id)
            // The room comes before the light that is in it.
            let events = try latest.snapshot.home.events(since: before.home)
            #expect(events.map(\.name) == [.room, .room, .light])
        }
    }

    @Test func `a subscriber that is cancelled receives nothing more`() async throws {
        try await SurfaceFixture.run { surface in
            let (one, other) = (surface.surface.latest.changes.subscribe(), surface.surface.latest.changes.subscribe())
            one.cancel()
            await surface.home.change(.updating(.dashboard(by: .pinning(.it(.all)))))
            for await _ in one.signals { Issue.record("a cancelled subscriber received a signal") }
            var signals = other.signals.makeAsyncIterator()
            #expect(await signals.next() == .changed)
        }
    }

    @Test func `the events between two states, applied to the first, give the second`() throws {
        let hall = Sensor.make(room: HomeFixture.study.id)
        let old = HomeFixture.state.alter(by: .adding(.sensor(hall)), .adding(.sensor(.dimmer())))
        let new = old.alter(
            by: .removing(.sensor(Sensor.dimmer().id)), .adding(.sensor(.make("bath", name: "Bath"))),
            .updating(.sensor(hall.id, by: .reporting(.it(Sensor.Report(motion: true), at: .sample)))),
            .removing(.light(HomeFixture.fan.id)), .adding(.light(.make("new", name: "New"))),
            .updating(.room(HomeFixture.kitchen.id, by: .renaming(.it(to: "Galley")))),
            .removing(.room(HomeFixture.study.id)),
            .removing(.scene(HomeFixture.relax.id)))
        func reporting(_ light: Light, _ power: Turn, because source: Cause.Kind) -> AppState.Change {
            .updating(
                .light(light.id, by: [.reporting(.it(Light.Report(power: power, source: source), at: .sample))]))
        }
        let relax = HomeFixture.relax
        let recalled = old.alter(
            by: relax.lights.flatMap { id in
                old.lights[id].map { light in
                    [Turn.on, .off].map { reporting(light, $0, because: .scene(relax.id, by: nil)) }
                } ?? []
            })
        let renamed = recalled.alter(by: .updating(.scene(relax.id, by: .renaming(.it(to: "Rest")))))
        let changed = renamed.alter(
            by: relax.lights.prefix(1).compactMap { old.lights[$0] }.map { reporting($0, .on, because: .otherApp) })
        #expect(Directory(changed).roomBodies.contains { $0.scene?.changed == true && $0.scene?.name == "Rest" })
        let ordered = changed.alter(by: .adding(.sceneOrder(SceneOrder(of: HomeFixture.kitchen.id, [relax.id]))))
        #expect(Directory(ordered).sceneBodies.map(\.place) == [1])
        let steps = [
            (old, recalled), (recalled, renamed), (renamed, changed), (changed, old), (changed, ordered),
            (ordered, changed),
        ]
        for (from, to) in steps + [(old, new), (new, old), (AppState(), new), (new, AppState())] {
            var (lights, rooms, scenes) = (
                index(Directory(from).lightBodies), index(Directory(from).roomBodies),
                index(Directory(from).sceneBodies)
            )
            var bridges = index(Directory(from).bridgeBodies)
            var sensors = index(Directory(from).sensorBodies)
            for event in try Directory(to).events(since: Directory(from)) {
                let data = Data(event.data.utf8)
                func put<Body: Decodable & Identifiable>(_ things: inout [Body.ID: Body]) throws {
                    let body = try JSONDecoder().decode(Body.self, from: data)
                    things[body.id] = body
                }
                switch event.name {
                case .light: try put(&lights)
                case .room: try put(&rooms)
                case .scene: try put(&scenes)
                case .bridge: try put(&bridges)
                case .removed:
                    let gone = try JSONDecoder().decode(RemovedBody.self, from: data)
                    switch gone.kind {
                    case "light": #expect(lights.removeValue(forKey: gone.id) != nil)
                    case "room": #expect(rooms.removeValue(forKey: gone.id) != nil)
                    case "sensor": #expect(sensors.removeValue(forKey: gone.id) != nil)
                    case "scene": #expect(scenes.removeValue(forKey: gone.id) != nil)
                    default: #expect(bridges.removeValue(forKey: gone.id) != nil)
                    }
                case .sensor: try put(&sensors)
                case .dashboard, .resync, .log, .press: Issue.record("\(event)")
                }
            }
            #expect(lights == index(Directory(to).lightBodies))
            #expect(rooms == index(Directory(to).roomBodies))
            #expect(scenes == index(Directory(to).sceneBodies))
            #expect(bridges == index(Directory(to).bridgeBodies))
            #expect(sensors == index(Directory(to).sensorBodies))
            #expect(try Directory(to).events(since: Directory(to)).isEmpty)
        }
    }

    private func index<Body: Identifiable>(_ bodies: [Body]) -> [Body.ID: Body] {
        Dictionary(uniqueKeysWithValues: bodies.map { ($0.id, $0) })
    }
}

/// What switches do is sent as it happens, and only then.
@Suite struct PressEventTests {
    private static let dial = Sensor.make(
        "dial", name: "Dial", room: HomeFixture.study.id, abilities: [.dial, .battery], buttons: 2)
    private static let home = HomeFixture.state.alter(by: .adding(.sensor(dial)))

    private func presses(from old: AppState, to new: AppState) throws -> [PressBody] {
        try Directory(new).events(since: Directory(old)).filter { $0.name == .press }.map {
            try JSONDecoder().decode(PressBody.self, from: Data($0.data.utf8))
        }
    }

    private func told(_ reports: Sensor.Report...) -> AppState {
        Self.home.alter(
            by: reports.map { .updating(.sensor(Self.dial.id, by: .reporting(.it($0, at: .sample)))) })
    }

    @Test func `presses and turns between two states are sent in their order, though the state has only the last`()
        throws
    {
        let now = told(
            Sensor.Report(press: .init(1, .pressed)), Sensor.Report(press: .init(1, .released)),
            Sensor.Report(rotation: -250))
        let presses = try presses(from: Self.home, to: now)
        #expect(presses.map(\.press) == [.pressed, .released, nil])
        #expect(presses.map(\.button) == [1, 1, nil] && presses.map(\.rotation) == [nil, nil, -90])
        #expect(presses.allSatisfy { $0.name == "Dial" && $0.room == "Study" })
        #expect(try self.presses(from: now, to: now) == [])
    }

    @Test func `what is only read is no press`() throws {
        let read = Sensor(
            id: Self.dial.id, name: "Dial", abilities: [.dial],
            buttons: [Sensor.Button(1, last: Sensor.Reading(.pressed, at: .sample)), Sensor.Button(2)],
            dial: Sensor.Reading(15, at: .sample))
        let caughtUp = Self.home.alter(by: .updating(.sensor(Self.dial.id, by: .reading(read))))
        #expect(caughtUp.sensors[Self.dial.id]?.dial?.value == 15)
        #expect(try presses(from: Self.home, to: caughtUp) == [])
        // Nor does it end what was told.
        let told = told(Sensor.Report(press: .init(2, .pressed)))
        let later = told.alter(by: .updating(.sensor(Self.dial.id, by: .reading(read))))
        #expect(try presses(from: told, to: later) == [] && presses(from: Self.home, to: later).count == 1)
    }
}
