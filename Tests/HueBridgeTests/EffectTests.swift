import HueWire
import Khipu
import Lighting
import LightingTestKit
import SimulatedBridge
import TestSupport
import Testing

@testable import HueBridge

/// Effects and gradients between the domain and a bridge, also where the bridge tells of them late, in part, or in two
/// ways.
@Suite(.timeLimit(.minutes(5)))
struct EffectTests {
    private static let points = [Light.Color(hue: 0, saturation: 1), Light.Color(hue: 0.6, saturation: 0.8)]
    private static let gradient = LightPatch.Tone.gradient(Light.Gradient(points, mode: .mirrored))

    @Test func `what is asked of a lamp is sent, reported in the person's words, and ended by a colour`() async throws {
        try await withBridge(.villa) { fixture in
            try await fixture.connect()
            let (strip, lamp) = (fixture.light("gradient"), fixture.light("color"))
            let prism = Light.Effect("prism", speed: 0.25)
            // Full blue lies outside the gamut: calculated back, it would be another.
            let candle = Light.Effect("candle", speed: 0.5, color: Light.Color(hue: 2.0 / 3, saturation: 1))
            #expect(await fixture.show(.effect(prism, over: Self.gradient), on: strip) == .succeeded)
            #expect(await fixture.show(.effect(candle, over: nil), on: lamp) == .succeeded)
            try await fixture.updates.wait("both run") {
                $0.lights[strip]?.values.effect == prism && $0.lights[lamp]?.values.effect?.name == "candle"
            }
            let shown = try #require(fixture.updates.state.lights[strip]?.values)
            #expect(shown.gradient?.mode == .mirrored && shown.gradient?.points.isNear(Self.points) == true)
            let running = try #require(fixture.updates.state.lights[lamp]?.values.effect)
            #expect(
                running.speed == 0.5 && [running.color].compactMap(\.self).isNear([candle.color].compactMap(\.self)))
            #expect(await fixture.show(.white(300.mirek), on: strip) == .succeeded)
            #expect(await fixture.show(.effect(nil, over: nil), on: lamp) == .succeeded)
            try await fixture.updates.wait("both have ended") {
                let (strip, lamp) = ($0.lights[strip]?.values, $0.lights[lamp]?.values)
                return strip?.effect == nil && strip?.gradient == nil && strip?.temperature == 300.mirek
                    && lamp?.effect == nil
            }
        }
    }

    @Test func `what a lamp can is read, whichever firmware lists it`() async throws {
        try await withBridge(.villa) { fixture in
            try await fixture.connect()
            let limits = fixture.updates.state.light("gradient")?.limits
            #expect(limits?.gradientPoints == 5 && limits?.gradientModes?.contains(.random) == true)
            #expect(limits?.effects?.contains("prism") == true && limits?.timedEffects == ["sunrise", "sunset"])
            #expect(fixture.updates.state.light("plug")?.limits.effects == nil)
            #expect(fixture.updates.state.light("color")?.limits.gradientPoints == nil)
        }
        // As bridges of before 2025.
        let old = try Fault("missing-fields")
        try await withBridge(.villa, { $0.quirks.append(old) }) { fixture in
            try await fixture.connect()
            let lamp = fixture.light("color")
            #expect(fixture.updates.state.lights[lamp]?.limits.effects?.contains("candle") == true)
            #expect(await fixture.show(.effect(Light.Effect("candle"), over: nil), on: lamp) == .succeeded)
            #expect(
                await fixture.bridge.controls.requests.last?.body.contains(#""effects":{"effect":"candle"}"#) == true)
            try await fixture.updates.wait("it runs") { $0.lights[lamp]?.values.effect?.name == "candle" }
        }
    }

    @Test(arguments: ["late-effects", "effects-disagree", "missing-points", "lose-events"])
    func `a bridge that tells of it badly leads to no false word`(fault: String) async throws {
        try await withBridge(.villa) { fixture in
            try await fixture.connect()
            let strip = fixture.light("gradient")
            #expect(await fixture.show(.effect(Light.Effect("fire"), over: Self.gradient), on: strip) == .succeeded)
            try await fixture.updates.wait("it runs") { $0.lights[strip]?.values.effect?.name == "fire" }
            await fixture.bridge.controls.begin(try Fault(fault))
            // An effect over one colour, which ends the gradient, and then no effect.
            let red = LightPatch.Tone.color(hue: 0, saturation: 1)
            #expect(await fixture.show(.effect(Light.Effect("opal"), over: red), on: strip) == .succeeded)
            try await fixture.updates.wait("opal over one colour") {
                let values = $0.lights[strip]?.values
                return values?.effect?.name == "opal" && values?.gradient == nil
            }
            #expect(await fixture.show(.white(250.mirek), on: strip) == .succeeded)
            try await fixture.updates.wait("white alone") {
                let values = $0.lights[strip]?.values
                return values?.effect == nil && values?.temperature == 250.mirek
            }
        }
    }

    /// API v1 has a loop through the colours, and nothing else.
    @Test func `a bridge with API v1 runs its one effect`() async throws {
        try await withBridge(.villa, { $0.model = .round }) { fixture in
            try await fixture.connect()
            let lamp = fixture.light("color")
            #expect(fixture.updates.state.lights[lamp]?.limits.effects == ["colorloop"])
            #expect(await fixture.show(.effect(Light.Effect("colorloop"), over: nil), on: lamp) == .succeeded)
            try await fixture.updates.wait("it runs") { $0.lights[lamp]?.values.effect?.name == "colorloop" }
            #expect(await fixture.show(.effect(nil, over: nil), on: lamp) == .succeeded)
            try await fixture.updates.wait("it has ended") { $0.lights[lamp]?.values.effect == nil }
        }
    }
}

extension [Light.Color] {
    /// Whether they are the same, but for what arithmetic leaves.
    fileprivate func isNear(_ others: Self) -> Bool {
        count == others.count
            && zip(self, others).allSatisfy { abs($0.hue - $1.hue) < 1e-6 && abs($0.saturation - $1.saturation) < 1e-6 }
    }
}

extension BridgeFixture {
    fileprivate func show(_ tone: LightPatch.Tone, on light: Light.ID) async -> Outcome {
        let order = DesiredState(light, LightPatch(power: .on, tone: tone))
        return await send { gateway.lights.set([order], .usual, .test, $0) }
    }
}
