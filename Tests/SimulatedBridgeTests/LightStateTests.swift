import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

@Suite struct LightStateTests {
    @Test(arguments: 0..<50 as Range<UInt64>)
    func `a transition begins at the old state and ends at the new one`(
        seed: UInt64
    ) {
        var random = SplitMix(seed: seed)
        let (from, to) = (random.lightState(), random.lightState())
        #expect(from.moved(towards: to, by: 1) == to)
        if from.isOn {
            #expect(from.moved(towards: to, by: 0).level == from.level)
            #expect(from.moved(towards: to, by: 0).tint == from.tint)
        }
        #expect(from.moved(towards: from, by: 0.5) == from)
    }

    @Test(arguments: 0..<50 as Range<UInt64>) func `during a transition the level only rises or only falls`(
        seed: UInt64
    ) {
        var random = SplitMix(seed: seed)
        let (from, to) = (random.lightState(), random.lightState())
        let levels = (0...20).map { from.moved(towards: to, by: Double($0) / 20) }.filter(\.isOn).map(\.level)
        #expect(levels == levels.sorted() || levels == levels.sorted(by: >))
    }

    @Test func `a lamp fades to the lowest level before it is off, and fades in from there`() {
        let lit = LightState(isOn: true, level: 200, tint: .white(mirek: 300))
        let dark = LightState(isOn: false, level: 200, tint: .white(mirek: 300))
        #expect(lit.moved(towards: dark, by: 0.99).isOn)
        #expect(lit.moved(towards: dark, by: 0.99).level < 5)
        #expect(lit.moved(towards: dark, by: 1) == dark)
        #expect(dark.moved(towards: lit, by: 0.01).isOn)
        #expect(dark.moved(towards: lit, by: 0.01).level < 5)
    }

    @Test func `a transition is linear in mirek between whites, and in xy to a colour`() {
        let (cool, warm) = (
            LightState(isOn: true, tint: .white(mirek: 200)), LightState(isOn: true, tint: .white(mirek: 400))
        )
        #expect(cool.moved(towards: warm, by: 0.25).tint == .white(mirek: 250))
        let red = LightState(isOn: true, tint: .color(XY(x: 0.6, y: 0.3)))
        let start = Whites.xy(mirek: 200).rounded
        let middle = XY(x: (start.x + 0.6) / 2, y: (start.y + 0.3) / 2).rounded
        #expect(cool.moved(towards: red, by: 0.5).tint == .color(middle))
    }

    @Test func `a tint ends an effect and a gradient, a level or a switch does not`() {
        let playing = LightState(isOn: true, tint: .white(mirek: 300)).alter(
            by: .setting(.effect(to: .running("fire"))))
        #expect(playing.alter(by: .setting(.level(to: 3)), .turning(.it(on: false))).effect == .running("fire"))
        #expect(playing.alter(by: .setting(.tint(to: .white(mirek: 250)))).effect == .none)
        let points = [XY(x: 0.2, y: 0.3), XY(x: 0.5, y: 0.4)]
        let strip = playing.alter(by: .setting(.gradient(to: points)))
        #expect(strip.gradient == points && strip.effect == .none && strip.tint == .color(points[0]))
        #expect(strip.alter(by: .setting(.tint(to: .white(mirek: 250)))).gradient.isEmpty)
    }

    @Test(arguments: LampKind.allCases) func `each power-on behaviour does what it says`(kind: LampKind) {
        let last = LightState(isOn: false, level: 77, tint: kind.whites == nil ? kind.powerOnTint : .white(mirek: 222))
        #expect(
            Powerup.safety.lightState(after: last, of: kind)
                == LightState(isOn: true, level: 254, tint: kind.powerOnTint))
        #expect(Powerup(.powerfail).lightState(after: last, of: kind) == last)
        #expect(Powerup(.lastOnState).lightState(after: last, of: kind) == last.alter(by: .turning(.it(on: true))))
        let toggle = Powerup(.custom, custom: ["on": ["mode": "toggle"], "dimming": ["mode": "previous"]])
        #expect(toggle.lightState(after: last, of: kind) == last.alter(by: .turning(.it(on: true))))
        let own = Powerup(
            .custom,
            custom: [
                "on": ["mode": "on", "on": ["on": true]],
                "dimming": ["mode": "dimming", "dimming": ["brightness": 50]],
                "color": ["mode": "color_temperature", "color_temperature": ["mirek": 250]],
            ])
        let lightState = own.lightState(after: last, of: kind)
        #expect(lightState.isOn && lightState.level == Level.bri(percent: 50))
        #expect(lightState.tint == (kind.whites == nil ? last.tint : .white(mirek: 250)))
    }
}

extension SplitMix {
    mutating func lightState() -> LightState {
        let tint: LightState.Tint =
            switch Int.random(in: 0..<3, using: &self) {
            case 0: .white(mirek: .random(in: 153...500, using: &self))
            case 1:
                .color(XY(x: .random(in: 0.1...0.6, using: &self), y: .random(in: 0.1...0.6, using: &self)).rounded)
            default:
                .shade(hue: .random(in: 0...65535, using: &self), saturation: .random(in: 0...254, using: &self))
            }
        return LightState(
            isOn: Bool.random(using: &self), level: Int.random(in: 1...254, using: &self), tint: tint)
    }
}
