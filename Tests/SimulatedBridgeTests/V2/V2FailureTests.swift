import HueWire
import Testing

@testable import SimulatedBridge

/// What a bridge refuses in API v2, and how.
@Suite struct V2FailureTests {
    @Test(arguments: [
        ("room", "{}", "metadata.name is missing or of the wrong type"),
        ("room", #"{"metadata":{"name":"A"}}"#, "metadata.archetype is missing or of the wrong type"),
        ("room", #"{"metadata":{"name":"A","archetype":"cave"}}"#, "metadata.archetype is not known"),
        ("room", #"{"metadata":{"name":"A","archetype":"office"}}"#, "children is missing or of the wrong type"),
        (
            "room", #"{"metadata":{"name":"A","archetype":"office"},"children":[{"rid":"x","rtype":"light"}]}"#,
            "children[0].rtype is not known"
        ),
        (
            "room", #"{"metadata":{"name":"A","archetype":"office"},"children":[{"rid":"x","rtype":"device"}]}"#,
            "device x cannot be in a room"
        ),
        (
            "zone", #"{"metadata":{"name":"A","archetype":"office"},"children":[{"rid":"x","rtype":"light"}]}"#,
            "light x cannot be in a zone"
        ),
        ("scene", #"{"metadata":{"name":"A"}}"#, "group is missing or of the wrong type"),
        (
            "scene", #"{"metadata":{"name":"A"},"group":{"rid":"x","rtype":"room"},"actions":[]}"#,
            "room x is not there"
        ),
        ("behavior_instance", #"{"script_id":"x","enabled":true,"configuration":{}}"#, "script_id is not known"),
        ("geofence_client", #"{"name":""}"#, "name must be of 1 to 32 characters"),
        (
            "entertainment_configuration", #"{"metadata":{"name":"A"},"configuration_type":"cinema"}"#,
            "configuration_type is not known"
        ),
        (
            "entertainment_configuration", #"{"channels":[]}"#,
            "Property [channels] cannot be specified for this request type"
        ),
    ]) func `an invalid new resource is refused with an explanation, and nothing is created`(
        type: String, body: String, words: String
    ) {
        var fixture = V2Fixture()
        let before = fixture.home
        let reply = fixture.send("POST", type, body)
        #expect(reply.status == 400)
        #expect(reply.errors == ["Invalid Request: \(words)"])
        #expect(fixture.home == before)
    }

    @Test(arguments: [
        (
            #"{"gradient":{"points":[{"color":{"xy":{"x":0.1,"y":0.1}}}]}}"#,
            "gradient.points must be of 2 to 5 elements"
        ),
        (#"{"gradient":{"points":[{},{}]}}"#, "gradient.points[0].xy.x is missing or of the wrong type"),
        (#"{"effects":{"effect":"storm"}}"#, "effects.effect is not known"),
        (#"{"effects_v2":{"effect":"fire"}}"#, "effects_v2.action.effect is missing or of the wrong type"),
        (
            #"{"effects_v2":{"action":{"effect":"fire","parameters":{"speed":2}}}}"#,
            "effects_v2.action.parameters.speed must be between 0.0 and 1.0"
        ),
        (#"{"timed_effects":{"effect":"sunrise"}}"#, "timed_effects.duration is missing or of the wrong type"),
        (
            #"{"timed_effects":{"effect":"sunrise","duration":21600001}}"#,
            "timed_effects.duration must be between 0 and 21600000"
        ),
        (#"{"signaling":{"signal":"on_off"}}"#, "signaling.duration is missing or of the wrong type"),
        (
            #"{"signaling":{"signal":"alternating","duration":1000,"colors":[{"xy":{"x":0.1,"y":0.1}}]}}"#,
            "signaling.colors must be of 2 elements for alternating"
        ),
        (#"{"alert":{"action":"select"}}"#, "alert.action is not known"),
        (#"{"identify":{}}"#, "identify.action is missing or of the wrong type"),
        (#"{"dynamics":{"speed":1.5}}"#, "dynamics.speed must be between 0.0 and 1.0"),
        (#"{"powerup":{"preset":"never"}}"#, "powerup.preset is not known"),
        (#"{"powerup":{"preset":"safety","on":{"mode":"previous"}}}"#, "powerup.on needs the preset custom"),
        (#"{"powerup":{"preset":"custom","on":{"mode":"on"}}}"#, "powerup.on.on.on is missing or of the wrong type"),
        (
            #"{"powerup":{"preset":"custom","dimming":{"mode":"dimming","dimming":{"brightness":101}}}}"#,
            "powerup.dimming.dimming.brightness must be between 0.0 and 100.0"
        ),
        (
            #"{"powerup":{"preset":"custom","color":{"mode":"color"}}}"#,
            "powerup.color.color.xy is missing or of the wrong type"
        ),
        (#"{"metadata":{"archetype":"teapot"}}"#, "metadata.archetype is not known"),
        (#"{"metadata":5}"#, "metadata.name is missing or of the wrong type"),
        (#"{"dimming_delta":{"brightness_delta":5}}"#, "dimming_delta.action is missing or of the wrong type"),
    ]) func `an update of a light that breaks the schema is refused as a whole`(body: String, words: String) {
        var fixture = V2Fixture()
        let before = fixture.home
        let reply = fixture.send("PUT", "light", id: fixture.home.lamps[0].id, body)
        #expect(reply.status == 400)
        #expect(reply.errors == ["Invalid Request: \(words)"])
        #expect(fixture.home == before && reply.radio.isEmpty)
    }

    @Test(arguments: [
        ("Plug", #"{"effects":{"effect":"fire"}}"#, ".effects.effect"),
        ("Original", #"{"effects_v2":{"action":{"effect":"fire"}}}"#, ".effects_v2.action.effect"),
        ("Ambiance", #"{"effects":{"effect":"prism"}}"#, ".effects.effect"),
        ("Plug", #"{"timed_effects":{"effect":"sunset","duration":1000}}"#, ".timed_effects.effect"),
        (
            "Color",
            #"{"gradient":{"points":[{"color":{"xy":{"x":0.1,"y":0.1}}},{"color":{"xy":{"x":0.2,"y":0.1}}}]}}"#,
            ".gradient.points"
        ),
        (
            "Ambiance",
            #"{"signaling":{"signal":"on_off_color","duration":1000,"colors":[{"xy":{"x":0.1,"y":0.1}}]}}"#,
            ".signaling.signal"
        ),
        (
            "Plug", #"{"powerup":{"preset":"custom","dimming":{"mode":"dimming","dimming":{"brightness":10}}}}"#,
            ".powerup.dimming"
        ),
        (
            "Bloom",
            #"{"powerup":{"preset":"custom","color":{"mode":"color_temperature","color_temperature":{"mirek":300}}}}"#,
            ".powerup.color.color_temperature"
        ),
    ]) func `an attribute that a lamp does not support is reported`(name: String, body: String, attribute: String)
        throws
    {
        var fixture = V2Fixture()
        let before = fixture.home
        let lamp = try #require(fixture.home.lamp(called: name))
        let reply = fixture.send("PUT", "light", id: lamp.id, body)
        #expect(reply.status == 207)
        #expect(reply.data == [.reference(lamp.id, .light)])
        #expect(reply.errors == ["attribute (\(attribute)) is not supported by resource \(lamp.id)"])
        #expect(fixture.home == before)
    }

    @Test(arguments: [
        ("POST", "light"), ("POST", "device"), ("POST", "bridge"), ("DELETE", "light"), ("DELETE", "bridge_home"),
        ("DELETE", "grouped_light"), ("PATCH", "light"), ("PUT", "clip"), ("DELETE", "geolocation"),
    ]) func `a method that a type does not support is not allowed`(method: String, type: String) {
        var fixture = V2Fixture()
        let id =
            method == "POST"
            ? nil : ResourceID(fixture.home.documents.first { $0["type"]?.string == type }?["id"]?.string ?? "x")
        let reply = fixture.send(method, type, id: id, "{}")
        #expect(reply.status == 405)
        #expect(reply.errors == ["Method not allowed"])
    }

    @Test func `a missing resource can be neither changed nor deleted`() {
        var fixture = V2Fixture()
        let before = fixture.home
        for type in [
            "room", "zone", "scene", "smart_scene", "device", "behavior_instance", "geofence_client",
            "entertainment_configuration", "service_group", "matter_fabric",
        ] {
            #expect(fixture.send("DELETE", type, id: "00000000-0000-4000-8000-000000000000").status == 404)
        }
        for type in ["motion", "contact", "geolocation", "zigbee_device_discovery", "homekit", "smart_scene"] {
            #expect(fixture.send("PUT", type, id: "00000000-0000-4000-8000-000000000000", "{}").status == 404)
        }
        // A zone is not a room, and a square bridge has no `matter`.
        #expect(fixture.send("DELETE", "room", id: fixture.id("zone", "Colours")).status == 404)
        #expect(fixture.send("PUT", "matter", id: fixture.home.fabric.id, "{}").status == 404)
        #expect(fixture.home == before)
    }

    @Test func `the bridge's own device cannot be deleted`() {
        var fixture = V2Fixture()
        #expect(fixture.send("DELETE", "device", id: fixture.home.bridgeDevice).status == 409)
    }

    @Test func `there is room for sixty-four rooms and zones, and two hundred scenes`() throws {
        for (type, most) in [("zone", 64), ("scene", 200)] {
            var fixture = V2Fixture()
            let body = try #require(fixture.home.example(of: type))
            let there = type == "zone" ? fixture.home.groups.count - 1 : fixture.home.scenes.count
            for _ in there..<most { #expect(fixture.send("POST", type, body).status == 200) }
            let full = fixture.send("POST", type, body)
            #expect(full.status == 507)
            #expect(full.errors == ["No space for another \(type)"])
            #expect(full.data.isEmpty)
        }
    }

    @Test func `a scene's light must be in its group, be named once, and have one colour`() throws {
        var fixture = V2Fixture()
        let room = fixture.home.groups[0]
        let (inside, outside) = (room.lamps[0], try #require(fixture.home.lamp(called: "Plug")).id)
        func post(_ lamps: [ResourceID], _ action: String) -> [String] {
            let actions = lamps.map { #"{"target":{"rid":"\#($0)","rtype":"light"},"action":\#(action)}"# }
            return fixture.send(
                "POST", "scene",
                #"{"metadata":{"name":"S"},"group":{"rid":"\#(room.id)","rtype":"room"},"#
                    + #""actions":[\#(actions.joined(separator: ","))]}"#
            ).errors
        }
        #expect(post([outside], "{}") == ["Invalid Request: light \(outside) is not in the group of the scene"])
        #expect(post([inside, inside], "{}") == ["Invalid Request: light \(inside) is there twice"])
        let both = #"{"color":{"xy":{"x":0.3,"y":0.3}},"color_temperature":{"mirek":300}}"#
        #expect(
            post([inside], both) == ["Invalid Request: actions[0].action cannot have both color and color_temperature"])
        #expect(
            post([inside], #"{"alert":{}}"#) == [
                "Invalid Request: Property [alert] cannot be specified for this request type"
            ])
        #expect(post([inside], #"{"on":{"on":true}}"#).isEmpty)
    }

    @Test func `an automation refuses a trigger`() throws {
        var fixture = V2Fixture()
        let body = try #require(fixture.home.example(of: "behavior_instance"))
        let id = try #require(fixture.send("POST", "behavior_instance", body).data.first?.rid)
        let reply = fixture.send("PUT", "behavior_instance", id: id, #"{"trigger":{}}"#)
        #expect(reply.status == 400)
        #expect(reply.errors == ["The instance doesn't support triggers."])
    }

    @Test func `only one entertainment session streams at a time`() throws {
        var fixture = V2Fixture()
        let first = fixture.id("entertainment_configuration", "Films")
        let body = try #require(fixture.home.example(of: "entertainment_configuration"))
        let made = fixture.send("POST", "entertainment_configuration", body)
        let second = try #require(made.data.first?.rid)
        #expect(fixture.send("PUT", "entertainment_configuration", id: first, #"{"action":"start"}"#).status == 200)
        #expect(fixture.send("PUT", "entertainment_configuration", id: first, #"{"action":"start"}"#).status == 200)
        let other = fixture.send("PUT", "entertainment_configuration", id: first, #"{"action":"start"}"#, key: "other")
        #expect(other.status == 409)
        let refused = fixture.send("PUT", "entertainment_configuration", id: second, #"{"action":"start"}"#)
        #expect(refused.status == 409)
        #expect(refused.errors == ["Entertainment configuration \(first) is streaming already"])
        #expect(
            fixture.send("PUT", "entertainment_configuration", id: first, #"{"action":"stop"}"#, key: "other").status
                == 200
        )
        #expect(fixture.send("PUT", "entertainment_configuration", id: second, #"{"action":"start"}"#).status == 200)
        let channels = fixture.send("PUT", "entertainment_configuration", id: first, #"{"channels":[]}"#)
        #expect(channels.errors == ["Invalid Request: Property [channels] cannot be specified for this request type"])
    }
}
