import Foundation
import Khipu
import LightingTestKit
import TestSupport
import Testing

@testable import Lighting

/// What patches of a light are for: merging, applying, storing and bringing back.
@Suite struct LightPatchLawTests {
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `two patches in one do what they do one after the other`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        for _ in 0..<300 {
            let (values, one, other) = (random.values(), random.patch(), random.patch())
            let merged = values.applying(one.merged(with: other))
            #expect(merged.agrees(with: values.applying(one).applying(other)), "\(values): \(one), \(other)")
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `a light that is restored to what it showed shows that`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        for _ in 0..<300 {
            let (now, before) = (random.values(), random.values())
            let light = Light.strip.with(now)
            let sent = light.missing(of: before.desired(for: light), showing: now)
            let after = now.applying(sent?.values ?? LightPatch())
            // The values of one that is off and stays so do not count.
            let counts = now.power == .on || before.power == .on
            #expect(!counts || after.agrees(with: before), "\(now) to \(before) by \(String(describing: sent))")
        }
    }

    /// Sent again, an effect would begin anew.
    @Test @DomainActor func `undo of a brightness sends that alone, and the effect runs on`() {
        #expect(Self.undone(.bri(0.3)) == LightPatch(power: .on, brightness: 0.7))
        #expect(Self.undone(.ct(200.mirek)) == LightPatch(power: .on, tone: Self.rainbow.patch.tone))
    }

    /// Not every bridge says how an effect runs.
    @Test @DomainActor func `undo brings back the speed of an effect, though nobody knows that of the next`() {
        let next = LightPatch(tone: .effect(Light.Effect("prism"), over: nil))
        #expect(Self.undone(next) == LightPatch(power: .on, tone: Self.rainbow.patch.tone))
    }

    private static let rainbow = Light.Values(power: .on, brightness: 0.7, temperature: 366.mirek, mode: .hsb)
        .with(gradient: Light.Gradient([Light.Color(hue: 0, saturation: 1), Light.Color(hue: 0.6, saturation: 1)]))
        .with(effect: Light.Effect("prism", speed: 0.6))

    /// What undoing a command that sets this sends to a strip that showed a rainbow.
    @DomainActor private static func undone(_ patch: LightPatch) -> LightPatch? {
        let strip = Light.strip.with(rainbow)
        let home = DomainFixture(.make(lights: [strip]), stack: MemoryStack(lights: [strip]))
        home.send(.apply(.values(patch), on: .light(strip.id), over: .usual))
        home.send(.undo(1, over: .usual))
        guard case let .set(states, _)? = home.stack.requests.last else { return nil }
        return states.first?.values
    }

    @Test @DomainActor func `an effect is ended where it may run, and nothing is sent where none does`() {
        for (light, isSent) in [
            (Light.strip.with(Self.rainbow), true), (Light.strip.with(Self.rainbow.with(effect: nil)), false),
            (Light.strip.with(Self.rainbow.with(effect: nil)).alter(by: .losing(.contact(at: .sample))), true),
        ] {
            let home = DomainFixture(.make(lights: [light]), stack: MemoryStack(lights: [light]))
            let end = LightPatch(tone: .effect(nil, over: nil))
            home.send(.apply(.values(end), on: .light(light.id), over: .usual))
            #expect(!home.stack.requests.isEmpty == isSent, "\(light.values), \(light.freshness)")
        }
    }

