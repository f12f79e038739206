import Curl
import Foundation
import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

extension OnTheWire {
    /// The port for hands and fuses.
    @Suite struct ControlPortTests {
        @Test func `somebody at the wall switches a lamp, by name or id, to and fro or as told`() async throws {
            try await withBridge { site in
                let desk = try await site.lamp("Desk")
                let steps: [(path: String, body: String?, on: Bool)] = [
                    ("/lights/Desk/switch", nil, true), ("/lights/desk/switch", nil, false),
                    ("/lights/\(desk.id)/switch", nil, true), ("/lights/%44esk/switch", #"{"on":true}"#, true),
                    ("/lights/Desk/switch", #"{"on":false}"#, false),
                ]
                for step in steps {
                    let answer = try await site.control(.post, step.path, step.body)
                    #expect(answer.status == 200)
                    #expect(try answer.json == ["light": "Desk", "on": .bool(step.on)])
                    #expect(try await site.lamp("Desk").isOn == step.on)
                }
            }
        }

        @Test func `what a lamp shows in the middle of a fade is neither where it was nor what the bridge says`()
            async throws
        {
            try await withBridge { site in
                let key = try await site.pair()
                let stove = try await site.lamp("Stove")
                _ = try await site.put(
                    "light", stove.id, #"{"dimming":{"brightness":0},"dynamics":{"duration":60000}}"#, key: key)
                try await until("the lamp has begun") {
                    let now = try? await site.control(.get, "/lights/Stove").json
                    return now?["shows"]?["brightness"]?.double.map { $0 < stove.percent } ?? false
                }
                let now = try await site.control(.get, "/lights/stove").json
                #expect(now["bridge"]?["brightness"] == 0)
                let shown = try #require(now["shows"]?["brightness"]?.double)
                #expect(shown > 40 && shown < stove.percent)
                #expect(now["mains"] == true && now["reachable"] == true)
            }
        }

        @Test func `commands of both APIs to one lamp are counted as of one`() async throws {
            try await withBridge { site in
                let key = try await site.pair()
                let desk = try await site.lamp("Desk")
                _ = try await site.put("light", desk.id, #"{"on":{"on":true}}"#, key: key)
                _ = try await site.ask(.put, "/api/\(key)/lights/\(desk.number)/state", body: #"{"bri":9}"#)
                let answer = try await site.control(.get, "/assertions?most_commands_per_target=1")
                #expect(answer.status == 417)
                #expect(try answer.json["record"]?["commands"] == .object(["light/\(desk.id)": 2]))
            }
        }

        @Test func `a lamp without mains is not reached, and wakes on`() async throws {
            try await withBridge {
                $0.quirks = [.unlimited]
            } _: { site in
                let key = try await site.pair()
                var ear = try await site.listen(key: key)
                let desk = try await site.lamp("Desk")
                let off = try await site.control(.post, "/lights/Desk/mains", #"{"on":false,"noticed":true}"#)
                #expect(try off.json == ["light": "Desk", "mains": "off"])
                let told = try await ear.news()
                #expect(told.map { $0["id"] } == [.id(desk.ids.connectivity)])
                #expect(told.first?["status"] == "connectivity_issue")
                let answer = try await site.put("light", desk.id, #"{"dimming":{"brightness":10}}"#, key: key)
                #expect(answer.status == 207)
                #expect(try answer.envelope.errors.map(\.code) == ["communication_error"])
                let on = try await site.control(.post, "/lights/Desk/mains", #"{"noticed":true}"#)
                #expect(try on.json == ["light": "Desk", "mains": "on"])
                let woken = try await site.lamp("Desk")
                #expect(woken.hasMains && woken.isOn && woken.level == 254)
            }
        }

        @Test func `a lamp that loses its mains is missed after a minute of the bridge's time, and heard of again`()
            async throws
        {
            try await withBridge {
                $0.quirks = [.unlimited]
                $0.timeScale = 600
            } _: { site in
                let key = try await site.pair()
                var ear = try await site.listen(key: key)
                let desk = try await site.lamp("Desk")
                let began = ContinuousClock.now
                try await site.control(.post, "/lights/Desk/mains", #"{"on":false}"#)
                let told = try await ear.news()
                #expect(ContinuousClock.now - began >= .milliseconds(100))
                #expect(told.map { $0["id"] } == [.id(desk.ids.connectivity)])
                #expect(told.first?["status"] == "connectivity_issue")
                #expect(try await site.lamp("Desk").isOn == false)
                try await site.control(.post, "/lights/Desk/mains", #"{"on":true}"#)
                let woken = try await ear.news()
                #expect(woken.contains { $0["id"] == .id(desk.id) && $0["on"]?["on"] == true })
                #expect(woken.contains { $0["id"] == .id(desk.ids.connectivity) && $0["status"] == "connected" })
            }
        }

        @Test func `mains that are as told already change nothing`() async throws {
            try await withBridge { site in
                let before = try await site.lamp("Desk")
                try await site.control(.post, "/lights/Desk/mains", #"{"on":true}"#)
                #expect(try await site.lamp("Desk") == before)
            }
        }

        @Test func `faults begin, are listed with what is left of them, and end`() async throws {
            try await withBridge { site in
                let begun = try await site.control(
                    .post, "/faults", #"{"name":"busy","count":2,"path":"/api","method":"GET"}"#)
                let entry: JSONValue = [
                    "name": "busy", "value": 503, "count": 2, "path": "/api", "method": "GET", "struck": 0,
                ]
                #expect(try begun.json == entry)
                for left in [1, 0] {
                    let refused = try await site.ask(.get, "/api/config")
                    #expect(refused.status == 503 && refused.isPage)
                    let faults = try await site.control(.get, "/faults").json["faults"]?.array
                    #expect(faults?.compactMap { $0["count"] } == (left > 0 ? [.int(left)] : []))
                }
                #expect(try await site.ask(.get, "/api/config").status == 200)
                try await site.control(.post, "/faults", #"{"name":"hang-up"}"#)
                try await site.control(.post, "/faults", #"{"name":"clock-wrong","value":-5,"for":100}"#)
                let one = try await site.control(.delete, "/faults/hang-up")
                #expect(try one.json == ["ended": ["hang-up"]])
                let left = try #require(try await site.control(.get, "/faults").json["faults"]?.array?.first)
                #expect(left["name"] == "clock-wrong" && left["value"] == -5)
                #expect((90...100).contains(left["for"]?.double ?? 0))
                #expect(try await site.control(.delete, "/faults").json == ["ended": ["clock-wrong"]])
                #expect(try await site.control(.delete, "/faults").json == ["ended": []])
                #expect(try await site.control(.get, "/faults").json == ["faults": []])
            }
        }

        @Test func `the catalogue of faults is told`() async throws {
            try await withBridge { site in
                let known = try #require(try await site.control(.get, "/faults?known").json["known"]?.array)
                #expect(known.compactMap { $0["name"]?.string } == FaultKind.allCases.map(\.rawValue))
                #expect(known.allSatisfy { $0["what"]?.string?.isEmpty == false && $0["seen"]?.array != nil })
            }
        }

        @Test func `the record says who asked what, when, and what was answered`() async throws {
            try await withBridge { site in
                let key = try await site.pair()
                let desk = try await site.lamp("Desk")
                _ = try await site.put("light", desk.id, #"{"on":{"on":true}}"#, key: key)
                _ = try await site.askPlainly(.get, "/api/config?a=b")
                let records = try #require(try await site.control(.get, "/requests").json.array)
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
                #expect(await site.controls.requests.map(\.path) == records.map { $0["path"]?.string })
            }
        }

        @Test func `the home is told, whole`() async throws {
            try await withBridge { site in
                let answer = try await site.control(.get, "/home")
                let documents = try await site.controls.home.documents.asRead
                #expect(try answer.envelope.data == documents)
            }
        }

        @Test(
            arguments: [
                (.get, "/", nil, 404, "there is no GET / here; there are POST /button,"),
                (.get, "/button", nil, 404, "there is no GET /button here"),
                (.post, "/nonsense", nil, 404, "there is no POST /nonsense here"),
                (.post, "/lights/Moon/switch", nil, 404, "there is no light 'Moon'"),
                (.post, "/lights/Desk/dance", nil, 404, "a light has 'switch' and 'mains', but no 'dance'"),
                (.post, "/lights/Desk/switch", "on", 400, "the body is no JSON object of the expected form"),
                (.post, "/lights/Desk/switch", "[true]", 400, "the body is no JSON object of the expected form"),
                (.post, "/faults", "", 400, "a fault is told as {"),
                (.post, "/faults", "[1]", 400, "the body is no JSON object of the expected form"),
                (.post, "/faults", #"{"name":"nonsense"}"#, 400, "there is no fault 'nonsense'; known are busy"),
                (.post, "/faults", #"{"status":503,"count":1}"#, 400, "a fault is told as {"),
                (
                    .post, "/faults", #"{"name":"busy","value":1000}"#, 400,
                    "STATUS of 'busy' is a whole number from 300"
                ),
                (.delete, "/faults/nonsense", nil, 404, "there is no fault 'nonsense'"),
                (.post, "/move", #"{"host":7}"#, 400, "host is an address"),
                (.post, "/move", #"{"port":65536}"#, 400, "port is a number from 0 to 65535"),
                (.post, "/move", #"{"port":-1}"#, 400, "port is a number from 0 to 65535"),
                (.post, "/move", #"{"port":"https"}"#, 400, "port is a number from 0 to 65535"),
                (.post, "/reboot", "{", 400, "the body is no JSON object of the expected form"),
                (.put, "/keys", nil, 404, "there is no PUT /keys here"),
            ] as [(HTTPRequest.Method, String, String?, Int, String)])
        func `what makes no sense is refused with a sentence, and nothing happens`(
            method: HTTPRequest.Method, path: String, body: String?, status: Int, words: String
        ) async throws {
            try await withBridge { site in
                let before = await site.controls.home
                let answer = try await site.control(method, path, body)
                #expect(answer.status == status)
                #expect(answer.head["content-type"] == "application/json")
                #expect(try #require(try answer.json["error"]?.string).hasPrefix(words))
                #expect(await site.controls.home == before)
                #expect(try await site.ask(.get, "/api/config").status == 200)
            }
        }
    }
}
