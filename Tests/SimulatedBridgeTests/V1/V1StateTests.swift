import Foundation
import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

/// PUT `/lights/<n>/state`, decision by decision.
@Suite struct V1StateTests {
    static let colour = "/lights/1/state"

    @Test(
        arguments: [
            (#"{"on":false}"#, "on", "false"), (#"{"bri":1}"#, "bri", "1"), (#"{"bri":254}"#, "bri", "254"),
            // 0 is the lowest level, 255 the highest.
            (#"{"bri":0}"#, "bri", "1"), (#"{"bri":255}"#, "bri", "254"), (#"{"bri":100.0}"#, "bri", "100"),
            (#"{"hue":0,"sat":254}"#, "hue", "0"), (#"{"hue":65535,"sat":0}"#, "hue", "65535"),
            (#"{"sat":140}"#, "sat", "140"), (#"{"ct":153}"#, "ct", "153"), (#"{"ct":500}"#, "ct", "500"),
            (#"{"xy":[0.4575,0.4099]}"#, "xy", "[0.4575,0.4099]"), (#"{"alert":"lselect"}"#, "alert", #""lselect""#),
            (#"{"effect":"colorloop"}"#, "effect", #""colorloop""#), (#"{"effect":"none"}"#, "effect", #""none""#),
        ])
    func `a written value is confirmed and read back`(body: String, field: String, value: String) throws {
        var fixture = V1Fixture()
        let response = fixture.put(Self.colour, body)
        #expect(response.contains(V1Text.success("/lights/1/state/\(field)", value)))
        let shown = try #require(try fixture.state(1)[field])
        #expect(shown.words == value.filter { $0 != "\"" })
    }

    @Test(
        arguments: [
            (#"{"bri":300}"#, "bri", "300"), (#"{"bri":-1}"#, "bri", "-1"), (#"{"bri":1.5}"#, "bri", "1.5"),
            (#"{"bri":"full"}"#, "bri", "full"), (#"{"bri":true}"#, "bri", "true"), (#"{"on":1}"#, "on", "1"),
            (#"{"on":"true"}"#, "on", "true"), (#"{"on":null}"#, "on", "null"), (#"{"hue":65536}"#, "hue", "65536"),
            (#"{"hue":-1}"#, "hue", "-1"), (#"{"sat":256}"#, "sat", "256"), (#"{"ct":152}"#, "ct", "152"),
            (#"{"ct":501}"#, "ct", "501"), (#"{"xy":[0.5]}"#, "xy", "[0.5]"), (#"{"xy":[1.1,0]}"#, "xy", "[1.1,0]"),
            (#"{"xy":[0.5,0.5,0.5]}"#, "xy", "[0.5,0.5,0.5]"), (#"{"alert":"blink"}"#, "alert", "blink"),
            (#"{"effect":"candle"}"#, "effect", "candle"), (#"{"transitiontime":-1}"#, "transitiontime", "-1"),
            (#"{"transitiontime":65536}"#, "transitiontime", "65536"), (#"{"bri_inc":255}"#, "bri_inc", "255"),
            (#"{"sat_inc":-255}"#, "sat_inc", "-255"), (#"{"hue_inc":65535}"#, "hue_inc", "65535"),
            (#"{"xy_inc":[0.6,0]}"#, "xy_inc", "[0.6,0]"),
        ])
    func `a value out of range is error 7, and nothing changes`(body: String, field: String, words: String) {
        var fixture = V1Fixture()
        let before = fixture.home
        let response = fixture.put(Self.colour, body)
        #expect(
            response
                == V1Text.all(
                    V1Text.error(7, "/lights/1/state/\(field)", "invalid value, \(words), for parameter, \(field)")))
        #expect(fixture.home == before && fixture.last.radio.isEmpty)
    }

    @Test
    func `unknown attributes are error 6, read-only ones error 8, and the others are carried out`()
        throws
    {
        var fixture = V1Fixture()
        let response = fixture.put(Self.colour, #"{"foo":1,"reachable":false,"bri":7,"colormode":"hs","on":5}"#)
        #expect(
            response
                == V1Text.all(
                    V1Text.error(6, "/lights/1/state/foo", "parameter, foo, not available"),
                    V1Text.error(8, "/lights/1/state/reachable", "parameter, reachable, is not modifiable"),
                    V1Text.success("/lights/1/state/bri", "7"),
                    V1Text.error(8, "/lights/1/state/colormode", "parameter, colormode, is not modifiable"),
                    V1Text.error(7, "/lights/1/state/on", "invalid value, 5, for parameter, on")))
        #expect(try fixture.state(1)["bri"] == 7)
    }

    static let fields: [(kind: LampKind, state: Set<String>, type: String)] = [
        (.color, ["on", "bri", "hue", "sat", "xy", "ct", "effect", "colormode"], "Extended color light"),
        (.original, ["on", "bri", "hue", "sat", "xy", "ct", "effect", "colormode"], "Extended color light"),
        (.bloom, ["on", "bri", "hue", "sat", "xy", "effect", "colormode"], "Color light"),
        (.gradient, ["on", "bri", "hue", "sat", "xy", "ct", "effect", "colormode"], "Extended color light"),
        (.wide, ["on", "bri", "hue", "sat", "xy", "ct", "effect", "colormode"], "Extended color light"),
        (.ambiance, ["on", "bri", "ct", "colormode"], "Color temperature light"),
        (.dimmable, ["on", "bri"], "Dimmable light"),
        (.plug, ["on"], "On/Off plug-in unit"),
    ]

    @Test(arguments: fields) func `a light has the fields of its type, and refuses the others`(
        kind: LampKind, state: Set<String>, type: String
    ) throws {
        var fixture = V1Fixture()
        let number = try #require(fixture.home.lamp(called: kind.rawValue)).number
        let light = try fixture.get("/lights/\(number)")
        #expect(light["type"]?.string == type)
        #expect(light["modelid"]?.string == kind.product.model)
        #expect(light["state"]?.names == state.union(["alert", "mode", "reachable"]))
        let whites = light["capabilities"]?["control"]?["ct"]?["min"]?.int
        #expect(whites == kind.whites?.minimum)
        let writes = [
            "bri": "9", "hue": "9", "sat": "9", "xy": "[0.3,0.3]", "ct": "300", "effect": #""none""#, "bri_inc": "1",
            "ct_inc": "1", "hue_inc": "1", "sat_inc": "1", "xy_inc": "[0,0]",
        ]
        for (field, value) in writes {
            let response = fixture.put("/lights/\(number)/state", "{\"\(field)\":\(value)}")
            let has = state.contains(field.replacingOccurrences(of: "_inc", with: ""))
            let address = "/lights/\(number)/state/\(field)"
            #expect(
                response
                    == V1Text.all(
                        has
                            ? V1Text.success(address, value)
                            : V1Text.error(6, address, "parameter, \(field), not available")), "\(kind) \(field)")
        }
    }

    @Test func `a light that is off refuses changes that do not switch it on`() throws {
        var fixture = V1Fixture()
        fixture.put(Self.colour, #"{"on":false}"#)
        let before = fixture.home
        let response = fixture.put(Self.colour, #"{"bri":9,"transitiontime":2,"ct":300,"alert":"select","bri_inc":4}"#)
        func off(_ field: String) -> String {
            V1Text.error(
                201, "/lights/1/state/\(field)", "parameter, \(field), is not modifiable. Device is set to off.")
        }
        #expect(
            response
                == V1Text.all(
                    off("bri"), V1Text.success("/lights/1/state/transitiontime", "2"), off("ct"),
                    off("alert")))
        #expect(fixture.home == before)
        fixture.put(Self.colour, #"{"bri":9,"on":true}"#)
        #expect(try fixture.state(1)["bri"] == 9 && fixture.state(1)["on"] == true)
    }

    @Test(
        arguments: [
            (#"{"hue":1,"sat":2,"ct":300,"xy":[0.3,0.3]}"#, "xy"), (#"{"xy":[0.3,0.3],"ct":300}"#, "xy"),
            (#"{"hue":1,"ct":300}"#, "ct"), (#"{"sat":1}"#, "hs"), (#"{"hue":1}"#, "hs"), (#"{"ct_inc":5}"#, "ct"),
            (#"{"hue_inc":5}"#, "hs"), (#"{"xy_inc":[0.1,0.1]}"#, "xy"),
        ])
    func `of several colours xy wins over ct, and ct over hue and saturation`(body: String, mode: String) throws {
        var fixture = V1Fixture()
        fixture.put(Self.colour, body)
        #expect(try fixture.state(1)["colormode"]?.string == mode)
    }

    @Test(
        arguments: [
            (#"{"bri":200}"#, #"{"bri_inc":-30}"#, "bri", 170), (#"{"bri":200}"#, #"{"bri_inc":200}"#, "bri", 254),
            (#"{"bri":20}"#, #"{"bri_inc":-254}"#, "bri", 1), (#"{"bri":20}"#, #"{"bri_inc":-5,"bri":99}"#, "bri", 99),
            (#"{"hue":60000,"sat":9}"#, #"{"hue_inc":10000}"#, "hue", 4464),
            (#"{"hue":100,"sat":9}"#, #"{"hue_inc":-200}"#, "hue", 65436),
            (#"{"hue":100,"sat":9}"#, #"{"hue_inc":-200}"#, "sat", 9),
            (#"{"sat":200}"#, #"{"sat_inc":100}"#, "sat", 254), (#"{"sat":20}"#, #"{"sat_inc":-100}"#, "sat", 0),
            (#"{"ct":400}"#, #"{"ct_inc":-50}"#, "ct", 350), (#"{"ct":400}"#, #"{"ct_inc":65534}"#, "ct", 500),
            (#"{"ct":400}"#, #"{"ct_inc":-65534}"#, "ct", 153),
        ])
    func `a step starts from the present value, wraps around in hue, and else stops at the limits`(
        first: String, second: String, field: String, value: Int
    ) throws {
        var fixture = V1Fixture()
        fixture.put(Self.colour, first)
        fixture.put(Self.colour, second)
        #expect(try fixture.state(1)[field]?.int == value)
    }

    @Test func `a step beside its absolute value is ignored without an error`() {
        var fixture = V1Fixture()
        #expect(
            fixture.put(Self.colour, #"{"bri_inc":-5,"bri":99}"#)
                == V1Text.all(V1Text.success("/lights/1/state/bri", "99")))
    }

    @Test func `a step of 0 stops a transition where it is`() throws {
        var fixture = V1Fixture()
        fixture.put(Self.colour, #"{"bri":1,"transitiontime":0}"#)
        fixture.pass(.seconds(1))
        fixture.put(Self.colour, #"{"bri_inc":253,"transitiontime":100}"#)
        #expect(try fixture.state(1)["bri"] == 254)
        // Half of the ten seconds, and the delay of the radio.
        fixture.pass(.seconds(5) + fixture.context.mesh.timing.hop)
        fixture.put(Self.colour, #"{"bri_inc":0}"#)
        let level = try #require(try fixture.state(1)["bri"]?.int)
        #expect((126...129).contains(level))
        fixture.pass(.seconds(60))
        let lamp = try #require(fixture.home.lamp(number: 1))
        #expect(fixture.context.mesh.lightState(of: lamp.id, at: fixture.context.now)?.level == level)
    }

    @Test(arguments: [("", 400), (#","transitiontime":0"#, 0), (#","transitiontime":100"#, 10_000)])
    func `a change takes 400 ms by default`(body: String, milliseconds: Int) throws {
        var fixture = V1Fixture()
        let lamp = try #require(fixture.home.lamp(number: 1))
        fixture.put(Self.colour, #"{"bri":3\#(body)}"#)
        #expect(fixture.last.radio == [.unicast(lamp.id, over: .milliseconds(milliseconds))])
    }

    @Test func `an alert does not end a transition`() throws {
        var fixture = V1Fixture()
        let lamp = try #require(fixture.home.lamp(number: 1))
        fixture.put(Self.colour, #"{"alert":"select"}"#)
        #expect(fixture.last.radio == [.unicast(lamp.id, over: .zero)])
        fixture.put(Self.colour, #"{"bri":3,"transitiontime":100}"#)
        fixture.pass(.seconds(1))
        fixture.put(Self.colour, #"{"alert":"lselect"}"#)
        #expect(fixture.last.radio.isEmpty)
        #expect(try fixture.state(1)["alert"] == "lselect")
    }

    @Test func `a colour or white out of range becomes the nearest that the lamp can show`() throws {
        var fixture = V1Fixture()
        let response = fixture.put("/lights/2/state", #"{"xy":[0.15,0.75]}"#)
        #expect(response == V1Text.all(V1Text.success("/lights/2/state/xy", "[0.15,0.75]")))
        let shown = try #require(try fixture.state(2)["xy"]?.array?.compactMap(\.double))
        #expect(Gamut.b.held(XY(x: 0.15, y: 0.75)) == XY(x: shown[0], y: shown[1]))
        fixture.put("/lights/6/state", #"{"ct":500}"#)
        #expect(try fixture.state(6)["ct"] == 454)
        fixture.put("/lights/5/state", #"{"ct":900}"#)
        #expect(try fixture.state(5)["ct"] == 900)
    }

    @Test func `a lamp without mains takes commands and is shown as unreachable`() throws {
        var fixture = V1Fixture()
        let lamp = try #require(fixture.home.lamp(number: 1))
        fixture.context.home = fixture.home.alter(by: .updating(.lamp(lamp.id, by: [.cutting(.mains)])))
        #expect(try fixture.state(1)["reachable"] == false)
        #expect(fixture.put(Self.colour, #"{"bri":9}"#) == V1Text.all(V1Text.success("/lights/1/state/bri", "9")))
        #expect(try fixture.state(1)["bri"] == 9)
    }

    @Test(
        arguments: [
            ("/lights/99/state", 3, "resource, /lights/99/state, not available"),
            ("/lights/01/state", 3, "resource, /lights/01/state, not available"),
            ("/lights/1/stat", 3, "resource, /lights/1/stat, not available"),
            ("/lights/1/state/on", 3, "resource, /lights/1/state/on, not available"),
            ("/lights", 4, "method, PUT, not available for resource, /lights"),
        ])
    func `an unknown path is error 3, a wrong method error 4`(path: String, type: Int, words: String) {
        var fixture = V1Fixture()
        #expect(fixture.put(path, #"{"on":true}"#) == V1Text.all(V1Text.error(type, path, words)))
    }

    @Test(arguments: ["", "{", "on", "nul", "{\"on\":}", "\u{FF}"]) func `a body that is not JSON is error 2`(
        body: String
    ) {
        var fixture = V1Fixture()
        #expect(
            fixture.put(Self.colour, body) == V1Text.all(V1Text.error(2, Self.colour, "body contains invalid json")))
    }

    @Test(arguments: ["{}", "[]", "[1]", "5", "null", #""on""#]) func `a body without attributes is error 5`(
        body: String
    ) {
        var fixture = V1Fixture()
        let words = "invalid/missing parameters in body"
        #expect(fixture.put(Self.colour, body) == V1Text.all(V1Text.error(5, Self.colour, words)))
    }
}
