import ControlProtocol
import Foundation
import Lighting
import LightingTestKit
import TestSupport
import Testing

@testable import ControlServer

@Suite struct ListTests {
    @Test func `every list is served`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let lights: [LightBody] = try await server.get(Routes.lights)
            let rooms: [RoomBody] = try await server.get(Routes.rooms)
            let scenes: [SceneBody] = try await server.get(Routes.scenes)
            let bridges: [BridgeBody] = try await server.get(Routes.bridges)
            let pins: [PinBody] = try await server.get(Routes.dashboard)
            let status: StatusBody = try await server.get(Routes.status)
            let counts: [Int] = [lights.count, rooms.count, scenes.count, bridges.count, pins.count]
            #expect(counts == [4, 3, 1, 1, 0])
            #expect(status.lights == 4)
        }
    }

    @Test func `a list that is asked for before the bridge was tried waits for its lights`() async throws {
        let notTried = AppState.make(
            bridges: [.make(connection: .lost(since: .sample, because: .notReachedYet(.sample)))])
        try await ServerFixture.run(in: notTried, connects: false) { server in
            async let lights: [LightBody] = server.get(Routes.lights)
            try await until("the list waits") { server.clock.isAwaited(within: .seconds(5)) }
            await server.change(.adding(.light(HomeFixture.desk)))
            await server.change(.adding(.bridge(.make())))
            #expect(try await lights.map(\.name) == ["Desk"])
        }
    }

    @Test(arguments: [
        ("lights", true), ("lights?target=all", true), ("lights?target=desk", false), ("rooms", true),
        ("sensors", true), ("sensors?target=all", true), ("scenes", false), ("bridges", false), ("dashboard", false),
    ])
    func `a list that lacks what a bridge has names the bridge`(path: String, isLacking: Bool) async throws {
        let id = Bridge.ID("001788fffe445566")
        let away = Failure.unreachable(id, because: "no answer in time")
        let attic = Bridge.make(id: id, name: "Attic", connection: .lost(since: .sample, because: away))
        try await ServerFixture.run(in: HomeFixture.state.alter(by: .adding(.bridge(attic)))) { server in
            func expectNamed(_ expected: String?) async throws {
                let answer = try await server.get("/v1/\(path)")
                #expect(answer.headers["x-lightd-unread-bridges"] == expected)
            }
            try await expectNamed(isLacking ? id.description : nil)
            // Of a bridge that was lost since, the last values are known.
            await server.change(.updating(.bridge(.sample, by: .losing(.it(at: .sample, because: away)))))
            try await expectNamed(isLacking ? id.description : nil)
            // It has no light, but lightd has read it.
            await server.change(.adding(.sensor(.make(bridge: id))))
            try await expectNamed(nil)
        }
    }

    @Test(arguments: [
        ("desk", ["Desk"]), ("@Kitchen", ["Stove", "Sink", "Fan"]), ("study", ["Desk"]),
        ("all", ["Fan", "Sink", "Stove", "Desk"]), ("ecb5fafffe010203/sink", ["Sink"]),
    ])
    func `a target selects its lights`(target: String, names: [String]) async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let lights: [LightBody] = try await server.get(Routes.path(Routes.lights, [(.target, target)]))
            #expect(lights.map(\.name) == names)
        }
    }

    @Test func `the sun is told for a day, and has no events where the place is not known`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let sun: SunBody = try await server.get(Routes.path(Routes.sun, [(.date, "2026-12-24")]))
            #expect(sun == SunBody(date: "2026-12-24", timeZone: "UTC", latitude: nil, longitude: nil, events: []))
            let answer = try await server.get(Routes.path(Routes.sun, [(.date, "2026-02-30")]))
            #expect(answer.status == 400)
            #expect(
                try answer.error.message
                    == "'date' is '2026-02-30', but must look like 2026-12-24, or be today, tomorrow or yesterday")
            let days = ["yesterday", "today", "Tomorrow"]
            var dates: [String] = []
            for day in days {
                let sun: SunBody = try await server.get(Routes.path(Routes.sun, [(.date, day)]))
                dates.append(sun.date)
            }
            let today: SunBody = try await server.get(Routes.sun)
            let first = try CivilDate(today.date)
            #expect(dates == [-1, 0, 1].map { "\(first.advanced(by: $0))" })
            for day in ["0001-01-01", "1899-12-31", "2200-01-01"] {
                let refused = try await server.get(Routes.path(Routes.sun, [(.date, day)]))
                #expect(try refused.error.message == "'date' is '\(day)', but must be from 1900-01-01 to 2199-12-31")
            }
        }
    }

    @Test func `an unknown target is answered with candidates`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let answer = try await server.get(Routes.path(Routes.lights, [(.target, "Stve")]))
            #expect(answer.status == 404)
            #expect(try answer.error.code == .noSuchTarget)
            #expect(try answer.error.candidates == ["Stove"])
        }
    }

    private static let sensors = HomeFixture.state.alter(
        by: .adding(.sensor(.make(room: HomeFixture.study.id))), .adding(.sensor(.dimmer())))

    @Test(
        arguments: [
            (nil, ["Hall", "Dimmer"]), ("hall", ["Hall"]), ("Study/Hall", ["Hall"]), ("@study", ["Hall"]),
            ("all", ["Hall", "Dimmer"]), ("ecb5fafffe010203/dimmer", ["Dimmer"]), ("@kitchen", []),
        ] as [(String?, [String])])
    func `sensors are served by room and name, and by a target`(target: String?, names: [String]) async throws {
        try await ServerFixture.run(in: Self.sensors) { server in
            let query = target.map { [(Routes.Query.target, $0)] } ?? []
            let sensors: [SensorBody] = try await server.get(Routes.path(Routes.sensors, query))
            #expect(sensors.map(\.name) == names)
            let status: StatusBody = try await server.get(Routes.status)
            let all: NamesBody = try await server.get(Routes.names)
            #expect(status.sensors == 2 && all.sensors == ["Hall", "Dimmer"])
        }
    }

    @Test func `an unknown sensor is answered with candidates`() async throws {
        try await ServerFixture.run(in: Self.sensors) { server in
            let answer = try await server.get(Routes.path(Routes.sensors, [(.target, "Dimer")]))
            #expect(answer.status == 404)
            #expect(try answer.error.code == .noSuchTarget && answer.error.candidates == ["Dimmer"])
        }
    }

    @Test func `a sensor has what it reported and when, and what it can report`() async throws {
        let state = Self.sensors.alter(
            by: .updating(
                .sensor(
                    Sensor.make().id,
                    by: .reporting(
                        .it(
                            Sensor.Report(motion: true, lightLevel: 12.34, temperature: 20.55, battery: 0.8),
                            at: .sample)))),
            .updating(
                .sensor(
                    Sensor.dimmer().id, by: .reporting(.it(Sensor.Report(press: .init(2, .releasedLong)), at: .sample)))
            ))
        try await ServerFixture.run(in: state) { server in
            let sensors: [SensorBody] = try await server.get(Routes.sensors)
            let (hall, dimmer) = (sensors[0], sensors[1])
            #expect(hall.room == "Study" && hall.motion?.value == true && hall.lightLevel?.value == 12.3)
            #expect(hall.temperature?.value == 20.6 && hall.battery?.value == 80)
            #expect(hall.reports == [.motion, .temperature, .battery, .lightLevel])
            #expect(dimmer.reports == [.battery, .buttons] && dimmer.battery == nil && dimmer.motion == nil)
            #expect(dimmer.buttons.map(\.last?.value) == [nil, .releasedLong, nil, nil])
        }
    }

    @Test func `a scene is served with its values`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            let scene: SceneValuesBody = try await server.get(Routes.path(Routes.scene, [(.scene, "kitchen/relax")]))
            #expect(scene.name == "Relax" && scene.room == "Kitchen" && scene.values.map(\.name) == ["Stove", "Sink"])
            #expect(try await server.get(Routes.path(Routes.scene, [(.scene, "relx")])).error.candidates == ["Relax"])
            let unnamed = try await server.get(Routes.scene)
            #expect(unnamed.status == 400)
            #expect(try unnamed.error.message == "'scene' is missing")
        }
    }

    @Test func `lightd is live and ready without any bridge`() async throws {
        try await ServerFixture.run { server in
            let answers = [try await server.get(Routes.live), try await server.get(Routes.ready)]
            #expect(answers.map(\.status) == [200, 200])
        }
    }

    @Test func `a connection serves one request after another`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let client = try ClientFixture(server.address)
            for _ in 0..<3 { #expect(try await client.ask("GET", Routes.lights).status == 200) }
            #expect(try await client.ask("GET", "/nowhere").status == 404)
            #expect(try await client.ask("POST", Routes.messages, body: "{").status == 400)
            #expect(try await client.ask("GET", Routes.rooms).status == 200)
        }
    }
}

