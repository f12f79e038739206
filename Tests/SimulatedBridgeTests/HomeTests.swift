import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

@Suite struct HomeTests {
    static let house: SimulatedHome = SimulatedHome(HomeFixture.built, seed: 1)

    @Test(arguments: 0..<20 as Range<UInt64>) func `the lamps of an active scene show it`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var home = Self.house
        for _ in 0..<200 {
            home = home.alter(by: random.change(of: home))
            for scene in home.scenes where scene.isActive {
                let mistaken = scene.actions.contains { action in
                    let lamp = home.lamp(action.lamp)
                    return lamp != lamp?.alter(by: action.changes)
                }
                guard mistaken else { continue }
                Issue.record("\(scene.name)")
                return
            }
        }
    }

    @Test func `a change of one lamp leaves the others alone`() {
        for lamp in Self.house.lamps {
            let altered = Self.house.alter(
                by: .updating(.lamp(lamp.id, by: [.renaming(.it(to: "X")), .turning(.it(on: true))])))
            let moved = zip(Self.house.lamps, altered.lamps).filter { $0 != $1 }.map(\.0.id)
            #expect(moved == [lamp.id])
            #expect(altered.groups == Self.house.groups && altered.scenes == Self.house.scenes)
        }
    }

    @Test func `a recall sets exactly the lamps of its group, and only this scene is active`() {
        for scene in Self.house.scenes {
            let home = Self.house.alter(by: .recalling(.scene(scene.id)))
            let group = home.groups.first { $0.id == scene.group }
            #expect(Set(scene.actions.map(\.lamp)) == Set(group?.lamps ?? []))
            for (before, after) in zip(Self.house.lamps, home.lamps) {
                let action = scene.actions.first { $0.lamp == before.id }
                #expect(after == before.alter(by: action?.changes ?? []))
                if let on = action?.on { #expect(after.isOn == on) }
            }
            #expect(home.scenes.filter(\.isActive).map(\.id) == [scene.id])
            #expect(home.alter(by: .recalling(.scene(scene.id))) == home, "a second recall changes nothing")
        }
    }

    @Test func `a recall switches off the lights of its room that the scene does not name`() throws {
        let home = SimulatedHome(.flat, seed: 1)
        let reading = try #require(home.scenes.first { $0.name == "Reading" })
        let lit = home.alter(by: home.lamps.map { .updating(.lamp($0.id, by: [.turning(.it(on: true))])) })
        let recalled = lit.alter(by: .recalling(.scene(reading.id)))
        #expect(recalled.lamps.filter(\.isOn).map(\.name) == ["Stove", "Counter", "Sofa"])
    }

    @Test func `changing a lamp ends its scene, renaming it does not`() throws {
        let home = SimulatedHome(.flat, seed: 1)
        let evening = try #require(home.scenes.first { $0.name == "Evening" })
        let desk = try #require(home.lamp(called: "desk"))
        func isActive(after change: Lamp.Change, on lamp: Lamp) -> Bool? {
            home.alter(by: .recalling(.scene(evening.id)), .updating(.lamp(lamp.id, by: [change]))).scenes
                .first { $0.id == evening.id }?.isActive
        }
        #expect(isActive(after: .turning(.it(on: false)), on: desk) == false)
        #expect(isActive(after: .setting(.level(to: 9)), on: desk) == false)
        #expect(isActive(after: .powering(.up), on: desk) == false)
        #expect(isActive(after: .renaming(.it(to: "Table")), on: desk) == true)
        #expect(isActive(after: .cutting(.mains), on: desk) == true)
        #expect(isActive(after: .turning(.it(on: false)), on: try #require(home.lamp(called: "Stove"))) == true)
    }

    @Test func `a lamp is found by name in any case, and by id`() throws {
        let home = SimulatedHome(.flat, seed: 1)
        let desk = try #require(home.lamp(called: "dEsK"))
        #expect(desk.name == "Desk")
        #expect(home.lamp(called: desk.id.description) == desk)
        #expect(home.lamp(called: "Attic") == nil)
    }
}
