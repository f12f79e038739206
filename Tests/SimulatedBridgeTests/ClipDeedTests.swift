import HueWire
import Testing

@testable import SimulatedBridge

/// What comes of what clients write.
@Suite struct ClipDeedTests {
    @Test func `a device that joins a room leaves the other, and its scenes`() throws {
        var desk = Desk()
        let lamp = try #require(desk.home.lamp(called: "Color"))
        let (old, new) = (desk.id("room", "Showroom"), desk.id("room", "Store"))
        let door = try #require(desk.home.accessory(called: "Door"))
        let body =
            #"{"children":[{"rid":"\#(lamp.ids.device)","rtype":"device"},{"rid":"\#(door.id)","rtype":"device"}]}"#
        #expect(desk.ask("PUT", "room", id: new, body).status == 200)
        #expect(desk.home.room(of: lamp.id)?.id == new)
        #expect(desk.home.room(of: door.id)?.id == new)
        #expect(desk.home.group(old)?.lamps.contains(lamp.id) == false)
        #expect(desk.home.scenes.filter { $0.group == old }.allSatisfy { !$0.sets(lamp.id) })
        // The zone is no room.
        #expect(desk.home.group(desk.id("zone", "Colours"))?.lamps.contains(lamp.id) == true)
        #expect(desk.document(new)["services"]?.array?.count == 1)
        // And an empty list empties it.
        #expect(desk.ask("PUT", "room", id: new, #"{"children":[]}"#).status == 200)
        #expect(desk.home.room(of: lamp.id) == nil)
        #expect(desk.document(new)["services"] == [])
    }

    @Test func `with a room go its scenes, and what was made of them`() throws {
        var desk = Desk()
        let body = try #require(desk.example(of: "smart_scene"))
        let smart = try #require(desk.ask("POST", "smart_scene", body).data.first?.rid)
        let room = try #require(desk.document(smart)["group"]?.rid)
        #expect(desk.ask("DELETE", "room", id: room).status == 200)
        #expect(desk.home.scenes.allSatisfy { $0.group != room })
        #expect(desk.document(smart) == .null)
        #expect(desk.home.lamps.count == LampKind.allCases.count)
    }

