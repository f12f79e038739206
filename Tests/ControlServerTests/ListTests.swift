import ControlProtocol
import Foundation
import Lighting
import LightingTestKit
import Testing

@Suite struct ListTests {
    @Test func `lights come by room and name, in the units of commands`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let lights: [LightBody] = try await server.get(Routes.lights)
            #expect(lights.map(\.name) == ["Fan", "Sink", "Stove", "Desk"])
            let (fan, sink, desk) = (lights[0], lights[1], lights[3])
            #expect(sink.room == "Kitchen" && sink.zones == ["Evening"])
            #expect(sink.brightness == 25 && sink.hue == 120 && sink.saturation == 100 && sink.mode == .color)
            #expect(sink.color == "#00ff00")
            #expect(desk.temperature == 366 && desk.mode == .temperature && desk.limits.warmest == 500)
            #expect(desk.since == "2026-09-21T14:13:20.000Z" && desk.freshness == .confirmed)
            #expect(
                fan.brightness == nil && fan.color == nil && fan.hue == nil && fan.temperature == nil && fan.mode == nil
            )
        }
    }

    @Test(arguments: [
        ("desk", ["Desk"]), ("@Kitchen", ["Stove", "Sink", "Fan"]), ("study", ["Desk"]),
        ("all", ["Fan", "Sink", "Stove", "Desk"]), ("ecb5fafffe010203/sink", ["Sink"]),
    ])
    func `a target names its lights`(target: String, names: [String]) async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let lights: [LightBody] = try await server.get(Routes.path(Routes.lights, [(.target, target)]))
            #expect(lights.map(\.name) == names)
        }
    }

    @Test func `a target that is not there brings candidates`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let answer = try await server.get(Routes.path(Routes.lights, [(.target, "Stve")]))
            #expect(answer.status == 404)
            #expect(try answer.error.code == .noSuchTarget)
            #expect(try answer.error.candidates == ["Stove"])
        }
    }

    @Test func `rooms tell how much light is in them`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let rooms: [RoomBody] = try await server.get(Routes.rooms)
            #expect(rooms.map(\.name) == ["Kitchen", "Study", "Evening"])
            #expect(rooms.map(\.kind) == [.room, .room, .zone])
            // The plug is on and has no level.
            #expect(rooms[0].on == 2 && rooms[0].brightness == 25)
            #expect(rooms[2].brightness == 37.5)
            #expect(rooms[0].lights == ["stove", "sink", "plug"].map { "ecb5fafffe010203/\($0)" })
        }
    }

    @Test func `scenes, bridges and the dashboard are listed`() async throws {
        let lost = Bridge.make(
            id: Bridge.ID("00"), name: "Attic", address: .init(host: "fd00::1", port: 443),
            connection: .lost(since: .sample, because: .unreachable(Bridge.ID("00"), because: "no route")))
        let state = HomeFixture.state.alter(
            by: .adding(.bridge(lost)),
            .replacing(
                .dashboard(
                    by: Dashboard(pins: [
                        .init(.light(HomeFixture.desk.id), display: .scrubbing), .init(.room(HomeFixture.kitchen.id)),
                        .init(.all),
                        .init(.light(Light.ID(bridge: .sample, resource: "gone"))),
                    ]))))
        try await ServerFixture.run(in: state) { server in
            let scenes: [SceneBody] = try await server.get(Routes.scenes)
            #expect(scenes.map(\.name) == ["Relax"] && scenes[0].room == "Kitchen")
            let bridges: [BridgeBody] = try await server.get(Routes.bridges)
            #expect(bridges.map(\.name) == ["Attic", "Study bridge"])
            #expect(bridges[0].reason == "no route" && !bridges[0].connected && bridges[0].address == "[fd00::1]:443")
            #expect(bridges[1].connected && bridges[1].lights == 4)
            let pins: [PinBody] = try await server.get(Routes.dashboard)
            #expect(
                pins == [
                    PinBody(target: "ecb5fafffe010203/desk", name: "Desk", display: .scrubbing),
                    PinBody(target: "@ecb5fafffe010203/kitchen", name: "Kitchen", display: .slider),
                    PinBody(target: "all", name: "all", display: .slider),
                    PinBody(target: "ecb5fafffe010203/gone", display: .slider),
                ])
            // What is listed can be sent back, also when its light is gone.
            let reply = try await server.send(.unpin(target: pins[3].target))
            #expect(reply.dashboard?.count == 3)
        }
    }

    @Test func `the status counts what is on and what is in doubt`() async throws {
        let stale = Light.make("old", name: "Old", power: .off, freshness: .stale(since: .sample))
        try await ServerFixture.run(in: HomeFixture.state.alter(by: .adding(.light(stale)))) { server in
            await server.clock.advance(by: .milliseconds(2500))
            let status: StatusBody = try await server.get(Routes.status)
            #expect(status.version == "1.2.3" && status.started == "2026-09-21T14:13:20.000Z")
            #expect(status.uptimeSeconds == 2.5 && status.journal)
            #expect(status.lights == 5 && status.lightsOn == 3 && status.lightsInDoubt == 1)
        }
    }

    @Test func `it is alive and ready without any bridge`() async throws {
        try await ServerFixture.run { server in
            let answers = [try await server.get(Routes.live), try await server.get(Routes.ready)]
            #expect(answers.map(\.status) == [200, 200])
        }
    }

    @Test func `a connection serves one request after the other`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let client = try ClientFixture(server.place)
            for _ in 0..<3 { #expect(try await client.ask("GET", Routes.lights).status == 200) }
            #expect(try await client.ask("GET", "/nowhere").status == 404)
            #expect(try await client.ask("POST", Routes.messages, body: "{").status == 400)
            #expect(try await client.ask("GET", Routes.rooms).status == 200)
        }
    }
}

