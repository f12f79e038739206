import Foundation
import HueWire
import Testing

@testable import SimulatedBridge

/// What a PUT does, and its errors, with the texts of real bridges.
@Suite struct V2UpdateTests {
    private static let home = SimulatedHome(.flat, seed: 1)

    private static func lamp(_ name: String) -> Lamp { home.lamp(called: name)! }
    private static func group(_ name: String) -> SimulatedHome.Group { home.groups.first { $0.name == name }! }
    private static func scene(_ name: String) -> SimulatedHome.Scene { home.scenes.first { $0.name == name }! }

    private static func put(_ type: String, _ id: ResourceID, _ body: String, in home: SimulatedHome = home) throws
        -> Put
    {
        let request = V2API.Request(
            method: "PUT", type: ResourceType(rawValue: type), id: id, body: Array(body.utf8))
        let writing = V2API.decide(request, in: DecisionContext(home: home))
        return try Put(home: home.alter(by: writing.changes), changes: writing.changes, response: writing.response)
    }

    struct Put {
        let home: SimulatedHome
        let changes: [SimulatedHome.Change]
        let status: Int
        let data: [JSONValue]
        let errors: [HueError]

        init(home: SimulatedHome, changes: [SimulatedHome.Change], response: BridgeResponse) throws {
            self.home = home
            self.changes = changes
            status = response.status
            let body = try HTTPResponseBody(response)
            (data, errors) = (body.data, body.errors)
        }
    }

    // MARK: - Refused as a whole

