import HueWire
import Testing

@testable import SimulatedBridge

@Suite struct LampTests {
    private static let changes: [(Lamp.Change, Set<String>)] = [
        (.renaming(.it(to: "Other")), ["name"]),
        (.turning(.it(on: true)), ["on"]),
        (.turning(.it(on: false)), ["on", "palette"]),
        (.setting(.level(to: 17)), ["level"]),
        (.setting(.tint(to: .white(mirek: 301))), ["tint", "effect", "gradient", "palette"]),
        (.setting(.tint(to: .color(XY(x: 0.31, y: 0.32)))), ["tint", "effect", "gradient", "palette"]),
        (.setting(.effect(to: .running("fire"))), ["effect", "palette"]),
        (
            .setting(.gradient(to: [XY(x: 0.2, y: 0.3), XY(x: 0.4, y: 0.3)])),
            ["tint", "effect", "gradient", "palette"]
        ),
        (.setting(.archetype(to: "hue_go")), ["archetype"]),
        (.setting(.powerup(to: Powerup(.powerfail))), ["powerup"]),
        (.setting(.alert(to: "select")), ["alert"]),
        (.cutting(.mains), ["mains", "palette"]),
        (.powering(.up), ["on", "level", "tint", "effect", "gradient", "mains", "palette"]),
        (.playing(.palette(speed: 0.7)), ["palette"]),
        (.playing(.nothing), ["palette"]),
        (.streaming(.begins), ["streaming", "palette"]),
        (.streaming(.ends), ["streaming"]),
    ]

    @Test(arguments: LampKind.allCases) func `a change leaves alone what it does not name`(kind: LampKind) {
        let lamps = [
            Lamp.make(kind), Lamp.make(kind, isOn: true, level: 90), Lamp.make(kind, hasMains: false),
            Lamp.make(kind, tint: .white(mirek: 200)), Lamp.make(kind).alter(by: .playing(.palette(speed: 0.5))),
            Lamp.make(kind).alter(by: .setting(.effect(to: .running("candle")))),
        ]
        for lamp in lamps {
            for (change, named) in Self.changes {
                let altered = lamp.alter(by: change)
                let moved = Set(lamp.fields.filter { altered.fields[$0.key] != $0.value }.keys)
                #expect(moved.isSubset(of: named), "\(change)")
                #expect(altered.alter(by: change) == altered, "\(change) twice is as once")
            }
        }
    }

    @Test func `several changes apply one after the other`() {
        let lamp = Lamp.make(.color)
        let changes = Self.changes.map(\.0)
        #expect(lamp.alter(by: changes) == changes.reduce(lamp) { $0.alter(by: $1) })
    }

    @Test(arguments: [(-5, 1), (0, 1), (1, 1), (254, 254), (400, 254)])
    func `a level stays between 1 and 254`(level: Int, held: Int) {
        #expect(Lamp.make(.dimmable).alter(by: .setting(.level(to: level))).level == held)
    }

    @Test(arguments: LampKind.allCases) func `when mains return, a lamp is on, at full level and warm white`(
        kind: LampKind
    ) {
        let lamp = Lamp.make(kind, level: 3).alter(by: .cutting(.mains), .powering(.up))
        #expect(lamp.isOn && lamp.level == 254 && lamp.hasMains)
        switch kind {
        case .color, .original, .gradient, .wide, .ambiance: #expect(lamp.tint == .white(mirek: 366))
        case .bloom: #expect(lamp.tint == .color(Whites.xy(mirek: 366).rounded))
        case .dimmable, .plug: #expect(lamp.tint == .none)
        }
    }
}

extension Lamp {
    static func make(
        _ kind: LampKind, name: String = "Lamp", isOn: Bool = false, level: Int = 254, tint: Tint? = nil,
        hasMains: Bool = true
    ) -> Self {
        Self(
            id: "11111111-1111-4111-8111-111111111111", name: name, kind: kind, number: 7,
            ids: Services(
                device: "device", connectivity: "connectivity", entertainment: "entertainment",
                zigbee: "00:17:88:01:00:00:00:07"),
            lightState: LightState(isOn: isOn, level: level, tint: tint ?? kind.powerOnTint), hasMains: hasMains)
    }

    fileprivate var fields: [String: String] {
        [
            "id": "\(id)", "name": name, "kind": "\(kind)", "number": "\(number)", "ids": "\(ids)", "on": "\(isOn)",
            "level": "\(level)", "tint": "\(tint)", "mains": "\(hasMains)", "effect": "\(lightState.effect)",
            "gradient": "\(lightState.gradient)", "archetype": archetype, "powerup": "\(powerup)", "alert": alert,
            "palette": "\(String(describing: palette))", "streaming": "\(isStreaming)",
        ]
    }
}
