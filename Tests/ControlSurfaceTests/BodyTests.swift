import ControlProtocol
import ControlSurface
import Khipu
import Lighting
import LightingTestKit
import Testing

/// The home as surfaces list it.
@Suite struct BodyTests {
    private let home = Directory(HomeFixture.state)

    @Test func `lights are listed by room and name, in the units of commands`() {
        let lights = home.lightBodies
        #expect(lights.map(\.name) == ["Fan", "Sink", "Stove", "Desk"])
        let (fan, sink, desk) = (lights[0], lights[1], lights[3])
        #expect(sink.room == "Kitchen" && sink.zones == ["Evening"])
        #expect(sink.brightness == 25 && sink.hue == 120 && sink.saturation == 100 && sink.mode == .color)
        #expect(sink.color == "#00ff00")
        #expect(desk.temperature == 366 && desk.mode == .temperature && desk.limits.warmest == 500)
        #expect(desk.since == "2026-09-21T14:13:20.000Z" && desk.freshness == .confirmed)
        #expect(
            fan.brightness == nil && fan.color == nil && fan.hue == nil && fan.temperature == nil && fan.mode == nil)
    }

    @Test func `rooms have the number of lights that are on, and their mean brightness`() {
        let rooms = home.roomBodies
        #expect(rooms.map(\.name) == ["Kitchen", "Study", "Evening"])
        #expect(rooms.map(\.kind) == [.room, .room, .zone])
        // The plug is on and has no level.
        #expect(rooms[0].on == 2 && rooms[0].brightness == 25)
        #expect(rooms[2].brightness == 37.5)
        #expect(rooms[0].lights == ["stove", "sink", "plug"].map { "ecb5fafffe010203/\($0)" })
    }

    @Test func `a light is displayed as its pin is, also when lightd was killed and only the pin is left`() {
        let desk = Target.light(HomeFixture.desk.id)
        let state = HomeFixture.state.alter(
            by: .updating(.dashboard(by: .pinning(.it(desk)))),
            .updating(.dashboard(by: .toggling(.display(of: desk, to: .scrubbing)))))
        let home = Directory(state)
        #expect(home.lightBodies.map(\.display) == [.slider, .slider, .slider, .scrubbing])
        #expect(home.pinBodies.map(\.display) == [.scrubbing])
        let page = home.page(for: PageReader(access: .full))
        #expect(page.tiles["light/\(HomeFixture.desk.id)"]?.display == .scrubbing)
    }

    @Test(arguments: [
        (FirmwareUpdate.upToDate, "none"), (.pending, "pending"), (.ready, "ready"), (.installing, "installing"),
    ])
    func `a bridge has its firmware and whether there is a newer one`(update: FirmwareUpdate, word: String) throws {
        let bridge = Bridge.make(firmware: .init(version: "1.78", update: update))
        let body = try #require(Directory(.make(bridges: [bridge])).bridgeBodies.first)
        #expect(body.firmware == "1.78" && body.firmwareUpdate?.rawValue == word)
        let unknown = try #require(Directory(.make(bridges: [.make()])).bridgeBodies.first)
        #expect(unknown.firmware == nil && unknown.firmwareUpdate == nil)
    }

    @Test func `scenes, bridges and the dashboard are listed`() {
        let lost = Bridge.make(
            id: Bridge.ID("00"), name: "Attic", address: .init(host: "fd00::1", port: 443),
            connection: .lost(since: .sample, because: .unreachable(Bridge.ID("00"), because: "no route")))
        let home = Directory(
            HomeFixture.state.alter(
                by: .adding(.bridge(lost)),
                .replacing(
                    .dashboard(
                        by: Dashboard(pins: [
                            .init(.light(HomeFixture.desk.id), display: .scrubbing),
                            .init(.room(HomeFixture.kitchen.id)), .init(.all),
                            .init(.light(Light.ID(bridge: .sample, resource: "gone"))),
                        ])))))
        #expect(home.sceneBodies.map(\.name) == ["Relax"] && home.sceneBodies[0].room == "Kitchen")
        let bridges = home.bridgeBodies
        #expect(bridges.map(\.name) == ["Attic", "Study bridge"])
        #expect(bridges[0].reason == "no route" && !bridges[0].connected && bridges[0].address == "[fd00::1]:443")
        #expect(bridges[1].connected && bridges[1].lights == 4)
        #expect(
            home.pinBodies == [
                PinBody(target: "ecb5fafffe010203/desk", name: "Desk", display: .scrubbing),
                PinBody(target: "@ecb5fafffe010203/kitchen", name: "Kitchen", display: .slider),
                PinBody(target: "all", name: "all", display: .slider),
                PinBody(target: "ecb5fafffe010203/gone", display: .slider),
            ])
    }

    @Test func `a light in doubt does not count as on in its room`() {
        let lights = [
            Light.make("a", power: .on, brightness: 0.2), .make("b", power: .on, freshness: .stale(since: .sample)),
            .make("c", power: .off, freshness: .unreachable(since: .sample)),
            .make("d", power: .on, freshness: .unreachable(since: .sample)),
        ]
        let room = Directory(.make(lights: lights, rooms: [.make(lights: lights)])).roomBodies[0]
        #expect(room.on == 1 && room.unreachable == 2 && room.stale == 1 && room.brightness == 20)
        #expect(home.roomBodies[0].unreachable == nil && home.roomBodies[0].stale == nil)
    }

    @Test func `a polled bridge has its interval`() {
        let polled = Bridge.make(connection: .connected(since: .sample, by: .polling(every: .milliseconds(2500))))
        let body = Directory(.make(bridges: [polled])).bridgeBodies
        #expect(body.map(\.updates) == [.polling] && body.map(\.intervalSeconds) == [2.5])
        let streamed = Directory(.make()).bridgeBodies
        #expect(streamed.map(\.updates) == [.stream] && streamed.map(\.intervalSeconds) == [nil])
    }

    @Test func `the status counts the lights that are on and those in doubt`() async throws {
        let stale = Light.make("old", name: "Old", power: .on, freshness: .stale(since: .sample))
        try await SurfaceFixture.run(in: HomeFixture.state.alter(by: .adding(.light(stale)))) { surface in
            await surface.home.clock.advance(by: .milliseconds(2500))
            let status = surface.surface.status
            #expect(status.version == "1.2.3" && status.started == "2026-09-21T14:13:20.000Z")
            #expect(status.uptimeSeconds == 2.5 && status.journal)
            #expect(status.lights == 5 && status.lightsOn == 3 && status.lightsInDoubt == 1)
        }
    }

    @Test(arguments: [-1, 0, 999, 1000, 1_790_000_000_123, 253_402_300_799_999] as [Int64])
    func `a time survives a round trip through ISO 8601`(milliseconds: Int64) {
        let time = Timestamp(milliseconds: milliseconds)
        #expect(Timestamp(iso8601: time.iso8601) == time)
    }

    @Test func `times are written to the millisecond`() {
        #expect(Timestamp(milliseconds: 1_790_000_000_005).iso8601 == "2026-09-21T14:13:20.005Z")
        #expect(Timestamp(milliseconds: -1).iso8601 == "1969-12-31T23:59:59.999Z")
        #expect(Timestamp(iso8601: "2026-09-21T14:13:20") == nil)
        #expect(Timestamp(iso8601: "") == nil)
    }

    @Test func `a day or a time that does not exist, or has another form, is not read`() {
        for text in [
            "2026-02-30T00:00:00Z", "2026-02-29T12:00:00.5+02:00", "2026-01-01T24:00:00Z",
            "22026-02-28T23:59:026-11-2:00:00Z:00Z", "2026-11-21T10:00:00Z and later", "9999-12-31T23:59:59-01:00",
        ] {
            #expect(Timestamp(iso8601: text) == nil, "\(text)")
        }
        let leapDay = Timestamp(iso8601: "2028-02-29T23:30:00-01:00")
        #expect(leapDay != nil && leapDay == Timestamp(iso8601: "2028-03-01T00:30:00Z"))
    }
}
