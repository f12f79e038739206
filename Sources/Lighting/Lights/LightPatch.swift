/// Values of a light, as far as they are named: what somebody wants it to show, or what its bridge has reported. What is
/// not named stays as it is.
public struct LightPatch: Hashable, Sendable {
    public var power: Turn?
    /// 0…1; the lowest level is not off.
    public var brightness: Double?
    public var tone: Tone?

    /// What a lamp shows one of. A tone ends the effect that runs, unless it has one itself.
    public indirect enum Tone: Hashable, Sendable {
        case white(Mirek)
        /// 0…1 each, and at least one of the two.
        case color(hue: Double?, saturation: Double?)
        case gradient(Light.Gradient)
        /// An effect over one of the others; over what the lamp shows, if none is named. Without an effect it ends the one
        /// that runs.
        case effect(Light.Effect?, over: Tone?)
    }

    public init(power: Turn? = nil, brightness: Double? = nil, tone: Tone? = nil) {
        (self.power, self.brightness, self.tone) = (power, brightness, tone)
    }

    public static func bri(_ brightness: Double) -> Self { Self(brightness: brightness) }

    public static func ct(_ mirek: Mirek, brightness: Double? = nil) -> Self {
        Self(brightness: brightness, tone: .white(mirek))
    }

    public static func hsb(hue: Double?, saturation: Double?, brightness: Double?) -> Self {
        let isColor = hue != nil || saturation != nil
        return Self(brightness: brightness, tone: isColor ? .color(hue: hue, saturation: saturation) : nil)
    }

    /// A colour with all three values: `.hsb(0.5, 1, 0.8)`.
    public static func hsb(_ hue: Double, _ saturation: Double, _ brightness: Double) -> Self {
        .hsb(hue: hue, saturation: saturation, brightness: brightness)
    }

    /// Whether it names more than the power.
    public var hasValues: Bool { brightness != nil || tone != nil }

    /// The same values with this power, or without one.
    public func with(power: Turn?) -> Self { Self(power: power, brightness: brightness, tone: tone) }

    /// One patch in place of this and the next.
    public func merged(with next: Self) -> Self {
        Self(
            power: next.power ?? power, brightness: next.brightness ?? brightness,
            tone: next.tone.map { $0.over(tone) } ?? tone)
    }

    /// The patch as changes of a light.
    var changes: [Light.Change] {
        let others: [Light.Change?] = [
            power.map { .turning(.it($0)) }, brightness.map { .setting(.brightness(to: $0)) },
        ]
        return others.compactMap(\.self) + (tone?.changes ?? [])
    }

    /// A lamp needs a whole colour: what is left out of one is taken from the lamp's. If it shows white and has had no
    /// colour, there is no saturation to keep, and whoever names a hue wants to see it.
    public func completed(from shown: Light.Values) -> Self {
        Self(power: power, brightness: brightness, tone: tone?.completed(from: shown))
    }

    /// Of its values, those that can follow a curve; a colour takes the place of the white tone.
    var named: Set<FollowedValue> {
        // A sunrise changes the level, too.
        let isTimed = if case let .effect(effect?, over: _)? = tone { effect.milliseconds != nil } else { false }
        return Set((tone == nil ? [] : [.temperature]) + (brightness == nil && !isTimed ? [] : [.brightness]))
    }
}

extension LightPatch.Tone {
    /// What an effect runs over, or the tone itself if it has none.
    public var base: Self? { if case let .effect(_, over: base) = self { base } else { self } }

    /// Whether it is of a light that a dynamic scene moves.
    public var isMoving: Bool {
        if case let .effect(effect?, over: _) = self { effect.name == Light.Effect.palette } else { false }
    }

    /// One tone in place of an earlier one and this.
    func over(_ earlier: Self?) -> Self {
        switch (self, earlier?.base) {
        case let (.color(hue, saturation), .color(earlierHue, earlierSaturation)):
            .color(hue: hue ?? earlierHue, saturation: saturation ?? earlierSaturation)
        case let (.color(hue, saturation), .gradient(earlier)):
            .color(
                hue: hue ?? earlier.points.first?.hue, saturation: saturation ?? earlier.points.first?.saturation)
        case let (.gradient(gradient), .gradient(earlier)):
            .gradient(Light.Gradient(gradient.points, mode: gradient.mode ?? earlier.mode))
        case let (.effect(nil, over: base), earlier): base?.over(earlier) ?? earlier ?? self
        case let (.effect(effect, over: base), earlier): .effect(effect, over: base?.over(earlier) ?? earlier)
        case (.white, _), (.gradient, _), (.color, _): self
        }
    }