    @Test func `a step that stops keeps what the lamp shows at that moment`() throws {
        var desk = Desk()
        let lamp = try #require(desk.home.lamp(called: "Color"))
        desk.ask("PUT", "light", id: lamp.id, #"{"dimming":{"brightness":0},"dynamics":{"duration":10000}}"#)
        #expect(desk.home.lamp(lamp.id)?.level == 1)
        desk.pass(.seconds(5))
        let reply = desk.ask("PUT", "light", id: lamp.id, #"{"dimming_delta":{"action":"stop"}}"#)
        let level = try #require(desk.home.lamp(lamp.id)?.level)
        #expect((80...130).contains(level))
        #expect(reply.radio == [.unicast(lamp.id, over: .zero)])
        desk.pass(.seconds(5))
        #expect(desk.situation.mesh.look(of: lamp.id, at: desk.situation.now)?.level == level)
    }

    @Test func `only what is to be seen goes out by radio`() throws {
        var desk = Desk()
        let lamp = try #require(desk.home.lamp(called: "Color"))
        for silent in [
            #"{"metadata":{"name":"Other"}}"#, #"{"powerup":{"preset":"powerfail"}}"#, "{}",
            #"{"metadata":{"archetype":"plug"}}"#, #"{"dynamics":{"duration":100}}"#,
        ] {
            #expect(desk.ask("PUT", "light", id: lamp.id, silent).radio.isEmpty, "\(silent)")
        }
        #expect(
            desk.ask("PUT", "light", id: lamp.id, #"{"on":{"on":true},"dynamics":{"duration":1200}}"#).radio
                == [.unicast(lamp.id, over: .milliseconds(1200))])
        let group = desk.home.groups[0]
        #expect(
            desk.ask("PUT", "grouped_light", id: group.groupedLight, #"{"on":{"on":false}}"#).radio
                == [.broadcast(group.lamps, over: .milliseconds(400))])
    }

    @Test func `a signal is shown while it lasts`() throws {
        var desk = Desk()
        let lamp = try #require(desk.home.lamp(called: "Color"))
        let before = desk.home
        let body =
            #"{"signaling":{"signal":"alternating","duration":5500,"colors":[{"xy":{"x":0.1,"y":0.2}},{"xy":{"x":0.3,"y":0.4}}]}}"#
        #expect(desk.ask("PUT", "light", id: lamp.id, body).status == 200)
        let status = desk.document(lamp.id)["signaling"]?["status"]
        #expect(status?["signal"] == "alternating")
        // Whole seconds.
        #expect(status?["estimated_end"] == "1970-01-01T00:00:05.000Z")
        #expect(status?["colors"]?.array?.count == 2)
        desk.pass(.seconds(5))
        #expect(desk.home == before)
    }

    @Test func `after a sunset it is dark, after a sunrise it is not`() throws {
        var desk = Desk()
        let lamp = try #require(desk.home.lamp(called: "Color"))
        for (effect, isOn) in [("sunrise", true), ("sunset", false)] {
            desk.ask("PUT", "light", id: lamp.id, #"{"on":{"on":true}}"#)
            desk.ask("PUT", "light", id: lamp.id, #"{"timed_effects":{"effect":"\#(effect)","duration":60000}}"#)
            #expect(desk.document(lamp.id)["timed_effects"]?["status"] == .string(effect))
            desk.pass(.seconds(60))
            #expect(desk.document(lamp.id)["timed_effects"]?["status"] == "no_effect")
            #expect(desk.home.lamp(lamp.id)?.isOn == isOn)
        }
    }

    @Test func `an effect has its speed and colour, and a colour ends it`() throws {
        var desk = Desk()
        let lamp = try #require(desk.home.lamp(called: "Color"))
        let body =
            #"{"effects_v2":{"action":{"effect":"fire","parameters":{"speed":0.4,"color_temperature":{"mirek":400}}}}}"#
        #expect(desk.ask("PUT", "light", id: lamp.id, body).status == 200)
        let document = desk.document(lamp.id)
        #expect(document["effects"]?["status"] == "fire")
        #expect(document["effects_v2"]?["status"]?["effect"] == "fire")
        #expect(document["effects_v2"]?["status"]?["parameters"]?["speed"] == 0.4)
        desk.ask("PUT", "light", id: lamp.id, #"{"color":{"xy":{"x":0.3,"y":0.3}}}"#)
        #expect(desk.document(lamp.id)["effects"]?["status"] == "no_effect")
    }

    @Test func `a gradient has its points and its mode`() throws {
        var desk = Desk()
        let lamp = try #require(desk.home.lamp(called: "Gradient"))
        let points = [(0.3, 0.3), (0.4, 0.4), (0.2, 0.2)].map { #"{"color":{"xy":{"x":\#($0),"y":\#($1)}}}"# }
        let body = #"{"gradient":{"points":[\#(points.joined(separator: ","))],"mode":"random_pixelated"}}"#
        #expect(desk.ask("PUT", "light", id: lamp.id, body).status == 200)
        let gradient = desk.document(lamp.id)["gradient"]
        #expect(gradient?["points"]?.array?.count == 3)
        #expect(gradient?["mode"] == "random_pixelated")
        #expect(desk.document(lamp.id)["color"]?["xy"] == .point(XY(x: 0.3, y: 0.3)))
    }

    @Test func `a lamp wakes as it was told to`() throws {
        var desk = Desk()
        let lamp = try #require(desk.home.lamp(called: "Color"))
        let body =
            #"{"powerup":{"preset":"custom","on":{"mode":"on","on":{"on":true}},"dimming":{"mode":"dimming","dimming":{"brightness":20}},"color":{"mode":"color","color":{"xy":{"x":0.3,"y":0.3}}}}}"#
        #expect(desk.ask("PUT", "light", id: lamp.id, body).status == 200)
        #expect(desk.document(lamp.id)["powerup"]?["dimming"]?["dimming"]?["brightness"] == 20)
        let woken = try #require(desk.home.lamp(lamp.id)).alter(by: .cutting(.mains), .powering(.up))
        #expect(woken.isOn && woken.percent == 20.16 && woken.tint == .color(XY(x: 0.3, y: 0.3)))
    }

    @Test func `a recall may dim what it turns on, and starts to move where the scene says so`() throws {
        var desk = Desk()
        let waves = desk.id("scene", "Waves")
        let reply = desk.ask(
            "PUT", "scene", id: waves, #"{"recall":{"action":"active","duration":2000,"dimming":{"brightness":10}}}"#)
        #expect(reply.status == 200)
        let scene = try #require(desk.home.scene(waves))
        #expect(scene.status == .dynamicPalette)
        #expect(desk.document(waves)["status"]?["last_recall"] == "1970-01-01T00:00:00.000Z")
        for lamp in scene.actions.compactMap({ desk.home.lamp($0.lamp) }) {
            #expect(lamp.percent == Level.percent(bri: Level.bri(percent: 10)))
            #expect(desk.document(lamp.id)["dynamics"]?["status"] == "dynamic_palette")
        }
        #expect(reply.radio == [.broadcast(scene.actions.map(\.lamp), over: .seconds(2))])
        // Faster, and still the scene's.
        #expect(desk.ask("PUT", "scene", id: waves, #"{"speed":0.9}"#).status == 200)
        #expect(desk.home.scene(waves)?.status == .dynamicPalette)
        #expect(desk.document(scene.actions[0].lamp)["dynamics"]?["speed"] == 0.9)
        // A hand at one lamp ends it.
        desk.ask("PUT", "light", id: scene.actions[0].lamp, #"{"color":{"xy":{"x":0.5,"y":0.4}}}"#)
        #expect(desk.home.scene(waves)?.status == .inactive)
    }

    @Test func `a scene keeps what it is told, and changes only that`() throws {
        var desk = Desk()
        let id = desk.id("scene", "Rainbow")
        let old = desk.document(id)
        let picture = #"{"rid":"11111111-1111-4111-8111-111111111111","rtype":"public_image"}"#
        let body = #"{"metadata":{"name":"Bow","image":\#(picture),"appdata":"x"},"speed":0.25,"auto_dynamic":true}"#
        #expect(desk.ask("PUT", "scene", id: id, body).status == 200)
        let new = desk.document(id)
        #expect(new["metadata"]?["name"] == "Bow" && new["metadata"]?["appdata"] == "x")
        #expect(new["metadata"]?["image"]?["rtype"] == "public_image")
        #expect(new["speed"] == 0.25 && new["auto_dynamic"] == true)
        #expect(new["actions"] == old["actions"] && new["palette"] == old["palette"])
        // What was told stays over the next change.
        desk.ask("PUT", "scene", id: id, #"{"metadata":{"name":"Arc"}}"#)
        #expect(desk.document(id)["metadata"]?["appdata"] == "x")
    }

    @Test func `an activated smart scene shows the scene of the hour`() throws {
        var desk = Desk()
        let body = try #require(desk.example(of: "smart_scene"))
        let id = try #require(desk.ask("POST", "smart_scene", body).data.first?.rid)
        #expect(desk.document(id)["state"] == "inactive")
        let reply = desk.ask("PUT", "smart_scene", id: id, #"{"recall":{"action":"activate"}}"#)
        #expect(reply.status == 200 && !reply.radio.isEmpty)
        #expect(desk.document(id)["state"] == "active")
        // The first of January 1970.
        #expect(desk.document(id)["active_timeslot"] == ["timeslot_id": 0, "weekday": "thursday"])
        #expect(desk.home.scenes.contains { $0.isActive })
        desk.ask("PUT", "smart_scene", id: id, #"{"recall":{"action":"deactivate"}}"#)
        #expect(desk.document(id)["state"] == "inactive" && desk.document(id)["active_timeslot"] == nil)
    }

    @Test func `lamps of a session stream, hear nothing meanwhile, and get back their look`() throws {
        var desk = Desk()
        let area = desk.id("entertainment_configuration", "Films")
        let lamps = EntertainmentArea.lamps(of: desk.document(area))
        #expect(desk.ask("PUT", "entertainment_configuration", id: area, #"{"action":"start"}"#).status == 200)
        #expect(desk.document(area)["active_streamer"]?["rtype"] == "auth_v1")
        #expect(lamps.allSatisfy { desk.document($0)["mode"] == "streaming" })
        #expect(desk.ask("PUT", "light", id: lamps[0], #"{"on":{"on":false}}"#).radio.isEmpty)
        let stop = desk.ask("PUT", "entertainment_configuration", id: area, #"{"action":"stop"}"#)
        #expect(stop.radio == [.broadcast(lamps, over: .milliseconds(400))])
        #expect(desk.document(area)["status"] == "inactive" && desk.document(area)["active_streamer"] == nil)
        #expect(lamps.allSatisfy { desk.document($0)["mode"] == "normal" })
        // Once more is once too often, and does no harm.
        #expect(desk.ask("PUT", "entertainment_configuration", id: area, #"{"action":"stop"}"#).radio.isEmpty)
    }

    @Test func `a lamp that is removed leaves its room, its scenes and its area`() throws {
        var desk = Desk()
        let (area, lamp) = (
            desk.id("entertainment_configuration", "Films"), try #require(desk.home.lamp(called: "Color"))
        )
        #expect(desk.ask("DELETE", "device", id: lamp.ids.device).status == 200)
        #expect(desk.home.lamp(lamp.id) == nil && desk.lost.isEmpty)
        #expect(desk.document(area)["channels"]?.array?.count == 1)
        // The last one takes the area along.
        let last = try #require(desk.home.lamp(called: "Gradient"))
        desk.ask("DELETE", "device", id: last.ids.device)
        #expect(desk.document(area) == .null)
    }

    @Test func `sensors are told how keen to be, and are tested for two minutes`() throws {
        var desk = Desk()
        let sensor = try #require(desk.home.accessory(called: "Motion sensor"))
        let motion = try #require(sensor.services.first { $0.type == .motion }?.id)
        #expect(desk.ask("PUT", "motion", id: motion, #"{"sensitivity":{"sensitivity":4}}"#).status == 200)
        #expect(desk.document(motion)["sensitivity"]?["sensitivity"] == 4)
        #expect(desk.ask("PUT", "motion", id: motion, #"{"sensitivity":{"sensitivity":5}}"#).status == 400)
        #expect(desk.ask("PUT", "device", id: sensor.id, #"{"usertest":{"usertest":true}}"#).status == 200)
        #expect(desk.document(sensor.id)["usertest"]?["usertest"] == true)
        desk.pass(.seconds(120))
        #expect(desk.document(sensor.id)["usertest"]?["usertest"] == false)
        let dial = try #require(desk.home.accessory(called: "Dial"))
        #expect(desk.ask("PUT", "device", id: dial.id, #"{"metadata":{"name":"Knob"}}"#).status == 200)
        #expect(desk.document(dial.id)["metadata"]?["name"] == "Knob")
    }

    @Test func `the bridge is renamed, told where it is, and sent to search`() throws {
        var desk = Desk()
        #expect(desk.ask("PUT", "device", id: desk.home.bridgeDevice, #"{"metadata":{"name":"Loft"}}"#).status == 200)
        #expect(desk.home.bridge.name == "Loft")
        let place = #"{"latitude":52.5,"longitude":13.4}"#
        #expect(desk.ask("PUT", "geolocation", id: desk.home.geolocation, place).status == 200)
        #expect(desk.document(desk.home.geolocation)["is_configured"] == true)
        let request = ClipAPI.Request(
            method: "PUT", type: .discovery, id: desk.home.discovery,
            body: Array(#"{"action":{"action_type":"search"}}"#.utf8))
        #expect(ClipAPI.decide(request, in: desk.situation).searches)
    }
}
