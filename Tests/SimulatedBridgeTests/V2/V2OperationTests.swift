import Foundation
import HueWire
import Testing

@testable import SimulatedBridge

/// The effects of writes in API v2.
@Suite struct V2OperationTests {
    @Test func `a device that joins a room leaves its old room and that room's scenes`() throws {
        var fixture = V2Fixture()
        let lamp = try #require(fixture.home.lamp(called: "Color"))
        let (old, new) = (fixture.id("room", "Showroom"), fixture.id("room", "Store"))
        let door = try #require(fixture.home.accessory(called: "Door"))
        let body =
            #"{"children":[{"rid":"\#(lamp.ids.device)","rtype":"device"},{"rid":"\#(door.id)","rtype":"device"}]}"#
        #expect(fixture.send("PUT", "room", id: new, body).status == 200)
        #expect(fixture.home.room(of: lamp.id)?.id == new)
        #expect(fixture.home.room(of: door.id)?.id == new)
        #expect(fixture.home.group(old)?.lamps.contains(lamp.id) == false)
        #expect(fixture.home.scenes.filter { $0.group == old }.allSatisfy { !$0.sets(lamp.id) })
        // It stays in its zone.
        #expect(fixture.home.group(fixture.id("zone", "Colours"))?.lamps.contains(lamp.id) == true)
        #expect(fixture.document(new)["services"]?.array?.count == 1)
        // An empty list empties the room.
        #expect(fixture.send("PUT", "room", id: new, #"{"children":[]}"#).status == 200)
        #expect(fixture.home.room(of: lamp.id) == nil)
        #expect(fixture.document(new)["services"] == [])
    }

    @Test func `deleting a room deletes its scenes and smart scenes`() throws {
        var fixture = V2Fixture()
        let body = try #require(fixture.home.example(of: "smart_scene"))
        let smart = try #require(fixture.send("POST", "smart_scene", body).data.first?.rid)
        let room = try #require(fixture.document(smart)["group"]?.rid)
        #expect(fixture.send("DELETE", "room", id: room).status == 200)
        #expect(fixture.home.scenes.allSatisfy { $0.group != room })
        #expect(fixture.document(smart) == .null)
        #expect(fixture.home.lamps.count == LampKind.allCases.count)
    }

