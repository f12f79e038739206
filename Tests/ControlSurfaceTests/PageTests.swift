import ControlProtocol
import Foundation
import HashTreeCollections
import Khipu
import Lighting
import LightingTestKit
import Testing

@testable import ControlSurface

/// Laws of the page's view model, on homes of every kind.
@Suite struct PageTests {
    static let lost = Bridge.Connection.lost(since: .sample, because: .unreachable(.sample, because: "gone"))
    private static let attic = Light.make("attic", name: "Attic")
    private static let pinned = HomeFixture.state.alter(
        by: .adding(.light(attic)), .updating(.dashboard(by: .pinning(.it(.room(HomeFixture.kitchen.id))))),
        .updating(.dashboard(by: .pinning(.it(.light(attic.id))))),
        .updating(.dashboard(by: .pinning(.it(.all)))))

    /// Without bridges, without rooms, with empty ones, pinned, lost, silent, and with pins of what has gone.
    static let homes: [AppState] = [
        AppState(),
        HomeFixture.state,
        pinned,
        pinned.alter(by: .removing(.light(attic.id)), .removing(.room(HomeFixture.kitchen.id))),
        .make(lights: HomeFixture.lights),
        .make(lights: HomeFixture.lights, rooms: [.make("empty", name: ""), HomeFixture.evening]),
        .make(
            lights: [.make(name: "", freshness: .stale(since: .sample)), .plug("p", name: "")],
            rooms: [.make("x", name: "", lights: [.make()])], bridges: [.make(name: "", connection: lost)]),
        .make(
            lights: HomeFixture.lights.map {
                .make($0.id.resource, name: $0.name, freshness: .unreachable(since: .sample))
            }, rooms: HomeFixture.rooms),
    ]

    @Test(arguments: homes) func `every light is in one section besides the pinned ones`(home: AppState) {
        let page = Directory(home).page(for: PageReader(access: .full))
        let named = page.frame.sections.filter { $0.kind != .pinned }.flatMap(\.tiles)
        #expect(named.sorted() == home.lights.keys.map { "light/\($0)" }.sorted())
    }

    @Test(arguments: homes) func `there are tiles for what sections name, and for nothing else`(home: AppState) {
        let page = Directory(home).page(for: PageReader(access: .full))
        let named = page.frame.sections.flatMap { $0.tiles + [$0.whole].compactMap(\.self) }
        #expect(Set(named) == Set(page.tiles.keys))
        #expect(Set(page.frame.sections.map(\.id)).count == page.frame.sections.count)
        for (key, tile) in page.tiles { #expect(tile.key == key) }
    }

    @Test(arguments: homes) func `a target of a tile is what commands take`(home: AppState) throws {
        let directory = Directory(home)
        for tile in directory.page(for: PageReader(access: .full)).tiles.values {
            #expect(try directory.target(named: tile.target).key == tile.key)
        }
    }

    @Test(arguments: homes) func `a reader's page says the same, and can do nothing`(home: AppState) {
        let (full, read) = (
            Directory(home).page(for: PageReader(access: .full)),
            Directory(home).page(for: PageReader(access: .readOnly))
        )
        #expect(read.frame.access == .readOnly)
        #expect(read.tiles.values.allSatisfy { $0.can.isEmpty })
        #expect(full.tiles.values.allSatisfy { $0.can.contains(.switch) })
        #expect(
            read.tiles.mapValues { tile in
                var tile = tile
                tile.can = full.tiles[tile.key]?.can ?? []
                return tile
            } == full.tiles)
    }

    @Test(arguments: homes) func `a page that may only control offers neither names nor places to change`(
        home: AppState
    ) {
        let (full, control) = (
            Directory(home).page(for: PageReader(access: .full)),
            Directory(home).page(for: PageReader(access: .control))
        )
        for (key, tile) in full.tiles {
            #expect(control.tiles[key]?.can == tile.can.filter { ![.rename, .pin].contains($0) })
        }
        #expect(Directory(home).page(for: PageReader(access: .look)).tiles.values.allSatisfy { $0.can.isEmpty })
    }

    @Test(arguments: homes) func `nothing that a reader must hear is empty`(home: AppState) {
        let page = Directory(home).page(for: PageReader(access: .full))
        var texts = [page.frame.title, page.frame.summary]
        texts += page.frame.notices.flatMap { [$0.title, $0.text] }
        texts += page.frame.bridges.flatMap { [$0.title, $0.text] }
        texts += page.frame.sections.flatMap { section in
            [section.title] + section.scenes.map(\.title) + (section.kind == .pinned ? [] : [section.summary])
        }
        texts += page.tiles.values.flatMap { tile in
            [tile.title, tile.levelText, tile.valueText] + (tile.kind == .light ? [tile.why] : [])
                + [tile.place, tile.reason?.text].compactMap(\.self)
        }
        #expect(!texts.contains(""))
    }

