import Foundation
import HueWire
import Khipu
import Lighting
import LightingTestKit
import Testing

@testable import HueBridge

/// What a report says of effects and gradients, and what is left to send of them. Values alone.
@Suite struct EffectMirrorTests {
    private static let id = ResourceID("lamp")

    private func resource(_ members: String) throws -> LightResource {
        try JSONDecoder().decode(LightResource.self, from: Data(#"{"id":"lamp","type":"light",\#(members)}"#.utf8))
    }

    private func lamp(_ members: String) throws -> LightMirror {
        LightMirror(try resource(members), of: nil, name: "Lamp")
    }

    private static let candle =
        #""effects_v2":{"action":{"effect_values":["no_effect","candle"]},"status":{"effect":"candle"}}"#
    private static let none = #""effects_v2":{"status":{"effect":"no_effect"}}"#
    private static let strip =
        #""on":{"on":true},"dimming":{"brightness":40},"color":{"xy":{"x":0.6,"y":0.3}},"gradient":{"points":[{"color":{"xy":{"x":0.6,"y":0.3}}},{"color":{"xy":{"x":0.2,"y":0.1}}}],"mode":"interpolated_palette","points_capable":5}"#

    /// A filament lamp (Koenkk/zigbee2mqtt#16258).
    @Test func `a lamp without colours and whites tells of its effects, and of their end`() throws {
        var lamp = try lamp(#""on":{"on":true},"dimming":{"brightness":40},"# + Self.candle)
        #expect(lamp.values.effect?.name == "candle" && lamp.values.mode == .unset)
        #expect(try lamp.merge(resource(Self.none))?.values == LightPatch(tone: .effect(nil, over: nil)))
        #expect(lamp.patch.tone == .effect(nil, over: nil) && lamp.values.effect == nil)
        let again = try lamp.merge(resource(Self.candle))
        #expect(again?.values.tone == .effect(Light.Effect("candle"), over: nil))
        // One that cannot says nothing of it.
        #expect(try self.lamp(#""on":{"on":true},"dimming":{"brightness":40}"#).patch.tone == nil)
    }

    @Test func `where two forms disagree the newer counts, and an older one alone is heard`() throws {
        var lamp = try lamp(
            Self.candle + #","effects":{"status":"sparkle","effect_values":["no_effect","sparkle"]}"#)
        #expect(lamp.values.effect?.name == "candle")
        _ = try lamp.merge(resource(#""effects":{"status":"no_effect"}"#))
        #expect(lamp.values.effect == nil)
    }

    @Test(arguments: [(0.6, 0.3), (0.45, 0.41)])
    func `a colour without points is the only one, if it was asked for or is none of them`(x: Double, y: Double) throws
    {
        var strip = try lamp(Self.strip)
        strip.requestedColors = [.init(xy: XY(x: x, y: y), color: HueSaturation(XY(x: x, y: y)))]
        let report = try strip.merge(resource(#""color":{"xy":{"x":\#(x),"y":\#(y)}}"#))
        #expect(strip.values.gradient == nil)
        if case .color? = report?.values.tone {} else { Issue.record("\(String(describing: report))") }
    }

    @Test func `of a gradient whose first colour is reported, the others stay`() throws {
        var strip = try lamp(Self.strip)
        _ = try strip.merge(resource(#""color":{"xy":{"x":0.6,"y":0.3}}"#))
        #expect(strip.values.gradient?.points.count == 2)
    }

    @Test func `an effect is shown only in the speed and the colour that were asked for`() throws {
        var lamp = try lamp(Self.candle)
        let red = XY(x: 0.6, y: 0.3)
        lamp.effect = LightUpdate.Effect("candle", speed: 0.5, color: .xy(red))
        func shows(_ speed: Double? = nil, _ color: LightUpdate.Color? = nil) -> Bool {
            lamp.shows(LightUpdate(color: .effect(.init("candle", speed: speed, color: color), over: nil)))
        }
        lamp.isOn = true
        #expect(shows() && shows(0.5) && shows(0.5, .xy(red)))
        #expect(!shows(0.9) && !shows(0.5, .xy(XY(x: 0.2, y: 0.1))) && !shows(nil, .mirek(400)))
        #expect(!lamp.shows(LightUpdate(color: .effect(.init(LightUpdate.Effect.none), over: nil))))
    }

    private static let moving =
        #""on":{"on":true},"dimming":{"brightness":40},"color":{"xy":{"x":0.3,"y":0.3},"gamut_type":"C"},"dynamics":{"status":"dynamic_palette","speed":0.6,"speed_valid":true}"#
    private static let resting = #""dynamics":{"status":"none","speed":0.0,"speed_valid":false}"#

    @Test func `a lamp that a dynamic scene moves says so, until it gets a colour or an effect`() throws {
        var lamp = try lamp(Self.moving)
        let palette = Light.Effect(Light.Effect.palette, speed: 0.6)
        #expect(lamp.values.effect == palette && lamp.values.mode == .hsb)
        let next = try lamp.merge(resource(#""color":{"xy":{"x":0.4,"y":0.4}}"#))
        #expect(next?.values.tone?.base != nil && lamp.values.effect == palette)
        _ = try lamp.merge(resource(#""dynamics":{"speed":0.2,"speed_valid":true}"#))
        #expect(lamp.values.effect?.speed == 0.2)
        // What says nothing of the palette does not end it.
        _ = try lamp.merge(resource(Self.none))
        #expect(lamp.values.effect?.name == Light.Effect.palette)
        #expect(!lamp.shows(LightUpdate(color: .xy(XY(x: 0.4, y: 0.4)))))
        _ = try lamp.merge(resource(Self.resting))
        #expect(lamp.values.effect == nil && lamp.shows(LightUpdate(color: .xy(XY(x: 0.4, y: 0.4)))))
        // Nor does the end of a palette end an effect.
        _ = try lamp.merge(resource(Self.candle))
        _ = try lamp.merge(resource(Self.resting))
        #expect(lamp.values.effect?.name == "candle")
    }

    /// A scene may set an effect, too; the first colour of its palette ends that.
    @Test func `a dynamic scene that has begun with an effect goes on as a dynamic scene`() throws {
        var lamp = try lamp(Self.candle)
        _ = try lamp.merge(resource(Self.candle + "," + #""dynamics":{"status":"dynamic_palette","speed":0.6}"#))
        #expect(lamp.isMoving)
        _ = try lamp.merge(resource(#""color":{"xy":{"x":0.4,"y":0.4}},"# + Self.none))
        #expect(lamp.isMoving)
    }

    @Test func `a dynamic scene ends on a lamp with the colour that it shows`() throws {
        let lamp = try lamp(Self.moving)
        let end = LightUpdate(color: .effect(LightUpdate.Effect(LightUpdate.Effect.none), over: nil))
        #expect(end.held(for: lamp).color == .xy(XY(x: 0.3, y: 0.3)))
        // Its own values, as they are kept or stored in a scene, are a colour.
        let body = String(decoding: try JSONEncoder().encode(LightUpdate(color: lamp.look.color)), as: UTF8.self)
        #expect(body.contains("color") && !body.contains("effect"), "\(body)")
    }

    private static let red = LightUpdate.Color.xy(XY(x: 0.6, y: 0.3))
    private static let fire = LightUpdate.Effect("fire")

    @Test func `what waits is put together as it would show one after the other`() {
        let (points, others) = ([XY(x: 0.6, y: 0.3), XY(x: 0.2, y: 0.1)], [XY(x: 0.3, y: 0.3), XY(x: 0.4, y: 0.4)])
        let none = LightUpdate.Effect(LightUpdate.Effect.none)
        for (newer, older, both) in [
            (.effect(Self.fire, over: nil), Self.red, .effect(Self.fire, over: Self.red)),
            (.effect(none, over: nil), .effect(Self.fire, over: Self.red), Self.red),
            (.effect(none, over: nil), nil, .effect(none, over: nil)),
            (Self.red, .effect(Self.fire, over: nil), Self.red),
            (.gradient(others, mode: nil), .gradient(points, mode: "a"), .gradient(others, mode: "a")),
            (
                .effect(Self.fire, over: .gradient(others, mode: nil)), .gradient(points, mode: "a"),
                .effect(Self.fire, over: .gradient(others, mode: "a"))
            ),
        ] as [(LightUpdate.Color, LightUpdate.Color?, LightUpdate.Color)] {
            #expect(newer.over(older) == both)
        }
    }

    /// It comes back, is sent an effect at once, and then what was kept for it.
    @Test func `a colour that was kept for an absent lamp does not end a newer effect`() {
        var offline = OfflineCommands(OfflineCommands.Policy())
        offline.keep(LightUpdate(color: Self.red), for: Self.id, by: nil, at: .zero)
        offline.returned(Self.id, at: .seconds(1))
        offline.replace(Self.id, by: LightUpdate(color: .effect(Self.fire, over: nil)))
        #expect(offline.due(at: .seconds(5)).map(\.update.color) == [.effect(Self.fire, over: Self.red)])
    }
}
