import Curl
import Foundation
import HueWire
import ServerSentEvents
import TestSupport
import Testing

@testable import SimulatedBridge

extension OnTheWire {
    /// Sensors and switches, from the control port to the event stream; also rooms and entertainment sessions.
    @Suite struct AccessoryTests {
        @Test(arguments: [
            ("Motion%20sensor/motion", #"{"motion":true}"#, "motion", #"{"motion":true}"#),
            ("Motion%20sensor/light_level", #"{"light_level":12000}"#, "light", #"{"light_level":12000}"#),
            ("Motion%20sensor/temperature", #"{"temperature":21.5}"#, "temperature", #"{"temperature":21.5}"#),
            ("Door/contact", #"{"closed":false}"#, "contact_report", #"{"state":"no_contact"}"#),
            ("Door/battery", #"{"percent":9}"#, "power_state", #"{"battery_state":"low","battery_level":9}"#),
            ("Dial/rotate", #"{"steps":-30}"#, "relative_rotary", #"{"rotary_report":{"action":"start"}}"#),
            ("Dial/button", #"{"button":3,"event":"long_press"}"#, "button", #"{"last_event":"long_press"}"#),
        ]) func `an accessory's report becomes an event`(path: String, body: String, feature: String, told: String)
            async throws
        {
            try await withBridge(HomeFixture.showroom) {
                $0.quirks = [.unlimited]
            } _: { fixture in
                let key = try await fixture.pair()
                var listener = try await fixture.listen(key: key)
                _ = try await listener.greeting()
                #expect(try await fixture.control(.post, "/sensors/\(path)", body).status == 200)
                let news = try #require(try await listener.news().first)
                let expected = try JSONDecoder().decode(JSONValue.self, from: Data(told.utf8))
                for (member, value) in expected.object ?? [:] {
                    if let inner = value.object {
                        for (name, part) in inner { #expect(news[feature]?[member]?[name] == part) }
                    } else {
                        #expect(news[feature]?[member] == value)
                    }
                }
                #expect(news["owner"]?["rtype"] == "device")
            }
        }

        @Test func `a button press is two events, each in its own frame`() async throws {
            try await withBridge(HomeFixture.showroom) {
                // A hundred times as fast: the second event comes in the next frame.
                $0.timeScale = 100
            } _: { fixture in
                let key = try await fixture.pair()
                var listener = try await fixture.listen(key: key)
                _ = try await listener.greeting()
                #expect(try await fixture.control(.post, "/sensors/Dimmer%20switch/button").status == 200)
                var events: [JSONValue?] = []
                for _ in 0..<2 {
                    for resource in try await listener.news() { events.append(resource["button"]?["last_event"]) }
                }
                #expect(events == ["initial_press", "short_release"])
            }
        }

        @Test func `every sensor has reported its state before a client asks, a button only if it was pressed`()
            async throws
        {
            try await withBridge(HomeFixture.showroom) { fixture in
                let key = try await fixture.pair()
                func document(_ type: String) async throws -> JSONValue {
                    try #require(
                        try await fixture.send(.get, "/clip/v2/resource/\(type)", key: key).envelope.data.first)
                }
                let contact = try await document("contact")["contact_report"]
                #expect(contact?["state"] == "contact" && contact?["changed"]?.string != nil)
                let motion = try await document("motion")["motion"]
                #expect(motion?["motion_valid"] == true && motion?["motion_report"]?["motion"] == false)
                let light = try await document("light_level")["light"]
                #expect(light?["light_level_valid"] == true && light?["light_level_report"]?["light_level"] == 10_001)
                let temperature = try await document("temperature")["temperature"]
                #expect(temperature?["temperature_report"]?["temperature"] == 20)
                #expect(temperature?["temperature_report"]?["changed"]?.string != nil)
                #expect(try await document("button")["button"]?["button_report"] == nil)
                #expect(try await document("relative_rotary")["relative_rotary"] == [:])
            }
        }

        @Test func `an impossible report is refused`() async throws {
            try await withBridge(HomeFixture.showroom) { fixture in
                for (path, body, status) in [
                    ("Nobody/motion", "{}", 404), ("Door/motion", "{}", 404), ("Dial/button", #"{"button":9}"#, 404),
                    ("Dial/button", #"{"event":"kick"}"#, 400), ("Dial/rotate", "{}", 400), ("Door/contact", "{}", 400),
                    ("Dial/sing", "{}", 404), ("Door/battery", #"{"percent":101}"#, 400),
                    ("Motion%20sensor/light_level", #"{"light_level":-1}"#, 400),
                ] {
                    let response = try await fixture.control(.post, "/sensors/\(path)", body)
                    #expect(response.status == status, "\(path)")
                }
            }
        }

        @Test func `a disabled sensor reports nothing`() async throws {
            try await withBridge(HomeFixture.showroom) {
                $0.quirks = [.unlimited]
            } _: { fixture in
                let key = try await fixture.pair()
                let sensor = try #require(await fixture.controls.home.accessory(called: "Motion sensor"))
                let motion = try #require(sensor.services.first { $0.type == .motion }?.id)
                #expect(try await fixture.put("motion", motion, #"{"enabled":false}"#, key: key).status == 200)
                #expect(try await fixture.control(.post, "/sensors/Motion%20sensor/motion").status == 409)
                #expect(await fixture.controls.home.accessory(sensor.id)?.readings.motion?.value == false)
                #expect(
                    try await fixture.control(.post, "/sensors/Motion%20sensor/temperature", #"{"temperature":3}"#)
                        .status
                        == 200)
            }
        }

        @Test func `creating and deleting a room sends events for it and its grouped light`() async throws {
            try await withBridge(HomeFixture.showroom) {
                $0.quirks = [.unlimited]
            } _: { fixture in
                let key = try await fixture.pair()
                var listener = try await fixture.listen(key: key)
                _ = try await listener.greeting()
                let plug = try await fixture.lamp("Plug")
                let body =
                    #"{"type":"room","metadata":{"name":"Office","archetype":"office"},"#
                    + #""children":[{"rid":"\#(plug.ids.device)","rtype":"device"}]}"#
                let made = try await fixture.send(.post, "/clip/v2/resource/room", key: key, body: body)
                #expect(made.status == 200)
                let id = try #require(try made.envelope.data.first?.rid)
                let frame = try #require(await listener.frame())
                let containers = try frame.containers
                let added = containers.first { $0["type"] == "add" }?["data"]?.array ?? []
                #expect(Set(added.map { $0["type"] }) == ["room", "grouped_light"])
                #expect(added.first { $0["type"] == "room" }?["id"] == .id(id))
                let documents = try await fixture.send(.get, "/clip/v2/resource/room/\(id)", key: key).envelope.data
                #expect(documents == added.filter { $0["type"] == "room" })
                let gone = try await fixture.send(.delete, "/clip/v2/resource/room/\(id)", key: key)
                #expect(try gone.envelope.data == [.reference(id, .room)])
                let last = try #require(await listener.frame())
                let ends = try last.containers.first { $0["type"] == "delete" }
                #expect(Set(ends?["data"]?.array?.map { $0["type"] } ?? []) == ["room", "grouped_light"])
                #expect(try await fixture.send(.get, "/clip/v2/resource/room/\(id)", key: key).status == 404)
            }
        }

        @Test func `an entertainment session without frames ends by itself, whichever API started it`() async throws {
            try await withBridge(HomeFixture.showroom) {
                $0.quirks = [.unlimited]
                $0.timeScale = 50
            } _: { fixture in
                let key = try await fixture.pair()
                let document = try #require(
                    await fixture.controls.home.documents.first { $0["type"] == "entertainment_configuration" })
                let id = try #require(document["id"]?.string.map { ResourceID($0) })
                let group = try #require(document["id_v1"]?.string)
                for _ in 0..<2 {
                    let start = try await fixture.put(
                        "entertainment_configuration", id, #"{"action":"start"}"#, key: key)
                    #expect(start.status == 200)
                    try await until("the session is over") {
                        await fixture.controls.home.storedResource(id)?["status"] == "inactive"
                    }
                    #expect(await fixture.controls.home.lamps.filter(\.isStreaming).isEmpty)
                }
                let first = try await fixture.send(
                    .put, "/api/\(key)\(group)", body: #"{"stream":{"active":true}}"#)
                #expect(first.text.contains("success"))
                try await until("the session is over") {
                    await fixture.controls.home.storedResource(id)?["status"] == "inactive"
                }
            }
        }
    }
}
