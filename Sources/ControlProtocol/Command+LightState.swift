extension Command {
    /// What one light shall show, as `apply` takes it and a snapshot keeps it: those fields of a ``LightBody`` that can be
    /// set. The other fields of a listed light are ignored, so a list can be sent back as it is; any other field is
    /// refused, so that a misspelt one is not silently ignored.
    ///
    /// What is left out stays as it is. Of a colour and a white tone, `mode` says which of the two is meant; without it,
    /// only one may be given. A `color` counts only if there is neither hue nor saturation nor temperature: in a list it is
    /// a swatch of them. A light that is off and stays so is sent no values.
    @dynamicMemberLookup
    public struct LightState: Equatable, Sendable {
        /// The light's id, or its name.
        public var id: String
        /// For people: the light is found by its id.
        public var name: String?
        public var power: Turn?
        public var values: LightValuesBody

        public init(
            id: String, name: String? = nil, power: Turn? = nil, _ values: LightValuesBody = LightValuesBody()
        ) {
            self.id = id
            self.name = name
            self.power = power
            self.values = values
        }

        /// What a listed light shows: of colour and white tone, only the one that it is in. Its swatch is left out.
        public init(of light: LightBody) {
            var values = light.values
            values.color = nil
            if values.mode == .temperature { (values.hue, values.saturation) = (nil, nil) }
            if values.mode == .color { values.temperature = nil }
            self.init(id: light.id, name: light.name, power: light.power, values)
        }

        public subscript<Value>(dynamicMember path: WritableKeyPath<LightValuesBody, Value>) -> Value {
            get { values[keyPath: path] }
            set { values[keyPath: path] = newValue }
        }
    }
}

extension Command.LightState: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable { case id, name, power }

    /// The fields of a listed light that no command sets.
    private static let reported = LightBody.names.filter { !settable.contains($0) }
    private static let settable = CodingKeys.allCases.map(\.rawValue) + LightValuesBody.fields.map(\.name)

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CommandKey.self)
        try Self.refuseUnknown(fields)
        func value<Value>(_ key: CodingKeys, _ kind: ValueKind<Value>) throws -> Value? {
            try kind.readIfPresent(fields, CommandKey(key.rawValue))
        }
        self.init(
            id: try fields.decode(String.self, forKey: CommandKey(CodingKeys.id.rawValue)),
            name: try value(.name, .text), power: try value(.power, .choice(Turn.allCases)),
            try LightValuesBody(from: decoder))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encodeIfPresent(name, forKey: .name)
        try container.encodeIfPresent(power, forKey: .power)
        try values.encode(to: encoder)
    }

    private static func refuseUnknown(_ fields: KeyedDecodingContainer<CommandKey>) throws {
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