    @Test func `a lamp takes only what it can tell its effects`() {
        let old = Light.Limits(effects: ["candle", "sunrise"], timedEffects: ["sunrise"])
        let lamp = Light.strip.alter(by: .limiting(.it(to: old)))
        for (effect, reason) in [
            (Light.Effect("candle"), nil), (Light.Effect("sunrise", milliseconds: 1), nil),
            (Light.Effect("candle", speed: 0.5), "run 'candle' at a set speed or in a set colour"),
            (Light.Effect("sunrise"), "run 'sunrise' without being told how long it takes"),
            (Light.Effect("candle", milliseconds: 1), "run 'candle' for a set time"),
            (Light.Effect("opal"), "run the effect 'opal', but candle, sunrise"),
        ] as [(Light.Effect, String?)] {
            #expect(lamp.has(.effect(effect)) == (reason == nil))
            if let reason { #expect(lamp.words(lacking: .effect(effect)) == reason) }
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `a patch and a report are read as they were stored`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        for _ in 0..<300 {
            let patch = random.patch()
            let report = Light.Report(
                patch, reachable: true, source: .otherApp,
                kept: [nil, Light.Kept(nil), Light.Kept(random.patch())].randomElement(using: &random) ?? nil)
            let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
            #expect(try decoder.decode(LightPatch.self, from: encoder.encode(patch)) == patch)
            #expect(try decoder.decode(Light.Report.self, from: encoder.encode(report)) == report)
            let values = random.values()
            #expect(try decoder.decode(Light.Values.self, from: encoder.encode(values)) == values)
        }
    }

    /// As lightd stored them before there were effects.
    @Test func `what was stored before is read`() throws {
        let values =
            #"{"power":"on","brightness":0.5,"hue":0.1,"saturation":1,"temperature":{"value":366},"mode":"hsb"}"#
        let read = try? JSONDecoder().decode(Light.Values.self, from: Data(values.utf8))
        let encoded = String(decoding: try JSONEncoder().encode(Light.Values(mode: .hsb)), as: UTF8.self)
        #expect(!encoded.contains("gradient") && !encoded.contains("effect"))
        #expect(read == nil || read?.effect == nil && read?.gradient == nil)
        let patch = String(decoding: try JSONEncoder().encode(LightPatch.hsb(0.1, 1, 0.5)), as: UTF8.self)
        #expect(!patch.contains("gradient") && !patch.contains("effect"))
    }
}

extension Light {
    fileprivate static let strip = Light(
        id: ID(bridge: .sample, resource: "strip"), name: "Strip", modes: [.hsb, .ct],
        limits: Limits(
            temperature: 153.mirek...500.mirek, effects: SplitMix.effects.map(\.name) + ["sunrise"],
            timedEffects: ["sunrise"], adjustsEffects: true, gradientPoints: 5), heard: .sample)

    fileprivate func with(_ values: Values) -> Light {
        alter(by: values.patch.changes + [.reporting(.it(Report(values.patch), at: .sample))])
    }
}

extension SplitMix {
    fileprivate static let effects = [
        Light.Effect("candle"), Light.Effect("fire", speed: 0.5, color: Light.Color(hue: 0.1, saturation: 0.9)),
        Light.Effect("prism", speed: 0.25, temperature: 400.mirek), Light.Effect("sunrise", milliseconds: 60_000),
    ]

    private mutating func unit() -> Double { Double.random(in: 0...1, using: &self) }
    private mutating func color() -> Light.Color {
        Light.Color(hue: unit(), saturation: .random(in: 0.2...1, using: &self))
    }
    private mutating func mirek() -> Mirek { Mirek(.random(in: 153...500, using: &self)) }

    private mutating func gradient() -> Light.Gradient {
        let points = (0..<Int.random(in: 2...5, using: &self)).map { _ in color() }
        return Light.Gradient(points, mode: Light.Gradient.Mode.allCases.randomElement(using: &self))
    }

    fileprivate mutating func values() -> Light.Values {
        var values = Light.Values(power: Bool.random(using: &self) ? .on : .off, brightness: unit())
        switch Int.random(in: 0..<3, using: &self) {
        case 0: values = values.with(temperature: mirek())
        case 1:
            let color = color()
            values = values.with(hue: color.hue).with(saturation: color.saturation)
        default: values = values.with(gradient: gradient())
        }
        return Bool.random(using: &self) ? values.with(effect: Self.effects.randomElement(using: &self)) : values
    }

    fileprivate mutating func patch() -> LightPatch {
        LightPatch(
            power: [.on, .off, nil].randomElement(using: &self) ?? nil,
            brightness: Bool.random(using: &self) ? unit() : nil, tone: Bool.random(using: &self) ? tone() : nil)
    }

    private mutating func tone() -> LightPatch.Tone {
        let plain: LightPatch.Tone
        switch Int.random(in: 0..<4, using: &self) {
        case 0: plain = .white(mirek())
        case 1: plain = .color(hue: unit(), saturation: Bool.random(using: &self) ? unit() : nil)
        case 2: plain = .color(hue: nil, saturation: unit())
        default: plain = .gradient(gradient())
        }
        switch Int.random(in: 0..<5, using: &self) {
        case 0: return .effect(Self.effects.randomElement(using: &self), over: plain)
        case 1: return .effect(Self.effects.randomElement(using: &self), over: nil)
        case 2: return .effect(nil, over: nil)
        default: return plain
        }
    }
}
