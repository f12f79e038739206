import Curl
import Foundation
import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

extension OnTheWire {
    /// The control port: wall switches, mains, faults and the request log.
    @Suite struct ControlPortTests {
        @Test func `a wall switch toggles a lamp or sets it, by name or id`() async throws {
            try await withBridge { fixture in
                let desk = try await fixture.lamp("Desk")
                let steps: [(path: String, body: String?, on: Bool)] = [
                    ("/lights/Desk/switch", nil, true), ("/lights/desk/switch", nil, false),
                    ("/lights/\(desk.id)/switch", nil, true), ("/lights/%44esk/switch", #"{"on":true}"#, true),
                    ("/lights/Desk/switch", #"{"on":false}"#, false),
                ]
                for step in steps {
                    let response = try await fixture.control(.post, step.path, step.body)
                    #expect(response.status == 200)
                    #expect(try response.json == ["light": "Desk", "on": .bool(step.on)])
                    #expect(try await fixture.lamp("Desk").isOn == step.on)
                }
            }
        }

        @Test func `an update of the bridge's firmware is shown by both APIs until there is none`() async throws {
            try await withBridge { fixture in
                let key = try await fixture.pair()
                for (state, ofV1) in [
                    ("update_pending", "transferring"), ("ready_to_install", "readytoinstall"),
                    ("installing", "installing"), ("no_update", "noupdates"),
                ] {
                    let answer = try await fixture.control(.post, "/update", #"{"state":"\#(state)"}"#)
                    #expect(try answer.json == ["update": .string(state)])
                    let home = try await fixture.control(.get, "/home").json["data"]?.array ?? []
                    let bridge = try #require(home.first { $0["type"] == "bridge" }?["owner"])
                    let updates = home.filter { $0["type"] == "device_software_update" }
                    #expect(updates.filter { $0["owner"] == bridge }.map { $0["state"] } == [.string(state)])
                    #expect(updates.contains { $0["owner"] != bridge && $0["state"] == "no_update" }, "a lamp's")
                    let config = try await fixture.send(.get, "/api/\(key)/config").json
                    #expect(config["swupdate2"]?["bridge"]?["state"] == .string(ofV1))
                }
            }
        }

        @Test func `in the middle of a fade a lamp shows neither its old level nor the one the bridge reports`()
            async throws
        {
            try await withBridge { fixture in
                let key = try await fixture.pair()
                let stove = try await fixture.lamp("Stove")
                _ = try await fixture.put(
                    "light", stove.id, #"{"dimming":{"brightness":0},"dynamics":{"duration":60000}}"#, key: key)
                try await until("the fade has begun") {
                    let now = try? await fixture.control(.get, "/lights/Stove").json
                    return now?["shows"]?["brightness"]?.double.map { $0 < stove.percent } ?? false
                }
                let now = try await fixture.control(.get, "/lights/stove").json
                #expect(now["bridge"]?["brightness"] == 0)
                let shown = try #require(now["shows"]?["brightness"]?.double)
                #expect(shown > 40 && shown < stove.percent)
                #expect(now["mains"] == true && now["reachable"] == true)
            }
        }

        @Test func `commands of both APIs to one lamp are counted together`() async throws {
            try await withBridge { fixture in
                let key = try await fixture.pair()
                let desk = try await fixture.lamp("Desk")
                _ = try await fixture.put("light", desk.id, #"{"on":{"on":true}}"#, key: key)
                _ = try await fixture.send(.put, "/api/\(key)/lights/\(desk.number)/state", body: #"{"bri":9}"#)
                let response = try await fixture.control(.get, "/assertions?most_commands_per_target=1")
                #expect(response.status == 417)
                #expect(try response.json["record"]?["commands"] == .object(["light/\(desk.id)": 2]))
            }
        }

        @Test func `a lamp without mains is unreachable, and is on when mains return`() async throws {
            try await withBridge {
                $0.quirks = [.unlimited]
            } _: { fixture in
                let key = try await fixture.pair()
                var listener = try await fixture.listen(key: key)
                let desk = try await fixture.lamp("Desk")
                let off = try await fixture.control(
                    .post, "/lights/Desk/mains", #"{"on":false,"noticed":true}"#)
                #expect(try off.json == ["light": "Desk", "mains": "off"])
                let told = try await listener.news()
                #expect(told.map { $0["id"] } == [.id(desk.ids.connectivity)])
                #expect(told.first?["status"] == "connectivity_issue")
                let response = try await fixture.put("light", desk.id, #"{"dimming":{"brightness":10}}"#, key: key)
                #expect(response.status == 207)
                #expect(try response.envelope.errors.map(\.code) == ["communication_error"])
                let on = try await fixture.control(.post, "/lights/Desk/mains", #"{"noticed":true}"#)
                #expect(try on.json == ["light": "Desk", "mains": "on"])
                let woken = try await fixture.lamp("Desk")
                #expect(woken.hasMains && woken.isOn && woken.level == 254)
            }
        }

        @Test func `a lamp without mains is reported unreachable after a minute, and reachable when mains return`()
            async throws
        {
            try await withBridge {
                $0.quirks = [.unlimited]
                $0.timeScale = 600
            } _: { fixture in
                let key = try await fixture.pair()
                var listener = try await fixture.listen(key: key)
                let desk = try await fixture.lamp("Desk")
                let began = ContinuousClock.now
                try await fixture.control(.post, "/lights/Desk/mains", #"{"on":false}"#)
                let told = try await listener.news()
                #expect(ContinuousClock.now - began >= .milliseconds(100))
                #expect(told.map { $0["id"] } == [.id(desk.ids.connectivity)])
                #expect(told.first?["status"] == "connectivity_issue")
                #expect(try await fixture.lamp("Desk").isOn == false)
                try await fixture.control(.post, "/lights/Desk/mains", #"{"on":true}"#)
                let woken = try await listener.news()
                #expect(woken.contains { $0["id"] == .id(desk.id) && $0["on"]?["on"] == true })
                #expect(woken.contains { $0["id"] == .id(desk.ids.connectivity) && $0["status"] == "connected" })
            }
        }

        @Test func `switching on mains that are on changes nothing`() async throws {
            try await withBridge { fixture in
                let before = try await fixture.lamp("Desk")
                try await fixture.control(.post, "/lights/Desk/mains", #"{"on":true}"#)
                #expect(try await fixture.lamp("Desk") == before)
            }
        }

        @Test func `a fault starts, is listed with its remaining count and time, and ends`() async throws {
            try await withBridge { fixture in
                let begun = try await fixture.control(
                    .post, "/faults", #"{"name":"busy","count":2,"path":"/api","method":"GET"}"#)
                let entry: JSONValue = [
                    "name": "busy", "value": 503, "count": 2, "path": "/api", "method": "GET", "struck": 0,
                ]
                #expect(try begun.json == entry)
                for left in [1, 0] {
                    let refused = try await fixture.send(.get, "/api/config")
                    #expect(refused.status == 503 && refused.isPage)
                    let faults = try await fixture.control(.get, "/faults").json["faults"]?.array
                    #expect(faults?.compactMap { $0["count"] } == (left > 0 ? [.int(left)] : []))
                }
                #expect(try await fixture.send(.get, "/api/config").status == 200)
                try await fixture.control(.post, "/faults", #"{"name":"hang-up"}"#)
                try await fixture.control(.post, "/faults", #"{"name":"clock-wrong","value":-5,"for":100}"#)
                let one = try await fixture.control(.delete, "/faults/hang-up")
                #expect(try one.json == ["ended": ["hang-up"]])
                let left = try #require(try await fixture.control(.get, "/faults").json["faults"]?.array?.first)
                #expect(left["name"] == "clock-wrong" && left["value"] == -5)
                #expect((90...100).contains(left["for"]?.double ?? 0))
                #expect(try await fixture.control(.delete, "/faults").json == ["ended": ["clock-wrong"]])
                #expect(try await fixture.control(.delete, "/faults").json == ["ended": []])
                #expect(try await fixture.control(.get, "/faults").json == ["faults": []])
            }
        }

        @Test func `the catalogue of faults is served`() async throws {
            try await withBridge { fixture in
                let known = try #require(try await fixture.control(.get, "/faults?known").json["known"]?.array)
                #expect(known.compactMap { $0["name"]?.string } == FaultKind.allCases.map(\.rawValue))
                #expect(known.allSatisfy { $0["what"]?.string?.isEmpty == false && $0["seen"]?.array != nil })
            }
        }

        @Test func `the request log has each request's key, method, path, body, time and status`() async throws {
            try await withBridge { fixture in
                let key = try await fixture.pair()
                let desk = try await fixture.lamp("Desk")
                _ = try await fixture.put("light", desk.id, #"{"on":{"on":true}}"#, key: key)
                _ = try await fixture.sendPlainly(.get, "/api/config?a=b")
                let records = try #require(try await fixture.control(.get, "/requests").json.array)
                #expect(records.map { $0["method"] } == ["POST", "PUT", "GET"])
                #expect(
                    records.map { $0["path"] } == [
                        "/api", .string("/clip/v2/resource/light/\(desk.id)"), "/api/config?a=b",
                    ])
                #expect(records.map { $0["key"] } == [nil, .string(key), nil])
                #expect(records.map { $0["status"] } == [200, 200, 200])
                #expect(records.map { $0["secure"] } == [true, true, false])
                #expect(records[1]["body"] == #"{"on":{"on":true}}"#)
                let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
                let times = try records.map { try style.parse(try #require($0["time"]?.string)) }
                #expect(times == times.sorted())
                #expect(await fixture.controls.requests.map(\.path) == records.map { $0["path"]?.string })
            }
        }

        @Test func `the whole home is served`() async throws {
            try await withBridge { fixture in
                let response = try await fixture.control(.get, "/home")
                let documents = try await fixture.controls.home.documents.asRead
                #expect(try response.envelope.data == documents)
            }
        }

        @Test(
            arguments: [
                (.get, "/", nil, 404, "unknown route GET /; known routes: POST /button,"),
                (.get, "/button", nil, 404, "unknown route GET /button; known routes: "),
                (.post, "/nonsense", nil, 404, "unknown route POST /nonsense; known routes: "),
                (.post, "/lights/Moon/switch", nil, 404, "there is no light 'Moon'"),
                (.post, "/lights/Desk/dance", nil, 404, "unknown route POST /lights/Desk/dance; known routes: "),
                (.post, "/lights/Desk/switch", "on", 400, "the body must be a JSON object"),
                (.post, "/lights/Desk/switch", "[true]", 400, "the body must be a JSON object"),
                (.post, "/faults", "", 400, "a fault looks like {"),
                (.post, "/faults", "[1]", 400, "the body must be a JSON object"),
                (.post, "/faults", #"{"name":"nonsense"}"#, 400, "unknown fault 'nonsense'; known faults: busy"),
                (.post, "/faults", #"{"status":503,"count":1}"#, 400, "a fault looks like {"),
                (
                    .post, "/faults", #"{"name":"busy","value":1000}"#, 400,
                    "STATUS of 'busy' must be a whole number from 300"
                ),
                (
                    .post, "/faults", #"{"name":"mirek-null","value":"Moon"}"#, 400,
                    "there is no light 'Moon' for 'mirek-null'"
                ),
                (
                    .post, "/faults", #"{"name":"no-grouped-light","value":"Desk"}"#, 400,
                    "there is no room 'Desk' for 'no-grouped-light'"
                ),
                (.delete, "/faults/nonsense", nil, 404, "unknown fault 'nonsense'"),
                (.post, "/move", #"{"host":7}"#, 400, "host must be an address"),
                (
                    .post, "/move", #"{"host":"256.1.1.1"}"#, 400,
                    "host must be an address of this machine, not '256.1.1.1'"
                ),
                (
                    .post, "/move", #"{"host":"203.0.113.1"}"#, 400,
                    "host must be an address of this machine, not '203.0.113.1'"
                ),
                (
                    .post, "/faults", #"{"name":"move","value":"256.1.1.1"}"#, 400,
                    "'move' takes an address of this machine, not '256.1.1.1'"
                ),
                (.post, "/move", #"{"port":65536}"#, 400, "port must be a number from 0 to 65535"),
                (.post, "/move", #"{"port":-1}"#, 400, "port must be a number from 0 to 65535"),
                (.post, "/move", #"{"port":"https"}"#, 400, "port must be a number from 0 to 65535"),
                (.post, "/reboot", "{", 400, "the body must be a JSON object"),
                (
                    .post, "/update", #"{"state":"soon"}"#, 400,
                    "state must be one of no_update, update_pending, ready_to_install, installing"
                ),
                (.put, "/keys", nil, 404, "unknown route PUT /keys; known routes: "),
            ] as [(HTTPRequest.Method, String, String?, Int, String)])
        func `an invalid request is refused with an explanation, and nothing changes`(
            method: HTTPRequest.Method, path: String, body: String?, status: Int, words: String
        ) async throws {
            try await withBridge { fixture in
                let before = await fixture.controls.home
                let response = try await fixture.control(method, path, body)
                #expect(response.status == status)
                #expect(response.head["content-type"] == "application/json")
                #expect(try #require(try response.json["error"]?.string).hasPrefix(words))
                #expect(await fixture.controls.home == before)
                #expect(try await fixture.send(.get, "/api/config").status == 200)
            }
        }
    }
}
