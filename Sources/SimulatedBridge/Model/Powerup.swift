public import HueWire

/// A lamp's power-on behaviour (v2 `powerup`, v1 `config.startup`).
public struct Powerup: Equatable, Codable, Sendable {
    public let preset: Preset
    /// The members `on`, `dimming` and `color` of a custom behaviour, as API v2 writes them.
    public let custom: JSONValue

    public enum Preset: String, Codable, Sendable, CaseIterable {
        /// On, at full level, warm white.
        case safety
        /// As it was when the mains were cut.
        case powerfail
        /// On, with its last level and tint.
        case lastOnState = "last_on_state"
        case custom
    }

    public init(_ preset: Preset, custom: JSONValue = [:]) {
        self.preset = preset
        self.custom = custom
    }

    public static let safety = Self(.safety)

    /// The light state after mains have come back.
    public func lightState(after last: LightState, of kind: LampKind) -> LightState {
        switch preset {
        case .safety: LightState(isOn: true, level: 254, tint: kind.powerOnTint)
        case .powerfail: last
        case .lastOnState: last.alter(by: .turning(.it(on: true)))
        case .custom: last.alter(by: changes(after: last, of: kind))
        }
    }

    /// The changes of a custom behaviour; a part that is "previous" or absent changes nothing.
    private func changes(after last: LightState, of kind: LampKind) -> [LightState.Change] {
        var changes: [LightState.Change] = []
        switch custom["on"]?["mode"]?.string {
        case "on": changes.append(.turning(.it(on: custom["on"]?["on"]?["on"]?.bool ?? true)))
        case "toggle": changes.append(.turning(.it(on: !last.isOn)))
        default: break
        }
        if custom["dimming"]?["mode"]?.string == "dimming",
            let percent = custom["dimming"]?["dimming"]?["brightness"]?.double
        {
            changes.append(.setting(.level(to: Level.bri(percent: percent))))
        }
        switch custom["color"]?["mode"]?.string {
        case "color_temperature":
            if let mirek = custom["color"]?["color_temperature"]?["mirek"]?.int, kind.whites != nil {
                changes.append(.setting(.tint(to: .white(mirek: mirek))))
            }
        case "color":
            if let x = custom["color"]?["color"]?["xy"]?["x"]?.double,
                let y = custom["color"]?["color"]?["xy"]?["y"]?.double, let gamut = kind.gamut
            {
                changes.append(.setting(.tint(to: .color(gamut.triangle.held(XY(x: x, y: y))))))
            }
        default: break
        }
        return changes
    }
}
