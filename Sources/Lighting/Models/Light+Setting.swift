extension Light {
    /// Values to give to a light. What is `nil` stays as the light has it at the moment the command is carried out.
    public enum Setting: Hashable, Codable, Sendable {
        case hsb(hue: Double?, saturation: Double?, brightness: Double?)
        case ct(Mirek, brightness: Double?)
        case bri(Double)

        /// `.hsb(0.5, 1, 0.8)`, with every value given.
        public static func hsb(_ hue: Double, _ saturation: Double, _ brightness: Double) -> Self {
            .hsb(hue: hue, saturation: saturation, brightness: brightness)
        }

        public static func ct(_ mirek: Mirek) -> Self { .ct(mirek, brightness: nil) }

        /// What the setting means in changes.
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

    /// Whether this lamp can do what the setting asks for.
    public func can(_ setting: Setting) -> Bool {
        switch setting {
        case .hsb: modes.contains(.hsb)
        case .ct: modes.contains(.ct)
        case .bri: limits.dims
        }
    }
}