    @Test(arguments: homes) func `a text with a time has one`(home: AppState) {
        let page = Directory(home).page(for: PageReader(access: .full))
        for tile in page.tiles.values where "\(tile.why)\(tile.reason?.text ?? "")".containsTime {
            #expect(tile.reason?.at.isEmpty == false)
        }
        for notice in page.frame.notices where notice.text.containsTime { #expect(notice.at != nil) }
        for bridge in page.frame.bridges where bridge.text.containsTime { #expect(bridge.at != nil) }
    }

    @Test func `a change of one lamp's brightness touches its tile and its groups' tiles only`() throws {
        for light in HomeFixture.state.lights.values where light.limits.dims {
            let after = HomeFixture.state.alter(
                by: .updating(.light(light.id, by: [.setting(.brightness(to: 0.66))])))
            let (old, new) = (
                Directory(HomeFixture.state).page(for: PageReader(access: .full)),
                Directory(after).page(for: PageReader(access: .full))
            )
            let groups = HomeFixture.rooms.filter { $0.lights.contains(light.id) }.map { "room/\($0.id)" }
            for (key, tile) in new.tiles {
                let isTouched = key == "light/\(light.id)" || groups.contains(key)
                #expect(isTouched || tile == old.tiles[key], "\(key)")
                let (text, before) = (try JSON.text(tile), try old.tiles[key].map { try JSON.text($0) })
                #expect(isTouched || text == before)
            }
            #expect(new.tiles["light/\(light.id)"] != old.tiles["light/\(light.id)"])
            #expect(new.frame == old.frame)
        }
    }

    @Test func `the events between two homes, applied to the first page, give the second`() throws {
        for old in Self.homes {
            for new in Self.homes {
                for access in TokenAccess.allCases {
                    let (before, after) = (Directory(old), Directory(new))
                    var tiles = before.page(for: PageReader(access: access)).tiles
                    var frame = before.page(for: PageReader(access: access)).frame
                    let events = try after.pageEvents(since: before, for: PageReader(access: access))
                    for event in events {
                        switch event.name {
                        case .tile:
                            let tile = try #require(
                                after.page(for: PageReader(access: access)).tiles.values.first {
                                    try JSON.text($0) == event.data
                                })
                            tiles[tile.key] = tile
                        case .frame:
                            #expect(event.data == (try JSON.text(after.page(for: PageReader(access: access)).frame)))
                            frame = after.page(for: PageReader(access: access)).frame
                        case .page, .automations: Issue.record("a step needs no whole page, and there are none")
                        }
                    }
                    let named = Set(frame.sections.flatMap { $0.tiles + [$0.whole].compactMap(\.self) })
                    #expect(
                        tiles.filter { named.contains($0.key) } == after.page(for: PageReader(access: access)).tiles)
                    #expect(frame == after.page(for: PageReader(access: access)).frame)
                    if old == new { #expect(events.isEmpty) }
                }
            }
        }
    }

    @Test func `in one process, a lamp that is dimmed sends its tile and those of its groups, and no frame`() throws {
        let latest = LatestState(HomeFixture.state, started: .sample)
        let before = latest.snapshot
        latest.update(
            to: before.state.alter(
                by: .updating(.light(HomeFixture.desk.id, by: [.setting(.brightness(to: 0.66))]))))
        let events = try latest.snapshot.home.pageEvents(since: before.home, for: PageReader(access: .full))
        #expect(events.map(\.name) == [.tile, .tile, .tile])
        let middle = latest.snapshot
        latest.update(
            to: middle.state.alter(by: .updating(.light(HomeFixture.desk.id, by: [.turning(.it(.off))]))))
        let next = try latest.snapshot.home.pageEvents(since: middle.home, for: PageReader(access: .full))
        #expect(next.map(\.name) == [.tile, .tile, .tile, .frame])
        let last = latest.snapshot
        latest.update(
            to: last.state.alter(by: .updating(.room(HomeFixture.study.id, by: .renaming(.it(to: "Den"))))))
        let renamed = try latest.snapshot.home.pageEvents(since: last.home, for: PageReader(access: .full))
        #expect(renamed.map(\.name) == [.tile, .tile, .frame])
        #expect(renamed[0].data.contains("Den"))
    }

    @Test func `a field without a value is null`() throws {
        let page = Directory(HomeFixture.state).page(for: PageReader(access: .full))
        let text = try JSON.text(try #require(page.tiles["light/\(HomeFixture.fan.id)"]))
        for field in ["level", "glow", "white", "color", "mode", "pin"] { #expect(text.contains("\"\(field)\":null")) }
        #expect(try JSON.text(page).contains("\"tiles\":{\""))
    }
}

extension String {
    fileprivate var containsTime: Bool { contains("{at}") || contains("{clock}") }
}