    fileprivate func completed(from shown: Light.Values) -> Self {
        switch self {
        case let .color(hue, saturation):
            let kept = shown.mode == .ct && shown.saturation == 0 ? 1 : shown.saturation
            return .color(hue: hue ?? shown.hue, saturation: saturation ?? kept)
        case let .effect(effect, over: base): return .effect(effect, over: base?.completed(from: shown))
        case .white, .gradient: return self
        }
    }

    fileprivate var changes: [Light.Change] {
        switch self {
        case let .white(mirek): [.setting(.temperature(to: mirek))]
        case let .color(hue, saturation):
            [hue.map { .setting(.hue(to: $0)) }, saturation.map { .setting(.saturation(to: $0)) }].compactMap(\.self)
        case let .gradient(gradient): [.setting(.gradient(to: gradient))]
        case let .effect(effect, over: base): (base?.changes ?? []) + [.setting(.effect(to: effect))]
        }
    }
}

extension Light.Values {
    /// With the values of a patch in place of its own. A tone selects its mode.
    func applying(_ patch: LightPatch) -> Self {
        with(power: patch.power ?? power).with(brightness: patch.brightness ?? brightness).applying(patch.tone)
    }

    private func applying(_ tone: LightPatch.Tone?) -> Self {
        switch tone {
        case let .white(mirek): with(temperature: mirek)
        case let .color(hue, saturation): with(hue: hue ?? self.hue).with(saturation: saturation ?? self.saturation)
        case let .gradient(gradient): with(gradient: gradient)
        case let .effect(effect, over: base): applying(base).with(effect: effect)
        case nil: self
        }
    }

    /// All that is shown: of colour and white tone, the one of its mode.
    ///
    /// - Parameter runsEffects: whether it is of a lamp that can. One that has neither colours nor white tones then says so
    ///   if none runs; for the others their tone says it.
    public func patch(runsEffects: Bool) -> LightPatch {
        var patch = patch
        if patch.tone == nil, runsEffects { patch.tone = .effect(nil, over: nil) }
        return patch
    }

    var patch: LightPatch {
        var tone: LightPatch.Tone? =
            switch mode {
            case .unset: nil
            case .ct: .white(temperature)
            case .hsb: gradient.map { .gradient($0) } ?? .color(hue: hue, saturation: saturation)
            }
        if let effect { tone = .effect(effect, over: tone) }
        return LightPatch(power: power, brightness: brightness, tone: tone)
    }
}

// As databases, backups and journals have it.

extension LightPatch: Codable {
    private enum Stored: Codable {
        case hsb(hue: Double?, saturation: Double?, brightness: Double?)
        case ct(Mirek, brightness: Double?)
        case bri(Double)
    }

    private enum CodingKeys: String, CodingKey { case power }

    public init(from decoder: any Decoder) throws {
        power = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Turn.self, forKey: .power)
        let stored: Self =
            switch try Stored(from: decoder) {
            case let .hsb(hue, saturation, brightness): .hsb(hue: hue, saturation: saturation, brightness: brightness)
            case let .ct(mirek, brightness): .ct(mirek, brightness: brightness)
            case let .bri(brightness): .bri(brightness)
            }
        brightness = stored.brightness
        tone = try Tone.Additions(from: decoder).tone(with: stored.tone)
    }

    public func encode(to encoder: any Encoder) throws {
        let stored: Stored =
            switch (tone?.base, brightness) {
            case let (.color(hue, saturation), _): .hsb(hue: hue, saturation: saturation, brightness: brightness)
            case let (.white(mirek), _): .ct(mirek, brightness: brightness)
            case let (_, level?): .bri(level)
            case (_, nil): .hsb(hue: nil, saturation: nil, brightness: nil)
            }
        try stored.encode(to: encoder)
        try Tone.Additions(tone).encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(power, forKey: .power)
    }
}
