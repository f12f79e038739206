extension Command {
    /// What one light shall show, as `apply` takes it and a snapshot keeps it: those fields of a ``LightBody`` that can be
    /// set. The other fields of a listed light are ignored, so a list can be sent back as it is; any other field is
    /// refused, so that a misspelt one is not silently ignored.
    ///
    /// What is left out stays as it is. Of a colour and a white tone, `mode` says which of the two is meant; without it,
    /// only one may be given. A light that is to be off, or is off and has no `power`, is sent no values.
    public struct LightState: Codable, Equatable, Sendable {
        /// The light's id, or its name.
        public var id: String
        /// For people: the light is found by its id.
        public var name: String?
        public var power: Turn?
        /// Per cent, 0…100.
        public var brightness: Double?
        public var mode: LightBody.Mode?
        /// Degrees, 0…360.
        public var hue: Double?
        /// Per cent, 0…100.
        public var saturation: Double?
        /// Mirek.
        public var temperature: Int?
        /// As ``LightColor`` reads it. Counts only if there is neither hue nor saturation nor temperature: in a list it
        /// is a swatch of them.
        public var color: String?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case id, name, power, brightness, mode, hue, saturation, temperature, color
        }

        public init(
            id: String, name: String? = nil, power: Turn? = nil, brightness: Double? = nil,
            mode: LightBody.Mode? = nil, hue: Double? = nil, saturation: Double? = nil, temperature: Int? = nil,
            color: String? = nil
        ) {
            self.id = id
            self.name = name
            self.power = power
            self.brightness = brightness
            self.mode = mode
            self.hue = hue
            self.saturation = saturation
            self.temperature = temperature
            self.color = color
        }

        /// What a listed light shows: of colour and white tone, only the one that it is in.
        public init(of light: LightBody) {
            self.init(
                id: light.id, name: light.name, power: light.power, brightness: light.brightness, mode: light.mode,
                hue: light.mode == .temperature ? nil : light.hue,
                saturation: light.mode == .temperature ? nil : light.saturation,
                temperature: light.mode == .color ? nil : light.temperature)
        }
    }
}

extension Command.LightState {
    /// The fields of a listed light that no command sets.
    private static let reported = [
        "zones", "room", "freshness", "since", "bridge", "display", "limits", "powerup", "cause",
    ]

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CommandKey.self)
        try Self.refuseUnknown(fields)
        func value<Value>(_ key: CodingKeys, _ kind: ValueKind<Value>) throws -> Value? {
            try kind.readIfPresent(fields, CommandKey(key.rawValue))
        }
        self.init(
            id: try fields.decode(String.self, forKey: CommandKey(CodingKeys.id.rawValue)),
            name: try value(.name, .text),
            power: try value(.power, .choice(Turn.allCases)),
            brightness: try value(.brightness, .level),
            mode: try value(.mode, .choice(LightBody.Mode.allCases)),
            hue: try value(.hue, .hue),
            saturation: try value(.saturation, .level),
            temperature: try value(.temperature, .mirek),
            color: try value(.color, .text))
    }

    private static func refuseUnknown(_ fields: KeyedDecodingContainer<CommandKey>) throws {
        let settable = CodingKeys.allCases.map(\.rawValue)
        let known = settable + reported
        // A light that was listed by another release of lightd may have fields that this one does not know.
        let isListed = fields.contains(CommandKey("freshness"))
        let unknown = fields.allKeys.map(\.stringValue).filter { key in
            !known.contains(key) && (!isListed || closest(to: key, in: known) != nil)
        }
        if let field = unknown.min() {
            let near = closest(to: field, in: known) == nil ? settable : known
            throw DecodingError.said(
                "a light has no field '\(field)'; " + didYouMean(field, of: near, else: "what can be set is"),
                of: fields)
        }
    }
}