    @Test(arguments: [
        ("", "Invalid Request: body is not JSON"),
        ("{", "Invalid Request: body is not JSON"),
        ("[]", "Invalid Request: body is not an object"),
        (#"{"channels":[]}"#, "Invalid Request: Property [channels] cannot be specified for this request type"),
        (#"{"on":{"on":true},"b":1,"a":1}"#, "Invalid Request: Property [a] cannot be specified for this request type"),
        (#"{"on":{"on":"yes"}}"#, "Invalid Request: on.on is missing or of the wrong type"),
        (#"{"on":{"on":1}}"#, "Invalid Request: on.on is missing or of the wrong type"),
        (#"{"on":{}}"#, "Invalid Request: on.on is missing or of the wrong type"),
        (#"{"on":true}"#, "Invalid Request: on.on is missing or of the wrong type"),
        (#"{"dimming":{"brightness":101}}"#, "Invalid Request: dimming.brightness must be between 0.0 and 100.0"),
        (#"{"dimming":{"brightness":-1}}"#, "Invalid Request: dimming.brightness must be between 0.0 and 100.0"),
        (#"{"dimming":{"brightness":"50"}}"#, "Invalid Request: dimming.brightness is missing or of the wrong type"),
        (
            #"{"dimming_delta":{"action":"up","brightness_delta":101}}"#,
            "Invalid Request: dimming_delta.brightness_delta must be between 0.0 and 100.0"
        ),
        (
            #"{"dimming_delta":{"action":"up"}}"#,
            "Invalid Request: dimming_delta.brightness_delta is missing or of the wrong type"
        ),
        (
            #"{"color_temperature":{"mirek":49}}"#,
            "Invalid Request: color_temperature.mirek must be between 50.0 and 1000.0"
        ),
        (
            #"{"color_temperature":{"mirek":1001}}"#,
            "Invalid Request: color_temperature.mirek must be between 50.0 and 1000.0"
        ),
        (
            #"{"color_temperature":{"mirek":null}}"#,
            "Invalid Request: color_temperature.mirek is missing or of the wrong type"
        ),
        (#"{"color":{"xy":{"x":1.1,"y":0.3}}}"#, "Invalid Request: color.xy.x must be between 0.0 and 1.0"),
        (#"{"color":{"xy":{"x":0.3,"y":-0.1}}}"#, "Invalid Request: color.xy.y must be between 0.0 and 1.0"),
        (#"{"color":{"xy":{"x":0.3}}}"#, "Invalid Request: color.xy.y is missing or of the wrong type"),
        (#"{"dynamics":{"duration":-1}}"#, "Invalid Request: dynamics.duration must be between 0.0 and 6000000.0"),
        (#"{"dynamics":{"duration":6000001}}"#, "Invalid Request: dynamics.duration must be between 0.0 and 6000000.0"),
        (#"{"metadata":{"name":""}}"#, "Invalid Request: metadata.name must be of 1 to 32 characters"),
        (
            #"{"metadata":{"name":"123456789012345678901234567890123"}}"#,
            "Invalid Request: metadata.name must be of 1 to 32 characters"
        ),
    ]) func `a body that breaks the schema is refused as a whole, and nothing changes`(body: String, words: String)
        throws
    {
        // The rest of the body has no effect, valid or not.
        let put = try Self.put("light", Self.lamp("Desk").id, body)
        #expect(put.status == 400)
        #expect(put.data.isEmpty)
        #expect(put.errors == [HueError(words, code: "client_error")])
        #expect(put.home == Self.home)
    }

    @Test(arguments: ["metadata", "powerup", "effects", "gradient", "identify", "channels"])
    func `a group refuses properties that it does not have`(property: String) throws {
        let put = try Self.put(
            "grouped_light", Self.group("Kitchen").groupedLight, #"{"\#(property)":{"name":"All alike"}}"#)
        #expect(put.status == 400)
        #expect(
            put.errors == [
                HueError(
                    "Invalid Request: Property [\(property)] cannot be specified for this request type",
                    code: "client_error")
            ])
        #expect(put.home == Self.home)
    }

    @Test(arguments: [
        ("device", "recall"), ("room", "actions"), ("zone", "identify"), ("scene", "children"), ("scene", "group"),
    ])
    func `other resources refuse properties that they do not have`(type: String, property: String) throws {
        let ids = [
            "device": Self.lamp("Desk").ids.device, "room": Self.group("Kitchen").id,
            "zone": Self.group("Downstairs").id,
            "scene": Self.scene("Bright").id,
        ]
        let put = try Self.put(type, try #require(ids[type]), #"{"\#(property)":{}}"#)
        #expect(put.status == 400)
        #expect(
            put.errors.map(\.description) == [
                "Invalid Request: Property [\(property)] cannot be specified for this request type"
            ])
    }

    @Test(arguments: ["light", "grouped_light", "device", "room", "zone", "scene"])
    func `a PUT to a missing resource is 404`(type: String) throws {
        let put = try Self.put(type, "00000000-0000-4000-8000-000000000000", "{}")
        #expect(put.status == 404)
        #expect(put.errors == [HueError("Not Found", code: "client_error")])
        #expect(put.data.isEmpty)
    }

    @Test(arguments: ["bridge", "zigbee_connectivity", "bridge_home"])
    func `a PUT to a read-only resource is 405`(type: String) throws {
        let put = try Self.put(type, Self.lamp("Desk").id, "{}")
        #expect(put.status == 405)
        #expect(put.errors == [HueError("Method not allowed", code: "client_error")])
    }

    // MARK: - Accepted, with errors

    @Test func `a lamp without mains takes the values, with a warning for each attribute`() throws {
        let desk = Self.lamp("Desk")
        let dark = Self.home.alter(by: .updating(.lamp(desk.id, by: [.cutting(.mains)])))
        let body = #"{"on":{"on":true},"dimming":{"brightness":50},"color":{"xy":{"x":0.3,"y":0.3}}}"#
        let put = try Self.put("light", desk.id, body, in: dark)
        #expect(put.status == 207)
        #expect(put.data == [.reference(desk.id, .light)])
        #expect(
            put.errors
                == [".on.on", ".dimming.brightness", ".color.xy"].map {
                    HueError(
                        "device (light) \(desk.id) has communication issues, command (\($0)) may not have effect",
                        code: "communication_error")
                })
        #expect(put.errors.filter { !$0.isAdvisory }.isEmpty)
        #expect(put.home.lamp(desk.id)?.isOn == true)
    }

    @Test func `a group with lamps without mains has one warning for each attribute`() throws {
        let kitchen = Self.group("Kitchen")
        let dark = Self.home.alter(by: kitchen.lamps.map { .updating(.lamp($0, by: [.cutting(.mains)])) })
        let put = try Self.put("grouped_light", kitchen.groupedLight, #"{"on":{"on":true}}"#, in: dark)
        #expect(put.status == 207)
        #expect(put.data == [.reference(kitchen.groupedLight, .groupedLight)])
        #expect(
            put.errors == [
                HueError(
                    "device (grouped_light) \(kitchen.groupedLight) has communication issues, "
                        + "command (.on.on) may not have effect",
                    code: "communication_error")
            ])
    }

    @Test(arguments: [
        (#"{"dimming":{"brightness":50}}"#, [".dimming.brightness"]),
        (#"{"color_temperature":{"mirek":300}}"#, [".color_temperature.mirek"]),
        (#"{"dimming":{"brightness":50},"color":{"xy":{"x":0.3,"y":0.3}}}"#, [".dimming.brightness", ".color.xy"]),
    ]) func `a lamp that is off takes the values, with a warning for each attribute`(body: String, attributes: [String])
        throws
    {
        let desk = Self.lamp("Desk")
        let put = try Self.put("light", desk.id, body)
        #expect(put.status == 207)
        #expect(put.data == [.reference(desk.id, .light)])
        #expect(
            put.errors
                == attributes.map {
                    HueError(
                        "device (light) \(desk.id) is \"soft off\", command (\($0)) may not have effect",
                        code: "attribute_may_have_no_effect")
                })
        #expect(put.home.lamp(desk.id)?.isOn == false)
        #expect(put.home != Self.home)
    }

    @Test(arguments: [
        ("Fan", #"{"on":{"on":true},"dimming":{"brightness":50}}"#, ".dimming.brightness"),
        ("Counter", #"{"on":{"on":true},"color_temperature":{"mirek":300}}"#, ".color_temperature.mirek"),
        ("Sofa", #"{"on":{"on":true},"color":{"xy":{"x":0.3,"y":0.3}}}"#, ".color.xy"),
    ]) func `an attribute that a lamp does not support is refused, and the rest is done`(
        name: String, body: String, attribute: String
    ) throws {
        let lamp = Self.lamp(name)
        let put = try Self.put("light", lamp.id, body)
        #expect(put.status == 207)
        #expect(put.data == [.reference(lamp.id, .light)])
        #expect(
            put.errors == [
                HueError("attribute (\(attribute)) is not supported by resource \(lamp.id)", code: "client_error")
            ])
        #expect(!put.errors[0].isAdvisory)
        #expect(put.home.lamp(lamp.id) == lamp.alter(by: .turning(.it(on: true))))
    }

    // MARK: - Accepted

    @Test func `brightness 0 is the lowest level, not off`() throws {
        let stove = Self.lamp("Stove")
        let put = try Self.put("light", stove.id, #"{"dimming":{"brightness":0}}"#)
        #expect(put.status == 200 && put.errors.isEmpty)
        #expect(put.home.lamp(stove.id)?.isOn == true)
        #expect(put.home.lamp(stove.id)?.level == 1)
    }

    @Test(arguments: [(50, 49.8), (20, 20.16), (100, 100), (0, 0)] as [(Double, Double)])
    func `levels are rounded to the lamp's steps`(written: Double, read: Double) throws {
        let stove = Self.lamp("Stove")
        let put = try Self.put("light", stove.id, #"{"dimming":{"brightness":\#(written)}}"#)
        #expect(put.home.lamp(stove.id)?.percent == read)
    }

    @Test(arguments: [("up", 10.0), ("down", -10.0)])
    func `a step starts from the present value, and stops at the limits`(
        action: String, points: Double
    ) throws {
        let stove = Self.lamp("Stove")
        func stepped(from percent: Double) throws -> Double? {
            let home = Self.home.alter(
                by: .updating(.lamp(stove.id, by: [.setting(.level(to: Level.bri(percent: percent)))])))
            let body = #"{"dimming_delta":{"action":"\#(action)","brightness_delta":10}}"#
            return try Self.put("light", stove.id, body, in: home).home.lamp(stove.id)?.percent
        }
        let middle = try #require(try stepped(from: 50))
        #expect(abs(middle - 50 - points) < 0.5)
        #expect(try stepped(from: points > 0 ? 95 : 5) == (points > 0 ? 100 : 0))
    }

    @Test func `stopping a step changes nothing`() throws {
        let stove = Self.lamp("Stove")
        for feature in ["dimming_delta", "color_temperature_delta"] {
            #expect(try Self.put("light", stove.id, #"{"\#(feature)":{"action":"stop"}}"#).home == Self.home)
        }
    }

    @Test func `whites are limited to the lamp's range, as values and by steps`() throws {
        let stove = Self.lamp("Stove")
        func tint(_ body: String) throws -> Lamp.Tint? {
            try Self.put("light", stove.id, body).home.lamp(stove.id)?.tint
        }
        #expect(try tint(#"{"color_temperature":{"mirek":1000}}"#) == .white(mirek: 454))
        #expect(try tint(#"{"color_temperature":{"mirek":50}}"#) == .white(mirek: 153))
        #expect(try tint(#"{"color_temperature_delta":{"action":"up","mirek_delta":20}}"#) == .white(mirek: 270))
        #expect(try tint(#"{"color_temperature_delta":{"action":"down","mirek_delta":347}}"#) == .white(mirek: 153))
    }

    @Test func `a colour outside the gamut is moved to its border`() throws {
        let desk = Self.lamp("Desk")
        let put = try Self.put("light", desk.id, #"{"on":{"on":true},"color":{"xy":{"x":1,"y":0}}}"#)
        #expect(put.status == 200)
        guard case let .color(point)? = put.home.lamp(desk.id)?.tint else {
            Issue.record("no colour")
            return
        }
        #expect(point == Gamut.c.held(XY(x: 1, y: 0)))
        #expect(point.distance(to: XY(x: 1, y: 0)) > 0.1)
    }

    @Test func `a colour wins over a white in the same body`() throws {
        let desk = Self.lamp("Desk")
        let body = #"{"on":{"on":true},"color_temperature":{"mirek":200},"color":{"xy":{"x":0.3,"y":0.4}}}"#
        #expect(try Self.put("light", desk.id, body).home.lamp(desk.id)?.tint == .color(XY(x: 0.3, y: 0.4)))
    }

    @Test func `a group ignores what some of its lamps do not support, without a warning`() throws {
        let living = Self.group("Living")
        let body = #"{"on":{"on":true},"dimming":{"brightness":100},"color":{"xy":{"x":0.3,"y":0.4}}}"#
        let put = try Self.put("grouped_light", living.groupedLight, body)
        #expect(put.status == 200 && put.errors.isEmpty)
        #expect(put.home.lamps.filter(\.isOn).map(\.name) == ["Stove", "Desk", "Sofa", "Fan"])
        #expect(put.home.lamp(called: "Desk")?.tint == .color(XY(x: 0.3, y: 0.4)))
        #expect(put.home.lamp(called: "Sofa")?.tint == .white(mirek: 400))
        #expect(put.home.lamp(called: "Fan")?.tint == Lamp.Tint.none)
    }

    @Test func `the home's grouped light switches every lamp`() throws {
        let home = try #require(Self.home.groups.last)
        #expect(home.kind == .bridgeHome)
        let put = try Self.put("grouped_light", home.groupedLight, #"{"on":{"on":true}}"#)
        #expect(put.home.lamps.filter { !$0.isOn }.isEmpty)
    }

    @Test func `a device's name is its light's name`() throws {
        let desk = Self.lamp("Desk")
        let put = try Self.put("device", desk.ids.device, #"{"metadata":{"name":"Table"}}"#)
        #expect(put.status == 200)
        #expect(put.data == [.reference(desk.ids.device, .device)])
        #expect(put.home.lamp(desk.id) == desk.alter(by: .renaming(.it(to: "Table"))))
    }

    @Test func `rooms, zones and scenes are renamed`() throws {
        for (type, id) in [
            ("room", Self.group("Kitchen").id), ("zone", Self.group("Downstairs").id),
            ("scene", Self.scene("Bright").id),
        ] {
            let put = try Self.put(type, id, #"{"metadata":{"name":"Other"}}"#)
            #expect(put.status == 200)
            let document = try #require(put.home.documents.first { $0["id"] == .id(id) })
            #expect(document["metadata"]?["name"] == "Other")
        }
    }

    @Test(arguments: ["active", "static", "dynamic_palette"]) func `a scene is recalled`(action: String) throws {
        let scene = Self.scene("Evening")
        let put = try Self.put("scene", scene.id, #"{"recall":{"action":"\#(action)","duration":1000}}"#)
        #expect(put.status == 200)
        #expect(put.data == [.reference(scene.id, .scene)])
        let status: SimulatedHome.Scene.Status = action == "dynamic_palette" ? .dynamicPalette : .static
        let recalled = Self.home.alter(by: .recalling(.scene(scene.id, as: status)))
        #expect(put.home.lamps == recalled.lamps)
        #expect(put.home.scene(scene.id)?.status == status)
        #expect(put.home.scene(scene.id)?.lastRecall == Date(timeIntervalSince1970: 0))
    }

    @Test(arguments: [
        (#"{"recall":{"status":"active"}}"#, 500, "Internal error"),
        (#"{"recall":{"action":"dance"}}"#, 400, "Invalid Request: recall.action is not known"),
        (
            #"{"recall":{"action":"active","duration":6000001}}"#, 400,
            "Invalid Request: recall.duration must be between 0 and 6000000"
        ),
    ]) func `an invalid recall is refused`(body: String, status: Int, words: String) throws {
        let put = try Self.put("scene", Self.scene("Evening").id, body)
        #expect(put.status == status)
        #expect(put.errors.map(\.description) == [words])
        #expect(put.home == Self.home)
    }
}

/// The envelope of an answer.
private struct HTTPResponseBody {
    let data: [JSONValue]
    let errors: [HueError]

    init(_ response: BridgeResponse) throws {
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(response.body))
        data = try #require(value["data"]?.array)
        errors = try #require(value["errors"]?.array).map { error in
            HueError(try #require(error["description"]?.string), code: error["error_code"]?.string)
        }
    }
}
