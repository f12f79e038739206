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
        /// The names of what it can run, timed effects among them; `nil` if it can run none.
        public let effects: [String]?
        /// Those of its effects that come to an end; they need to be told how long they take.
        public let timedEffects: [String]?
        /// Whether its effects, but for the timed ones, can be told their speed and their colour; `nil` if not.
        public let adjustsEffects: Bool?
        /// How many points of a gradient it takes; `nil` if it shows one colour.
        public let gradientPoints: Int?
        /// How it can arrange them; `nil` if it does not say.
        public let gradientModes: [Gradient.Mode]?

        public init(
            temperature: ClosedRange<Mirek>? = nil,
            gamut: Gamut? = nil,
            minimumDimLevel: Double? = nil,
            dims: Bool = true,
            effects: [String]? = nil,
            timedEffects: [String]? = nil,
            adjustsEffects: Bool? = nil,
            gradientPoints: Int? = nil,
            gradientModes: [Gradient.Mode]? = nil
        ) {
            self.temperature = temperature
            self.gamut = gamut
            self.minimumDimLevel = minimumDimLevel
            self.dims = dims
            self.effects = effects
            self.timedEffects = timedEffects
            self.adjustsEffects = adjustsEffects
            self.gradientPoints = gradientPoints
            self.gradientModes = gradientModes
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
        case gradient(Gradient)
        /// `nil` is the end of one.
        case effect(Effect?)
    }

    func has(_ ability: Ability) -> Bool {
        switch ability {
        case .level: limits.dims
        case .color: modes.contains(.hsb)
        case .white: modes.contains(.ct)
        case let .gradient(gradient):
            gradient.points.count <= limits.gradientPoints ?? 0
                && gradient.mode.map { limits.gradientModes?.contains($0) ?? true } ?? true
        // Of one that runs none, there is nothing to end.
        case .effect(nil): limits.effects != nil || values.effect != nil
        case let .effect(effect?):
            limits.effects?.contains(effect.name) ?? false && isTimed(effect) == (effect.milliseconds != nil)
                && (!effect.isAdjusted || limits.adjustsEffects == true && !isTimed(effect))
        }
    }

    private func isTimed(_ effect: Effect) -> Bool { limits.timedEffects?.contains(effect.name) ?? false }

    /// Completes "'Stove' cannot …".
    func words(lacking ability: Ability) -> String {
        switch ability {
        case .level: "be dimmed"
        case .color: "show colours"
        case .white: "change its white tone"
        case let .gradient(gradient): words(lacking: gradient)
        case .effect(nil): "run effects"
        case let .effect(effect?): words(lacking: effect)
        }
    }

    private func words(lacking gradient: Gradient) -> String {
        guard let most = limits.gradientPoints else { return "show several colours at once" }
        guard gradient.points.count <= most else { return "show more than \(most) colours at once" }
        return "arrange a gradient in that way"
    }

    private func words(lacking effect: Effect) -> String {
        guard let effects = limits.effects, !effects.isEmpty else { return "run effects" }
        guard effects.contains(effect.name) else {
            return "run the effect '\(effect.name)', but \(effects.joined(separator: ", "))"
        }
        if isTimed(effect) != (effect.milliseconds != nil) {
            return effect.milliseconds == nil
                ? "run '\(effect.name)' without being told how long it takes" : "run '\(effect.name)' for a set time"
        }
        return "run '\(effect.name)' at a set speed or in a set colour"
    }

    /// The part of a patch that the lamp is able to show; `nil` if it can show none of its values. Each lamp of a room takes
    /// what it can. What a dynamic scene moves goes on if it still does; otherwise the lamp gets the colour that it had.
    public func part(of patch: LightPatch) -> LightPatch? {
        let part = LightPatch(
            power: patch.power, brightness: has(.level) ? patch.brightness : nil, tone: patch.tone.flatMap(part))
        return part.hasValues ? part : nil
    }

    private func part(of tone: LightPatch.Tone) -> LightPatch.Tone? {
        guard case let .effect(effect, over: base) = tone else { return has(tone.ability) ? tone : nil }
        if tone.isMoving, values.isMoving { return nil }
        let below = base.flatMap(part)
        return has(tone.ability) ? .effect(effect, over: below) : below
    }
}

extension [Light] {
    /// Why none of them can show what needs an ability, in the words of the one that comes nearest to it; there is one.
    func failure(lacking ability: Light.Ability) -> Failure {
        let nearest = first { light in
            switch ability {
            case .effect: light.limits.effects != nil
            case .gradient: light.limits.gradientPoints != nil
            case .level, .color, .white: true
            }
        }
        let light = nearest ?? self[0]
        return .cannot(light: light.name, what: light.words(lacking: ability))
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
        (tone?.abilities ?? []) + (brightness == nil ? [] : [.level])
    }

    /// What a lamp lacks that can show none of it.
    var ability: Light.Ability { abilities.first ?? .level }
}

extension LightPatch.Tone {
    fileprivate var ability: Light.Ability {
        switch self {
        case .color: .color
        case .white: .white
        case let .gradient(gradient): .gradient(gradient)
        case let .effect(effect, over: _): .effect(effect)
        }
    }

    fileprivate var abilities: [Light.Ability] {
        if case let .effect(_, over: base) = self { [ability] + (base?.abilities ?? []) } else { [ability] }
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
    func shortfall(of patch: LightPatch) -> Shortfall? {
        let lacking = patch.abilities.filter { !has($0) }
        guard !lacking.isEmpty else { return nil }
        let words = lacking.map(words).joined(separator: " or ")
        return Shortfall(light: id, given: part(of: patch), failure: .cannot(light: name, what: words))
    }

    fileprivate func shortfall(ofStepping value: LightValue) -> Shortfall? {
        has(value.ability)
            ? nil : Shortfall(light: id, given: nil, failure: .cannot(light: name, what: words(lacking: value.ability)))
    }
}