@Suite struct RefusalTests {
    @Test(arguments: [
        ("GET", "/v1/nothing", 404, ErrorCode.noSuchPath), ("POST", "/v1/lights", 405, .invalid),
        ("GET", "/v1/messages", 405, .invalid), ("DELETE", "/health/live", 405, .invalid),
        ("GET", "/v1/lights?room=x", 400, .invalid), ("GET", "/v1/rooms?target=x", 400, .invalid),
        ("GET", "/v1/lights?target=a&target=b", 400, .invalid), ("GET", "/v1/lights?target=%ff", 400, .invalid),
        ("GET", "/v1/log?limit=0", 400, .invalid), ("GET", "/v1/log?limit=10001", 400, .invalid),
        ("GET", "/v1/log?since=yesterday", 400, .invalid), ("GET", "/v1/log?after=x", 400, .invalid),
        ("GET", "/v1/log?feature=cooking", 400, .invalid),
    ])
    func `whatever is wrong is told in the one form`(method: String, path: String, status: Int, code: ErrorCode)
        async throws
    {
        try await ServerFixture.run { server in
            let answer = try await ClientFixture.ask(server.place, method, path)
            #expect(answer.status == status)
            #expect(try answer.error.code == code)
            #expect(answer.headers["content-type"] == "application/json")
            if status == 405 { #expect(answer.headers["allow"] != nil) }
        }
    }

    @Test(arguments: [
        ("", "JSON"), ("no json", "JSON"), ("[]", "object"), (#"{"to":"on"}"#, "command"),
        (#"{"command":"explode"}"#, "explode"),
        (#"{"command":"turn","to":"on","target":"all","colour":"red"}"#, "colour"),
        (#"{"command":"turn","to":"on"}"#, "target"), (#"{"command":"set","target":"Desk"}"#, "nothing to set"),
        (#"{"command":"set","target":"Desk","brightness":101}"#, "brightness"),
        (#"{"command":"set","target":"Desk","brightness":"much"}"#, "brightness"),
        (#"{"command":"set","target":"Desk","hue":10,"temperature":200}"#, "temperature"),
        (#"{"command":"set","target":"Desk","color":"red","hue":3}"#, "color"),
        (#"{"command":"set","target":"Desk","color":"loud"}"#, "loud"),
        (#"{"command":"turn","to":"on","target":"all","over":-1}"#, "over"),
        (#"{"command":"increase","value":"hue","by":-3,"target":"all"}"#, "by"),
        (#"{"command":"move","target":"all","place":0}"#, "place"), (#"{"command":"prune","days":-1}"#, "days"),
        (#"{"command":"rename","target":"Desk","name":""}"#, "name"),
        (#"{"command":"rename","target":"all","name":"x"}"#, "all"),
    ])
    func `a command that cannot be meant is refused and says what was expected`(body: String, word: String) async throws
    {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let answer = try await server.post(body)
            #expect(answer.status == 400)
            #expect(try answer.error.code == .invalid)
            let message = try answer.error.message
            #expect(message.contains(word), "\(message)")
            #expect(server.stack.requests.isEmpty)
        }
    }

    @Test func `a body of more than 64 KiB is too much, whether announced or not`() async throws {
        try await ServerFixture.run { server in
            let long = String(repeating: " ", count: 65_537)
            let announced = try await server.post(long)
            #expect(announced.status == 413)
            #expect(try announced.error.code == .invalid)
            let client = try ClientFixture(server.place)
            try await client.send(
                "POST /v1/messages HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n10001\r\n\(long)\r\n0\r\n\r\n"
            )
            #expect(try await client.answer().status == 413)
        }
    }
}