    @Test func `a stop keeps the level that the lamp shows at that moment`() throws {
        var fixture = V2Fixture()
        let lamp = try #require(fixture.home.lamp(called: "Color"))
        fixture.send("PUT", "light", id: lamp.id, #"{"dimming":{"brightness":0},"dynamics":{"duration":10000}}"#)
        #expect(fixture.home.lamp(lamp.id)?.level == 1)
        fixture.pass(.seconds(5))
        let reply = fixture.send("PUT", "light", id: lamp.id, #"{"dimming_delta":{"action":"stop"}}"#)
        let level = try #require(fixture.home.lamp(lamp.id)?.level)
        #expect((80...130).contains(level))
        #expect(reply.radio == [.unicast(lamp.id, over: .zero)])
        fixture.pass(.seconds(5))
        #expect(fixture.context.mesh.lightState(of: lamp.id, at: fixture.context.now)?.level == level)
    }

    @Test func `only visible changes are sent by radio`() throws {
        var fixture = V2Fixture()
        let lamp = try #require(fixture.home.lamp(called: "Color"))
        for silent in [
            #"{"metadata":{"name":"Other"}}"#, #"{"powerup":{"preset":"powerfail"}}"#, "{}",
            #"{"metadata":{"archetype":"plug"}}"#, #"{"dynamics":{"duration":100}}"#,
        ] {
            #expect(fixture.send("PUT", "light", id: lamp.id, silent).radio.isEmpty, "\(silent)")
        }
        #expect(
            fixture.send("PUT", "light", id: lamp.id, #"{"on":{"on":true},"dynamics":{"duration":1200}}"#).radio
                == [.unicast(lamp.id, over: .milliseconds(1200))])
        let group = fixture.home.groups[0]
        #expect(
            fixture.send("PUT", "grouped_light", id: group.groupedLight, #"{"on":{"on":false}}"#).radio
                == [.broadcast(group.lamps, over: .milliseconds(400))])
    }

    @Test func `a signal is shown for its duration`() throws {
        var fixture = V2Fixture()
        let lamp = try #require(fixture.home.lamp(called: "Color"))
        let before = fixture.home
        let body =
            #"{"signaling":{"signal":"alternating","duration":5500,"#
            + #""colors":[{"xy":{"x":0.1,"y":0.2}},{"xy":{"x":0.3,"y":0.4}}]}}"#
        #expect(fixture.send("PUT", "light", id: lamp.id, body).status == 200)
        let status = fixture.document(lamp.id)["signaling"]?["status"]
        #expect(status?["signal"] == "alternating")
        // Rounded down to whole seconds.
        #expect(status?["estimated_end"] == "1970-01-01T00:00:05.000Z")
        #expect(status?["colors"]?.array?.count == 2)
        fixture.pass(.seconds(5))
        #expect(fixture.home == before)
    }

    @Test func `a lamp is off after a sunset, and on after a sunrise`() throws {
        var fixture = V2Fixture()
        let lamp = try #require(fixture.home.lamp(called: "Color"))
        for (effect, isOn) in [("sunrise", true), ("sunset", false)] {
            fixture.send("PUT", "light", id: lamp.id, #"{"on":{"on":true}}"#)
            fixture.send("PUT", "light", id: lamp.id, #"{"timed_effects":{"effect":"\#(effect)","duration":60000}}"#)
            #expect(fixture.document(lamp.id)["timed_effects"]?["status"] == .string(effect))
            fixture.pass(.seconds(60))
            #expect(fixture.document(lamp.id)["timed_effects"]?["status"] == "no_effect")
            #expect(fixture.home.lamp(lamp.id)?.isOn == isOn)
        }
    }

    @Test func `an effect keeps its speed, and a colour ends it`() throws {
        var fixture = V2Fixture()
        let lamp = try #require(fixture.home.lamp(called: "Color"))
        let body =
            #"{"effects_v2":{"action":{"effect":"fire","parameters":{"speed":0.4,"color_temperature":{"mirek":400}}}}}"#
        #expect(fixture.send("PUT", "light", id: lamp.id, body).status == 200)
        let document = fixture.document(lamp.id)
        #expect(document["effects"]?["status"] == "fire")
        #expect(document["effects_v2"]?["status"]?["effect"] == "fire")
        #expect(document["effects_v2"]?["status"]?["parameters"]?["speed"] == 0.4)
        fixture.send("PUT", "light", id: lamp.id, #"{"color":{"xy":{"x":0.3,"y":0.3}}}"#)
        #expect(fixture.document(lamp.id)["effects"]?["status"] == "no_effect")
    }

    @Test func `a gradient keeps its points and its mode`() throws {
        var fixture = V2Fixture()
        let lamp = try #require(fixture.home.lamp(called: "Gradient"))
        let points = [(0.3, 0.3), (0.4, 0.4), (0.2, 0.2)].map { #"{"color":{"xy":{"x":\#($0),"y":\#($1)}}}"# }
        let body = #"{"gradient":{"points":[\#(points.joined(separator: ","))],"mode":"random_pixelated"}}"#
        #expect(fixture.send("PUT", "light", id: lamp.id, body).status == 200)
        let gradient = fixture.document(lamp.id)["gradient"]
        #expect(gradient?["points"]?.array?.count == 3)
        #expect(gradient?["mode"] == "random_pixelated")
        #expect(fixture.document(lamp.id)["color"]?["xy"] == .point(XY(x: 0.3, y: 0.3)))
    }

    @Test func `a lamp comes on with its power-on behaviour`() throws {
        var fixture = V2Fixture()
        let lamp = try #require(fixture.home.lamp(called: "Color"))
        let body =
            #"{"powerup":{"preset":"custom","on":{"mode":"on","on":{"on":true}},"#
            + #""dimming":{"mode":"dimming","dimming":{"brightness":20}},"#
            + #""color":{"mode":"color","color":{"xy":{"x":0.3,"y":0.3}}}}}"#
        #expect(fixture.send("PUT", "light", id: lamp.id, body).status == 200)
        #expect(fixture.document(lamp.id)["powerup"]?["dimming"]?["dimming"]?["brightness"] == 20)
        let woken = try #require(fixture.home.lamp(lamp.id)).alter(by: .cutting(.mains), .powering(.up))
        #expect(woken.isOn && woken.percent == 20.16 && woken.tint == .color(XY(x: 0.3, y: 0.3)))
    }

    @Test func `a recall can dim its lamps, and starts the palette of a dynamic scene`() throws {
        var fixture = V2Fixture()
        let waves = fixture.id("scene", "Waves")
        let reply = fixture.send(
            "PUT", "scene", id: waves, #"{"recall":{"action":"active","duration":2000,"dimming":{"brightness":10}}}"#)
        #expect(reply.status == 200)
        let scene = try #require(fixture.home.scene(waves))
        #expect(scene.status == .dynamicPalette)
        #expect(fixture.document(waves)["status"]?["last_recall"] == "1970-01-01T00:00:00.000Z")
        for lamp in scene.actions.compactMap({ fixture.home.lamp($0.lamp) }) {
            #expect(lamp.percent == Level.percent(bri: Level.bri(percent: 10)))
            #expect(fixture.document(lamp.id)["dynamics"]?["status"] == "dynamic_palette")
        }
        #expect(reply.radio == [.broadcast(scene.actions.map(\.lamp), over: .seconds(2))])
        // A new speed does not end it.
        #expect(fixture.send("PUT", "scene", id: waves, #"{"speed":0.9}"#).status == 200)
        #expect(fixture.home.scene(waves)?.status == .dynamicPalette)
        #expect(fixture.document(scene.actions[0].lamp)["dynamics"]?["speed"] == 0.9)
        // A change of one lamp ends it.
        fixture.send("PUT", "light", id: scene.actions[0].lamp, #"{"color":{"xy":{"x":0.5,"y":0.4}}}"#)
        #expect(fixture.home.scene(waves)?.status == .inactive)
    }

    @Test func `a dynamic scene moves its lamps through its palette, until they get another colour`() throws {
        var fixture = V2Fixture()
        let waves = fixture.id("scene", "Waves")
        fixture.send("PUT", "scene", id: waves, #"{"speed":1,"recall":{"action":"dynamic_palette"}}"#)
        let lamps = try #require(fixture.home.scene(waves)).actions.map(\.lamp)
        func points() -> [XY?] { lamps.map { fixture.home.lamp($0)?.tint.point } }
        var seen: Set<[XY?]> = []
        for _ in 0..<3 {
            fixture.pass(.seconds(2))
            seen.insert(points())
        }
        // Its three colours, and neighbours show different ones.
        #expect(seen.count == 3 && Set(points().dropLast()).count == 3)
        #expect(fixture.home.scene(waves)?.status == .dynamicPalette)
        let level = fixture.home.lamp(lamps[0])?.level
        // A level leaves a lamp moving, and a colour ends it there; the others go on.
        fixture.send("PUT", "light", id: lamps[0], #"{"dimming":{"brightness":90}}"#)
        fixture.send("PUT", "light", id: lamps[1], #"{"color":{"xy":{"x":0.5,"y":0.4}}}"#)
        let before = points()
        fixture.pass(.seconds(2))
        let after = points()
        #expect(zip(before, after).map { $0 != $1 } == [true, false, true, true])
        #expect(fixture.home.lamp(lamps[0])?.level != level)
        #expect(fixture.document(lamps[1])["dynamics"]?["status"] == "none")
        // Another scene ends all of it.
        fixture.send("PUT", "scene", id: waves, #"{"recall":{"action":"static"}}"#)
        let resting = points()
        fixture.pass(.seconds(60))
        #expect(points() == resting)
    }

    @Test func `an update of a scene is kept, and changes nothing else`() throws {
        var fixture = V2Fixture()
        let id = fixture.id("scene", "Rainbow")
        let old = fixture.document(id)
        let picture = #"{"rid":"11111111-1111-4111-8111-111111111111","rtype":"public_image"}"#
        let body = #"{"metadata":{"name":"Bow","image":\#(picture),"appdata":"x"},"speed":0.25,"auto_dynamic":true}"#
        #expect(fixture.send("PUT", "scene", id: id, body).status == 200)
        let new = fixture.document(id)
        #expect(new["metadata"]?["name"] == "Bow" && new["metadata"]?["appdata"] == "x")
        #expect(new["metadata"]?["image"]?["rtype"] == "public_image")
        #expect(new["speed"] == 0.25 && new["auto_dynamic"] == true)
        #expect(new["actions"] == old["actions"] && new["palette"] == old["palette"])
        // The next update leaves it alone.
        fixture.send("PUT", "scene", id: id, #"{"metadata":{"name":"Arc"}}"#)
        #expect(fixture.document(id)["metadata"]?["appdata"] == "x")
    }

    @Test func `an activated smart scene recalls the scene of the time of day`() throws {
        var fixture = V2Fixture()
        let body = try #require(fixture.home.example(of: "smart_scene"))
        let id = try #require(fixture.send("POST", "smart_scene", body).data.first?.rid)
        #expect(fixture.document(id)["state"] == "inactive")
        let reply = fixture.send("PUT", "smart_scene", id: id, #"{"recall":{"action":"activate"}}"#)
        #expect(reply.status == 200 && !reply.radio.isEmpty)
        #expect(fixture.document(id)["state"] == "active")
        // The first of January 1970.
        #expect(fixture.document(id)["active_timeslot"] == ["timeslot_id": 0, "weekday": "thursday"])
        #expect(fixture.home.scenes.contains { $0.isActive })
        fixture.send("PUT", "smart_scene", id: id, #"{"recall":{"action":"deactivate"}}"#)
        #expect(fixture.document(id)["state"] == "inactive" && fixture.document(id)["active_timeslot"] == nil)
    }

    @Test func `an active smart scene recalls the scene of each slot as it begins`() throws {
        var fixture = V2Fixture()
        let (white, rainbow) = (fixture.id("scene", "White"), fixture.id("scene", "Rainbow"))
        func slot(_ start: JSONValue, _ scene: ResourceID) -> JSONValue {
            ["start_time": start, "target": .reference(scene, .scene)]
        }
        let body: JSONValue = [
            "metadata": ["name": "Day"], "group": try #require(fixture.document(white)["group"]),
            "week_timeslots": [
                [
                    "timeslots": [
                        slot(["kind": "time", "time": ["hour": 0, "minute": 30, "second": 0]], white),
                        slot(["kind": "sunrise"], rainbow),
                    ],
                    "recurrence": .array(SmartScene.days.map { .string($0) }),
                ]
            ],
        ]
        let text = String(decoding: try JSONEncoder().encode(body), as: UTF8.self)
        let id = try #require(fixture.send("POST", "smart_scene", text).data.first?.rid)
        func place() -> [JSONValue?] {
            let active = fixture.document(id)["active_timeslot"]
            return [active?["timeslot_id"], active?["weekday"]]
        }
        func active() -> [ResourceID] { fixture.home.scenes.filter(\.isActive).map(\.id) }
        fixture.send("PUT", "smart_scene", id: id, #"{"recall":{"action":"activate"}}"#)
        // One o'clock of a Thursday, in Berlin.
        #expect(place() == [0, "thursday"] && active() == [white])
        fixture.pass(.seconds(4 * 3600))
        #expect(place() == [0, "thursday"] && active() == [white])
        fixture.pass(.seconds(3600))
        #expect(place() == [1, "thursday"] && active() == [rainbow])
        fixture.pass(.seconds(18 * 3600 + 1800))
        #expect(place() == [0, "friday"] && active() == [white])
        fixture.send("PUT", "smart_scene", id: id, #"{"recall":{"action":"deactivate"}}"#)
        fixture.pass(.seconds(86400))
        #expect(active() == [white] && fixture.document(id)["state"] == "inactive")
    }

    @Test func `lamps of an entertainment session get no commands, and then get back their state`() throws {
        var fixture = V2Fixture()
        let area = fixture.id("entertainment_configuration", "Films")
        let lamps = EntertainmentArea.lamps(of: fixture.document(area))
        #expect(fixture.send("PUT", "entertainment_configuration", id: area, #"{"action":"start"}"#).status == 200)
        #expect(fixture.document(area)["active_streamer"]?["rtype"] == "auth_v1")
        #expect(lamps.allSatisfy { fixture.document($0)["mode"] == "streaming" })
        #expect(fixture.send("PUT", "light", id: lamps[0], #"{"on":{"on":false}}"#).radio.isEmpty)
        let stop = fixture.send("PUT", "entertainment_configuration", id: area, #"{"action":"stop"}"#)
        #expect(stop.radio == [.broadcast(lamps, over: .milliseconds(400))])
        #expect(fixture.document(area)["status"] == "inactive" && fixture.document(area)["active_streamer"] == nil)
        #expect(lamps.allSatisfy { fixture.document($0)["mode"] == "normal" })
        // A second stop has no effect.
        #expect(fixture.send("PUT", "entertainment_configuration", id: area, #"{"action":"stop"}"#).radio.isEmpty)
    }

    @Test func `a deleted lamp leaves its room, its scenes and its entertainment area`() throws {
        var fixture = V2Fixture()
        let (area, lamp) = (
            fixture.id("entertainment_configuration", "Films"), try #require(fixture.home.lamp(called: "Color"))
        )
        #expect(fixture.send("DELETE", "device", id: lamp.ids.device).status == 200)
        #expect(fixture.home.lamp(lamp.id) == nil && fixture.lost.isEmpty)
        #expect(fixture.document(area)["channels"]?.array?.count == 1)
        // With its last lamp the area is deleted.
        let last = try #require(fixture.home.lamp(called: "Gradient"))
        fixture.send("DELETE", "device", id: last.ids.device)
        #expect(fixture.document(area) == .null)
    }

    @Test func `a sensor's sensitivity can be set, and its user test lasts two minutes`() throws {
        var fixture = V2Fixture()
        let sensor = try #require(fixture.home.accessory(called: "Motion sensor"))
        let motion = try #require(sensor.services.first { $0.type == .motion }?.id)
        #expect(fixture.send("PUT", "motion", id: motion, #"{"sensitivity":{"sensitivity":4}}"#).status == 200)
        #expect(fixture.document(motion)["sensitivity"]?["sensitivity"] == 4)
        #expect(fixture.send("PUT", "motion", id: motion, #"{"sensitivity":{"sensitivity":5}}"#).status == 400)
        #expect(fixture.send("PUT", "device", id: sensor.id, #"{"usertest":{"usertest":true}}"#).status == 200)
        #expect(fixture.document(sensor.id)["usertest"]?["usertest"] == true)
        fixture.pass(.seconds(120))
        #expect(fixture.document(sensor.id)["usertest"]?["usertest"] == false)
        let dial = try #require(fixture.home.accessory(called: "Dial"))
        #expect(fixture.send("PUT", "device", id: dial.id, #"{"metadata":{"name":"Knob"}}"#).status == 200)
        #expect(fixture.document(dial.id)["metadata"]?["name"] == "Knob")
    }

    @Test func `the bridge can be renamed, given a location, and made to search`() throws {
        var fixture = V2Fixture()
        #expect(
            fixture.send("PUT", "device", id: fixture.home.bridgeDevice, #"{"metadata":{"name":"Loft"}}"#).status == 200
        )
        #expect(fixture.home.bridge.name == "Loft")
        let place = #"{"latitude":52.5,"longitude":13.4}"#
        #expect(fixture.send("PUT", "geolocation", id: fixture.home.geolocation, place).status == 200)
        #expect(fixture.document(fixture.home.geolocation)["is_configured"] == true)
        let request = V2API.Request(
            method: "PUT", type: .discovery, id: fixture.home.discovery,
            body: Array(#"{"action":{"action_type":"search"}}"#.utf8))
        #expect(V2API.decide(request, in: fixture.context).searches)
    }
}
