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
        let old = HomeFixture.state
        let new = old.alter(
            by: .removing(.light(HomeFixture.fan.id)), .adding(.light(.make("new", name: "New"))),
            .updating(.room(HomeFixture.kitchen.id, by: .renaming(.it(to: "Galley")))),
            .removing(.room(HomeFixture.study.id)),
            .removing(.scene(HomeFixture.relax.id)))
        for (from, to) in [(old, new), (new, old), (AppState(), new), (new, AppState())] {
            var (lights, rooms, scenes) = (
                index(Directory(from).lightBodies), index(Directory(from).roomBodies),
                index(Directory(from).sceneBodies)
            )
            var bridges = index(Directory(from).bridgeBodies)
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
                    case "scene": #expect(scenes.removeValue(forKey: gone.id) != nil)
                    default: #expect(bridges.removeValue(forKey: gone.id) != nil)
                    }
                case .dashboard, .resync, .log: Issue.record("\(event)")
                }
            }
            #expect(lights == index(Directory(to).lightBodies))
            #expect(rooms == index(Directory(to).roomBodies))
            #expect(scenes == index(Directory(to).sceneBodies))
            #expect(bridges == index(Directory(to).bridgeBodies))
            #expect(try Directory(to).events(since: Directory(to)).isEmpty)
        }
    }

    private func index<Body: Identifiable>(_ bodies: [Body]) -> [Body.ID: Body] {
        Dictionary(uniqueKeysWithValues: bodies.map { ($0.id, $0) })
    }
}
