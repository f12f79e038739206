import ControlProtocol
import Foundation
import Lighting
import LightingTestKit
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

    @Test func `an unknown target is answered with candidates`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let answer = try await server.get(Routes.path(Routes.lights, [(.target, "Stve")]))
            #expect(answer.status == 404)
            #expect(try answer.error.code == .noSuchTarget)
            #expect(try answer.error.candidates == ["Stove"])
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
            if status == 405 { #expect(answer.headers["allow"] == (path == Routes.messages ? "POST" : "GET")) }
        }
    }

    @Test func `HEAD is refused like any other method`() async throws {
        try await ServerFixture.run { server in
            let client = try ClientFixture(server.address)
            try await client.send("HEAD /v1/lights HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await client.answer(hasBody: false).status == 405)
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
