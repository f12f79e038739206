import Foundation
import TestSupport
import Testing

@testable import ControlProtocol

@Suite struct LightValuesTests {
    private static func values(_ random: inout SplitMix) -> LightValuesBody {
        func chance<Value>(_ value: Value) -> Value? { random.next() % 2 == 0 ? value : nil }
        return LightValuesBody(
            brightness: chance(Double(random.next() % 1001) / 10), color: chance("#ff8800"),
            hue: chance(Double(random.next() % 361)), saturation: chance(Double(random.next() % 101)),
            temperature: chance(Int(random.next() % 1000) + 1),
            mode: chance(random.next() % 2 == 0 ? .color : .temperature), gradient: chance(["red", "#00f"]),
            gradientMode: chance(.mirrored), effect: chance("candle"),
            effectSpeed: chance(Double(random.next() % 101)), effectColor: chance("2700K"),
            effectDuration: chance(Int(random.next() % 1000)))
    }

    private static let cause = CauseBody(kind: .otherApp, at: "2026-11-21T09:42:03Z")

    private static func light(_ values: LightValuesBody) -> LightBody {
        LightBody(
            id: "b/1", name: "Desk", room: "Study", zones: ["Down"], power: .on, values, freshness: .confirmed,
            since: "2026-11-21T09:42:03Z", bridge: "b", configuration: LightConfiguration(powerup: .safety),
            signal: .init(["#ff0000"], until: ""),
            cause: cause,
            follows: [], excludedFrom: [.allOff])
    }

    @Test func `a body is read as it was written, whichever of its values are named`() throws {
        var random = SplitMix(seed: 7)
        for _ in 0..<200 {
            let values = Self.values(&random)
            let light = Self.light(values)
            let state = Command.LightState(id: "desk", name: "Desk", power: .off, values)
            let stored = SceneValuesBody.Value(target: "b/1", name: "Desk", values)
            let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
            #expect(try decoder.decode(LightBody.self, from: encoder.encode(light)) == light)
            #expect(try decoder.decode(Command.LightState.self, from: encoder.encode(state)) == state)
            #expect(try decoder.decode(SceneValuesBody.Value.self, from: encoder.encode(stored)) == stored)
            let named = try JSONSerialization.jsonObject(with: encoder.encode(values)) as? [String: Any]
            #expect(named.map { Set($0.keys) } == Set(Self.names(in: values) { "\($0)" != "nil" }))
        }
    }

    /// The names of the properties as JSON has them: "effect_speed".
    private static func names(in values: LightValuesBody, where isMeant: (Any) -> Bool) -> [String] {
        Mirror(reflecting: values).children.filter { isMeant($0.value) }.compactMap { child in
            child.label?.map { $0.isUppercase ? "_\($0.lowercased())" : "\($0)" }.joined()
        }
    }

    @Test func `a listed light has its own fields, its values and its configuration, and each is known to 'apply'`()
        throws
    {
        let full = LightValuesBody(
            brightness: 1, color: "#ff8800", hue: 2, saturation: 3, temperature: 200, mode: .color,
            gradient: ["red", "blue"], gradientMode: .random, effect: "candle", effectSpeed: 40, effectColor: "orange",
            effectDuration: 1000)
        let json = try JSONEncoder().encode(Self.light(full))
        let listed = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
        #expect(Set(listed.keys) == Set(LightBody.names))
        #expect(Set(LightBody.names).count == LightBody.names.count)
        #expect(try JSONDecoder().decode(Command.LightState.self, from: json).values == full)
    }

    @Test func `each value has a row, and the row's range is checked`() throws {
        #expect(LightValuesBody.fields.map(\.name) == Self.names(in: LightValuesBody()) { _ in true })
        for (values, field) in [
            (LightValuesBody(brightness: 100.1), "brightness"), (.init(hue: -1), "hue"), (.init(hue: .nan), "hue"),
            (.init(saturation: 101), "saturation"), (.init(temperature: 0), "temperature"),
            (.init(gradient: ["red"]), "gradient"), (.init(effectSpeed: -1), "effect_speed"),
            (.init(effectDuration: 21_600_001), "effect_duration"), (.init(effect: " "), "effect"),
        ] {
            let refused = LightValuesBody.fields.filter { $0.objection(values, "'\($0.name)'") != nil }
            #expect(refused.map(\.name) == [field])
        }
    }
}
