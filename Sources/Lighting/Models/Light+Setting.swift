extension Light {
    /// Values to set on a light. What is `nil` stays as it is when the command is carried out.
    public enum Setting: Hashable, Codable, Sendable {
        case hsb(hue: Double?, saturation: Double?, brightness: Double?)
        case ct(Mirek, brightness: Double?)
        case bri(Double)

        /// A colour with all three values: `.hsb(0.5, 1, 0.8)`.
        public static func hsb(_ hue: Double, _ saturation: Double, _ brightness: Double) -> Self {
            .hsb(hue: hue, saturation: saturation, brightness: brightness)
        }

        public static func ct(_ mirek: Mirek) -> Self { .ct(mirek, brightness: nil) }

        /// The setting as changes of a light.
        public var changes: [Light.Change] {
            switch self {
            case let .hsb(hue, saturation, brightness):
                [
                    hue.map { .setting(.hue(to: $0)) },
                    saturation.map { .setting(.saturation(to: $0)) },
                    brightness.map { .setting(.brightness(to: $0)) },
                ].compactMap { $0 }
            case let .ct(mirek, brightness):
                [.setting(.temperature(to: mirek))] + (brightness.map { [.setting(.brightness(to: $0))] } ?? [])
            case let .bri(brightness):
                [.setting(.brightness(to: brightness))]
            }
        }

        public var brightness: Double? {
            switch self {
            case let .hsb(_, _, brightness), let .ct(_, brightness): brightness
            case let .bri(brightness): brightness
            }
        }
    }

    /// The part of a setting that the lamp is able to show; `nil` if it can show none of it. Each lamp of a room takes
    /// what it can.
    public func part(of setting: Setting) -> Setting? {
        let level = limits.dims ? setting.brightness : nil
        return switch setting {
        case .hsb(nil, nil, _): level.map { .bri($0) }
        case let .hsb(hue, saturation, _) where modes.contains(.hsb):
            .hsb(hue: hue, saturation: saturation, brightness: level)
        case let .ct(mirek, _) where modes.contains(.ct): .ct(mirek, brightness: level)
        case .hsb, .ct, .bri: level.map { .bri($0) }
        }
    }
}
