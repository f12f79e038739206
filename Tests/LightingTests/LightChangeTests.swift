import Khipu
import LightingTestKit
import Testing

@testable import Lighting

/// The effects of a light's changes.
struct LightChangeTests {
    static let levels = [0, 0.004, 0.25, 0.5, 0.75, 1]

    @Test func `several changes apply one after the other`() {
        let desk = Light.make(name: "01", power: .off)
            .alter(
                by: .renaming(.it(to: "Desk")), .setting(.brightness(to: 0.5)), .setting(.temperature(to: 200.mirek)),
                .turning(.it(.on))
            )
        #expect(desk.name == "Desk")
        #expect(desk.brightness == 0.5)
        #expect(desk.temperature == 200.mirek)
        #expect(desk.power == .on)
        #expect(desk.selectedMode == .ct)
    }

    @Test(arguments: levels) func `dimming changes only the brightness`(level: Double) {
        let desk = Light.make(brightness: 0.4)
        let dimmed = desk.alter(by: .setting(.brightness(to: level)))
        #expect(dimmed.brightness == level)
        #expect(dimmed.alter(by: .setting(.brightness(to: desk.brightness))) == desk)
    }

    static let changes: [Light.Change] = [
        .renaming(.it(to: "Lamp")), .turning(.it(.off)), .adding(.mode(.ct)), .toggling(.display(to: .scrubbing)),
        .limiting(.it(to: Light.Limits(temperature: 200.mirek...300.mirek))), .setting(.hue(to: 0.9)),
        .setting(.saturation(to: 0.2)), .setting(.brightness(to: 0.1)), .setting(.temperature(to: 250.mirek)),
        .configuring(.it(as: LightConfiguration(powerup: .lastOnState))), .causing(.it(Cause(.power, at: .sample))),
        .balancing(.it(Light.Ratio(base: 0.4, level: 0.5, beginning: 1, lights: 2))),
        .setting(.gradient(to: Light.Gradient([.init(hue: 0.3, saturation: 0.8), .init(hue: 0.4, saturation: 1)]))),
        .setting(.effect(to: Light.Effect("candle", speed: 0.3))), .signaling(.it(.init(until: .sample))),
    ]

    /// A strip that runs an effect over a gradient.
    private static let rainbow = Light.make().alter(
        by: .setting(.gradient(to: Light.Gradient([.init(hue: 0, saturation: 1), .init(hue: 0.7, saturation: 1)]))),
        .setting(.effect(to: Light.Effect("prism"))))

    @Test(arguments: changes, [Light.make(), rainbow])
    func `a change leaves alone what it does not name`(change: Light.Change, before: Light) {
        let after = before.alter(by: change)
        func unnamed(_ light: Light) -> [String] {
            var rest: [(String, String)] = [
                ("id", "\(light.id)"), ("reported", "\(light.reported)"), ("freshness", "\(light.freshness)"),
                ("heard", "\(light.heard)"), ("name", light.name), ("power", "\(light.power)"),
                ("modes", "\(light.modes.sorted { $0.rawValue < $1.rawValue })"), ("display", "\(light.display)"),
                ("limits", "\(light.limits)"), ("hue", "\(light.hue)"), ("saturation", "\(light.saturation)"),
                ("brightness", "\(light.brightness)"), ("temperature", "\(light.temperature)"),
                ("mode", "\(light.selectedMode)"), ("configuration", "\(light.configuration)"),
                ("gradient", "\(String(describing: light.values.gradient))"),
                ("effect", "\(String(describing: light.values.effect))"),
                ("cause", "\(light.cause)"), ("ratio", "\(String(describing: light.ratio))"),
                ("signal", "\(String(describing: light.signal))"),
            ]
            let named: Set<String> =
                switch change {
                case .renaming: ["name"]
                case .turning: ["power"]
                case .adding: ["modes"]
                case .toggling: ["display"]
                case .limiting: ["limits"]
                case .configuring: ["configuration"]
                case .causing: ["cause", "ratio"]
                case .balancing: ["ratio"]
                case .signaling: ["signal"]
                case .setting(.hue): ["hue", "mode", "gradient", "effect"]
                case .setting(.saturation): ["saturation", "mode", "gradient", "effect"]
                case .setting(.brightness): ["brightness", "ratio"]
                case .setting(.temperature): ["temperature", "mode", "gradient", "effect"]
                case .setting(.gradient): ["hue", "saturation", "mode", "gradient", "effect"]
                case .setting(.effect): ["effect"]
                case .expecting, .reporting, .abandoning, .losing: []
                }
            rest.removeAll { named.contains($0.0) }
            return rest.map { "\($0.0)=\($0.1)" }
        }
        #expect(unnamed(after) == unnamed(before))
        #expect(after != before || change == .adding(.mode(.ct)))
    }

    @Test(
        arguments: [.setting(.hue(to: 0.2)), .setting(.saturation(to: 1)), .setting(.temperature(to: 250.mirek))]
            as [Light.Change])
    func `a colour or a white tone takes the place of a gradient, and ends an effect`(change: Light.Change) {
        let plain = Self.rainbow.alter(by: change)
        #expect(plain.values.gradient == nil && plain.values.effect == nil)
        #expect(Self.rainbow.alter(by: .turning(.it(.off)), .setting(.brightness(to: 0.1))).values.effect != nil)
    }

    @Test func `a gradient without a mode keeps that of the strip`() {
        let mirrored = Light.Gradient([.init(hue: 0, saturation: 1), .init(hue: 0.5, saturation: 1)], mode: .mirrored)
        let other = Light.Gradient([.init(hue: 0.1, saturation: 1), .init(hue: 0.2, saturation: 1)])
        let light = Light.make().alter(by: .setting(.gradient(to: mirrored)), .setting(.gradient(to: other)))
        #expect(light.values.gradient == Light.Gradient(other.points, mode: .mirrored))
    }

    @Test(arguments: [-1, -.infinity, 1.0001, 42, .infinity, .nan, 0, 1, 0.5] as [Double])
    func `no number sets a value outside its range`(number: Double) {
        let light = Light.make().alter(
            by: .setting(.hue(to: number)), .setting(.saturation(to: number)), .setting(.brightness(to: number))
        )
        for value in [light.hue, light.saturation, light.brightness] { #expect((0...1).contains(value)) }
    }

    @Test(arguments: [-5, 0, 152, 153, 500, 501, 65535])
    func `a temperature is limited to what the lamp can show`(mirek: Int) {
        let light = Light.make().alter(by: .setting(.temperature(to: mirek.mirek)))
        #expect((153...500).contains(light.temperature.value))
    }

    @Test func `setting hue or saturation selects colour, setting the temperature selects white`() {
        let light = Light.make(mode: .ct)
        #expect(light.alter(by: .setting(.hue(to: 0.5))).selectedMode == .hsb)
        #expect(light.alter(by: .setting(.saturation(to: 0.5))).selectedMode == .hsb)
        #expect(light.alter(by: .setting(.hue(to: 0.5)), .setting(.temperature(to: 300.mirek))).selectedMode == .ct)
    }
}
