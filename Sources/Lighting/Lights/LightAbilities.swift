import HashTreeCollections

extension Light {
    /// What a lamp is able to show.
    public struct Limits: Hashable, Codable, Sendable {
        /// Coolest to warmest white in mirek; `nil` if its white cannot be adjusted.
        public let temperature: ClosedRange<Mirek>?
        /// The colours it can mix; `nil` if it has none, or does not say.
        public let gamut: Gamut?
        /// How bright the lowest level is, in per cent of full brightness; `nil` if unknown.
        public let minimumDimLevel: Double?
        /// Whether it has levels between off and full. A plug does not.
        public let dims: Bool

        public init(
            temperature: ClosedRange<Mirek>? = nil,
            gamut: Gamut? = nil,
            minimumDimLevel: Double? = nil,
            dims: Bool = true
        ) {
            self.temperature = temperature
            self.gamut = gamut
            self.minimumDimLevel = minimumDimLevel
            self.dims = dims
        }

        /// The nearest white that the lamp can show.
        public func held(_ mirek: Mirek) -> Mirek {
            guard let temperature else { return mirek }
            return Swift.min(Swift.max(mirek, temperature.lowerBound), temperature.upperBound)
        }
    }

    /// The triangle of colours that a lamp can mix: its corners in CIE 1931 xy, each 0…1.
    public struct Gamut: Hashable, Codable, Sendable {
        public let red, green, blue: Point

        public struct Point: Hashable, Codable, Sendable {
            public let x, y: Double

            public init(x: Double, y: Double) {
                self.x = x
                self.y = y
            }
        }

        public init(red: Point, green: Point, blue: Point) {
            self.red = red
            self.green = green
            self.blue = blue
        }
    }
}

extension Light {
    /// What a lamp is able to do besides on and off, or is not.
    enum Ability {
        case level, color, white

        /// Completes "'Stove' cannot …".
        var words: String {
            switch self {
            case .level: "be dimmed"
            case .color: "show colours"
            case .white: "change its white tone"
            }
        }
    }

    func has(_ ability: Ability) -> Bool {
        switch ability {
        case .level: limits.dims
        case .color: modes.contains(.hsb)
        case .white: modes.contains(.ct)
        }
    }

    /// The part of a patch that the lamp is able to show; `nil` if it can show none of its values. Each lamp of a room takes
    /// what it can.
    public func part(of patch: LightPatch) -> LightPatch? {
        let part = LightPatch(
            power: patch.power, brightness: has(.level) ? patch.brightness : nil,
            tone: patch.tone.flatMap { has($0.ability) ? $0 : nil })
        return part.hasValues ? part : nil
    }
}

extension LightValue {
    /// What a lamp must be able to do to be stepped in it.
    var ability: Light.Ability {
        switch self {
        case .brightness: .level
        case .hue, .saturation: .color
        case .temperature: .white
        }
    }
}

extension LightPatch {
    /// What a lamp must be able to do to show all of it.
    fileprivate var abilities: [Light.Ability] {
        [tone?.ability, brightness == nil ? nil : .level].compactMap(\.self)
    }

    /// What a lamp lacks that can show none of it.
    var ability: Light.Ability { abilities.first ?? .level }
}

extension LightPatch.Tone {
    fileprivate var ability: Light.Ability {
        switch self {
        case .color: .color
        case .white: .white
        }
    }
}

/// A light that is not able to take all that a command asks of it.
public struct Shortfall: Equatable, Sendable {
    public let light: Light.ID
    /// What it takes; `nil` if that is nothing.
    public let given: LightPatch?
    /// Why it is left out of the rest: "'Stove' cannot change its white tone".
    public let failure: Failure

    public init(light: Light.ID, given: LightPatch?, failure: Failure) {
        self.light = light
        self.given = given
        self.failure = failure
    }
}

extension AppState {
    /// The lights of a command that are not able to take all that it asks of them.
    public func shortfalls(of command: Message.Lighting) -> [Shortfall] {
        switch command {
        case let .apply(.values(patch), on: target, _): lights(in: target).compactMap { $0.shortfall(of: patch) }
        case let .apply(.mean(brightness), on: target, _):
            lights(in: target).compactMap { $0.shortfall(of: .bri(brightness)) }
        case let .apply(.meanStep, on: target, _):
            lights(in: target).compactMap { $0.shortfall(ofStepping: .brightness) }
        case let .increase(value, _, on: target, _), let .decrease(value, _, on: target, _):
            lights(in: target).compactMap { $0.shortfall(ofStepping: value) }
        case let .restore(states, _):
            states.compactMap { lights[$0.light]?.shortfall(of: $0.values) }
        default: []
        }
    }
}

extension Light {
    fileprivate func shortfall(of patch: LightPatch) -> Shortfall? {
        let lacking = patch.abilities.filter { !has($0) }
        guard !lacking.isEmpty else { return nil }
        let words = lacking.map(\.words).joined(separator: " or ")
        return Shortfall(light: id, given: part(of: patch), failure: .cannot(light: name, what: words))
    }

    fileprivate func shortfall(ofStepping value: LightValue) -> Shortfall? {
        has(value.ability)
            ? nil : Shortfall(light: id, given: nil, failure: .cannot(light: name, what: value.ability.words))
    }
}
