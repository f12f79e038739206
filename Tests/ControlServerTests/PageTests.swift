import ControlProtocol
import ControlSurface
import Foundation
import Lighting
import LightingTestKit
import NIOCore
import ServerSentEvents
import Testing

@testable import ControlServer

@Suite struct PageTests {
    private static let sesame = AccessToken(
        name: "panel", access: .readOnly,
        // printf sesame | sha256sum
        digest: "d0c04f4b1951e4aeaaec8223ed2039e542f3aae805a6fa7f6d794e5afff5d272", created: .sample)
    private static let tcp = ControlServerSettings.TCP(host: "127.0.0.1", port: 0)

    /// The fields of a page that these tests look at.
    private struct Page: Decodable {
        struct Section: Decodable { let tiles: [String] }
        struct Tile: Decodable {
            let key: String
            let levelText: String
            let can: [String]
        }
        let access: TokenAccess
        let summary: String
        let sections: [Section]
        let tiles: [String: Tile]?
    }

    private func decoded<Body: Decodable>(_ event: ServerSentEvent?, _ name: String, as _: Body.Type) throws -> Body {
        let event = try #require(event)
        #expect(event.name == name)
        return try JSONDecoder().decode(Body.self, from: Data(event.data.utf8))
    }

    @Test func `the page is served with an entity tag, and to a reader without controls`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp, savedTokens: [Self.sesame]) { server in
            let answer = try await server.get(Routes.page)
            let tag = try #require(answer.headers["etag"])
            let page = try answer.decoded(Page.self)
            #expect(answer.status == 200 && page.access == .full && page.summary == "3 of 4 on")
            #expect(page.tiles?.count == 7 && page.sections.count == 3)
            #expect(page.tiles?.values.allSatisfy { $0.can.contains("switch") } == true)
            #expect(try await server.get(Routes.page, ["If-None-Match": tag]).status == 304)

            let port = ClientFixture.Address.port(try #require(server.port))
            let reader = ["Authorization": "Bearer sesame", "If-None-Match": tag]
            // Who had full access before must not go on with the page that shows controls.
            let read = try await ClientFixture.ask(port, "GET", Routes.page, reader)
            #expect(read.status == 200 && read.headers["etag"] != tag)
            let other = try read.decoded(Page.self)
            #expect(other.access == .readOnly && other.tiles?.values.allSatisfy(\.can.isEmpty) == true)
            #expect(try await ClientFixture.ask(port, "GET", Routes.page, [:]).status == 401)
            // What is kept for one is not served to the other.
            #expect(try await server.get(Routes.page).decoded(Page.self).access == .full)
        }
    }

    @Test func `the events begin with the page and go on with what changes`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let client = try ClientFixture(server.address)
            let answer = try await client.open(Routes.pageEvents)
            #expect(answer.status == 200 && answer.headers["content-type"] == "text/event-stream")
            let page = try decoded(try await client.event(), "page", as: Page.self)
            #expect(page.tiles?.count == 7)
            await server.change(
                .updating(.light(HomeFixture.desk.id, by: [.setting(.brightness(to: 0.75))])))
            let tile = try decoded(try await client.event(), "tile", as: Page.Tile.self)
            #expect(tile.key == "light/\(HomeFixture.desk.id)" && tile.levelText == "75%")
            let rooms = [
                try decoded(try await client.event(), "tile", as: Page.Tile.self),
                try decoded(try await client.event(), "tile", as: Page.Tile.self),
            ]
            #expect(rooms.map(\.key) == ["room/\(HomeFixture.study.id)", "room/\(HomeFixture.evening.id)"])
            await server.change(.updating(.light(HomeFixture.fan.id, by: [.turning(.it(.off))])))
            for _ in 1...2 { #expect(try await client.event()?.name == "tile") }
            let frame = try decoded(try await client.event(), "frame", as: Page.self)
            #expect(frame.summary == "2 of 4 on" && frame.tiles == nil)
        }
    }

    @Test func `the events name the version of the files that the index names`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let client = try ClientFixture(server.address)
            let version = try #require(try await client.open(Routes.pageEvents).headers["x-lightd-page"])
            let index = try #require(PageFiles.embedded.files["/"])
            #expect(String(buffer: index.bytes).contains("/assets/\(version)/app.js"))
        }
    }

    @Test func `a page that reconnects gets what it has missed, and the whole page if that is not known`() async throws
    {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let client = try ClientFixture(server.address)
            _ = try await client.open(Routes.pageEvents)
            let id = try #require(try await client.event()?.id)
            for level in [0.6, 0.7] {
                await server.change(
                    .updating(.light(HomeFixture.desk.id, by: [.setting(.brightness(to: level))])))
            }
            let again = try ClientFixture(server.address)
            _ = try await again.open(Routes.pageEvents, ["Last-Event-ID": id])
            // The newest state, not every step on the way.
            let tile = try decoded(try await again.event(), "tile", as: Page.Tile.self)
            #expect(tile.levelText == "70%")
            let stranger = try ClientFixture(server.address)
            _ = try await stranger.open(Routes.pageEvents, ["Last-Event-ID": "17"])
            #expect(try await stranger.event()?.name == "page")
        }
    }

    @Test func `a reader follows a page without controls`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp, savedTokens: [Self.sesame]) { server in
            let client = try ClientFixture(.port(try #require(server.port)))
            _ = try await client.open(Routes.pageEvents, ["Authorization": "Bearer sesame"])
            let page = try decoded(try await client.event(), "page", as: Page.self)
            #expect(page.access == .readOnly)
            let full = try ClientFixture(server.address)
            _ = try await full.open(Routes.pageEvents)
            #expect(try decoded(try await full.event(), "page", as: Page.self).access == .full)
            await server.change(
                .updating(.light(HomeFixture.desk.id, by: [.setting(.brightness(to: 0.75))])))
            #expect(try decoded(try await full.event(), "tile", as: Page.Tile.self).can.contains("dim"))
            #expect(try decoded(try await client.event(), "tile", as: Page.Tile.self).can.isEmpty)
        }
    }

    @Test func `a page that reconnects with other rights gets the whole page`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp, savedTokens: [Self.sesame]) { server in
            let port = ClientFixture.Address.port(try #require(server.port))
            let reader = ["Authorization": "Bearer sesame"]
            let (full, reading) = (try ClientFixture(server.address), try ClientFixture(port))
            _ = try await full.open(Routes.pageEvents)
            _ = try await reading.open(Routes.pageEvents, reader)
            let (fullID, readingID) = (try await full.event()?.id ?? "", try await reading.event()?.id ?? "")
            await server.change(.updating(.light(HomeFixture.desk.id, by: [.setting(.brightness(to: 0.75))])))
            for (address, headers, id, name) in [
                (server.address, [:], fullID, "tile"), (server.address, [:], readingID, "page"),
                (port, reader, fullID, "page"), (port, reader, readingID, "tile"),
            ] {
                let again = try ClientFixture(address)
                _ = try await again.open(Routes.pageEvents, headers.merging(["Last-Event-ID": id]) { $1 })
                #expect(try await again.event()?.name == name, "\(id)")
            }
        }
    }

    @Test func `a pin, a move and a display show on the page and on the dashboard at once`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let (page, list) = (try ClientFixture(server.address), try ClientFixture(server.address))
            _ = try await page.open(Routes.pageEvents)
            _ = try await list.open(Routes.events)
            _ = try await (page.event(), list.event())
            func pinned() async throws -> [String] {
                while let event = try await page.event() {
                    if event.name == "frame" {
                        let keys = try decoded(event, "frame", as: Page.self).sections[0].tiles
                        return keys.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
                    }
                }
                return []
            }
            let (desk, kitchen) = ("\(HomeFixture.desk.id)", "@\(HomeFixture.kitchen.id)")
            for (command, order) in [
                (Command.pin(target: desk), ["desk"]), (.pin(target: kitchen), ["desk", "kitchen"]),
                (.move(target: kitchen, place: 1), ["kitchen", "desk"]), (.unpin(target: desk), ["kitchen"]),
            ] {
                _ = try await server.send(command)
                #expect(try await pinned() == order)
                let pins: [PinBody] = try await list.event(.dashboard)
                #expect(pins.map { $0.target.split(separator: "/").last.map(String.init) } == order)
            }
            let shown = try await server.send(.show)
            #expect(shown.dashboard?.map(\.target) == [kitchen])
            _ = try await server.send(.display(target: kitchen, as: .scrubbing))
            let tile = try #require(try await page.event())
            #expect(tile.name == "tile" && tile.data.contains("\"display\":\"scrubbing\""))
            #expect(try await list.event(.dashboard, [PinBody].self).map(\.display) == [.scrubbing])
        }
    }
}