@Suite struct RefusalTests {
    @Test(arguments: [
        ("GET", "/v1/nothing", 404, ErrorCode.noSuchPath), ("GET", "/v1/lights/", 404, .noSuchPath),
        ("GET", "//v1/lights", 404, .noSuchPath), ("PUT", "/v1/lights", 405, .invalid),
        ("POST", "/v1/lights", 405, .invalid),
        ("GET", "/v1/messages", 405, .invalid), ("DELETE", "/health/live", 405, .invalid),
        ("GET", "/v1/lights?room=x", 400, .invalid), ("GET", "/v1/rooms?target=x", 400, .invalid),
        ("GET", "/v1/lights?target=a&target=b", 400, .invalid), ("GET", "/v1/lights?target=%ff", 400, .invalid),
        ("GET", "/v1/log?limit=0", 400, .invalid), ("GET", "/v1/log?limit=10001", 400, .invalid),
        ("GET", "/v1/log?since=yesterday", 400, .invalid), ("GET", "/v1/log?after=x", 400, .invalid),
        ("GET", "/v1/log?feature=cooking", 400, .invalid),
        ("GET", "/v1/log?since=2026-02-30T00:00:00Z", 400, .invalid),
    ])
    func `every error has the same form`(method: String, path: String, status: Int, code: ErrorCode)
        async throws
    {
        try await ServerFixture.run { server in
            let answer = try await ClientFixture.ask(server.address, method, path)
            #expect(answer.status == status)
            #expect(try answer.error.code == code)
            #expect(answer.headers["content-type"] == "application/json")
            if status == 405 { #expect(answer.headers["allow"] == (path == Routes.messages ? "POST" : "GET, HEAD")) }
        }
    }

    @Test(arguments: ControlAPI.routes.filter { $0.methods.count == 2 }.map(\.path))
    func `HEAD is answered as GET is, without the body`(path: String) async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let client = try ClientFixture(server.address)
            try await client.send(
                "HEAD \(path) HTTP/1.1\r\nHost: x\r\n\r\nGET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
            let answer = try await client.answer(hasBody: false)
            #expect(answer.status != 405)
            #expect(try await client.answer().status == 200)
            let length = answer.headers["content-length"]
            if path == Routes.rooms { #expect(answer.status == 200 && length != nil && length != "0") }
        }
    }

    @Test(arguments: [
        ("{", "not JSON"), (#"{"command":"explode"}"#, "explode"),
        (#"{"command":"set","target":"Desk","brightness":101}"#, "'brightness'"),
    ])
    func `a wrong command is refused with what was expected`(body: String, words: String) async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let answer = try await server.post(body)
            #expect(answer.status == 400)
            #expect(try answer.error.message.contains(words))
            #expect(server.stack.requests.isEmpty)
        }
    }

    @Test func `a body of more than 2 MiB is refused, whether announced or not`() async throws {
        try await ServerFixture.run { server in
            let long = String(repeating: " ", count: APIRequest.largestBody + 1)
            let announced = try await server.post(long)
            #expect(announced.status == 413)
            #expect(try announced.error.code == .invalid)
            let client = try ClientFixture(server.address)
            try await client.send(
                "POST /v1/messages HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "200001\r\n\(long)\r\n0\r\n\r\n"
            )
            #expect(try await client.answer().status == 413)
        }
    }

    private static let lists = [
        Routes.lights, Routes.path(Routes.lights, [(.target, "@Kitchen")]), Routes.rooms, Routes.scenes, Routes.bridges,
        Routes.dashboard,
    ]

    @Test(arguments: lists) func `a list that has not changed is not sent again`(path: String) async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let first = try await server.get(path)
            let tag = try #require(first.headers["etag"])
            #expect(first.headers["cache-control"] == "private, no-cache")
            let again = try await server.get(path)
            #expect(again.headers["etag"] == tag && again.body == first.body)
            for known in [tag, "\"x\", \(tag)", "W/\(tag)", "*"] {
                let answer = try await server.get(path, ["If-None-Match": known])
                #expect(answer.status == 304 && answer.body.isEmpty && answer.headers["etag"] == tag)
            }
            for other in ["\"x\"", "x", String(tag.dropFirst()), "W/\"x\""] {
                #expect(try await server.get(path, ["If-None-Match": other]).status == 200)
            }
            await server.change(.updating(.light(HomeFixture.stove.id, by: [.renaming(.it(to: "Oven"))])))
            let changed = try await server.get(path, ["If-None-Match": tag])
            #expect(changed.status == 200 && changed.headers["etag"] != tag)
        }
    }

    @Test func `a target that is unknown is an error, whatever the client knows`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let tag = try #require(try await server.get(Routes.lights).headers["etag"])
            let path = Routes.path(Routes.lights, [(.target, "Stve")])
            #expect(try await server.get(path, ["If-None-Match": tag]).status == 404)
        }
    }
}
