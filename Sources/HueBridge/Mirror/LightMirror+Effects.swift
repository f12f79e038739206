import HueWire
import Lighting

/// What a lamp does beside showing one colour.
extension LightMirror {
    /// What the lamp lists of effects and gradients.
    struct Skills: Hashable, Sendable {
        /// By the form in which it takes them; `nil` for a form that it does not have.
        var effects: [LightUpdate.Effect.Form: [String]] = [:] {
            didSet { (names, timedNames) = (names(of: [.new, .old, .timed]), names(of: [.timed])) }
        }
        /// Of all its effects, and of the timed ones; `nil` if it has none. Kept, so that lamps with the same skills share
        /// them.
        private(set) var names: [String]?
        private(set) var timedNames: [String]?
        /// How many points of a gradient it takes.
        var points: Int?
        var modes: [String]?

        /// The form in which it takes an effect. The newest goes first; what no form lists is sent in that.
        func form(of effect: String) -> LightUpdate.Effect.Form {
            let forms: [LightUpdate.Effect.Form] = [.new, .old, .timed]
            return forms.first { effects[$0]?.contains(effect) ?? false } ?? .new
        }

        /// Each once, without that of none.
        private func names(of forms: [LightUpdate.Effect.Form]) -> [String]? {
            let names = forms.flatMap { effects[$0] ?? [] }.filter { $0 != LightUpdate.Effect.none }.unique
            return names.isEmpty ? nil : names
        }
    }

    /// Which of the forms a bridge fills in differs; where they disagree, the newest counts. A bridge that tells of an
    /// effect later than of the colour that ended it names it for a moment beside that colour.
    mutating func takeEffects(_ part: LightResource) {
        let features: [(LightUpdate.Effect.Form, EffectsFeature?)] = [
            (.new, part.effects), (.timed, part.timedEffects), (.old, part.oldEffects),
        ]
        for (form, feature) in features {
            // What is the same stays shared with other lamps.
            if let values = feature?.values, values != skills.effects[form] { skills.effects[form] = values }
        }
        var told = features.compactMap { form, feature in
            feature?.effect.map { name in
                LightUpdate.Effect(
                    name, speed: feature?.parameters?.speed, color: feature?.parameters?.shown,
                    milliseconds: form == .timed ? feature?.duration : nil, as: form)
            }
        }
        // Before the others: the palette's next colour ends an effect. A speed without a status is of what goes on.
        if let dynamics = part.dynamics,
            let status = dynamics.status ?? (isMoving ? LightUpdate.Effect.palette : nil)
        {
            let name = status == LightUpdate.Effect.palette ? status : LightUpdate.Effect.none
            told.insert(LightUpdate.Effect(name, speed: dynamics.speed, as: .palette), at: 0)
        }
        // Two forms are of the same effects: an old one says nothing beside the new.
        let effects = told.filter { $0.form != .old || part.effects?.effect == nil }
        guard !effects.isEmpty else { return }
        if let running = effects.first(where: { $0.name != LightUpdate.Effect.none }) {
            effect = running
        } else if let form = effect?.form, effects.contains(where: { $0.form.kind == form.kind }) {
            effect = nil
        }
    }

    /// Whether a dynamic scene moves it through the colours of its palette.
    var isMoving: Bool { effect?.form == .palette }

    /// Whether it differs from what it showed before only as a dynamic scene moves it: by its colour.
    func hasMoved(since before: LightMirror?) -> Bool {
        guard let before, isMoving, before.isMoving else { return false }
        return isOn == before.isOn && level == before.level
    }

    mutating func takeGradient(_ part: LightResource) {
        if let points = part.gradient?.points {
            gradient = points.count > 1 ? points : []
        } else if part.colorTemperature?.shown != nil || part.color.map({ isPlain($0.xy) }) ?? false {
            gradient = []
        }
        gradientMode = part.gradient?.mode ?? gradientMode
        skills.points = part.gradient?.most ?? skills.points
        skills.modes = part.gradient?.modes ?? skills.modes
    }

    /// Whether a colour that is reported without points is the only one: it is none of the gradient's, or the one that was
    /// last asked for.
    private func isPlain(_ point: XY) -> Bool {
        if requestedColors.count == 1, isNear(point, requestedColors[0].xy) { return true }
        return !gradient.contains { isNear(point, $0) }
    }

    /// A colour or white tone with what the lamp shows beside it.
    func whole(_ tone: LightPatch.Tone) -> LightPatch.Tone {
        var tone = tone
        if !gradient.isEmpty { tone = .gradient(shownGradient) }
        return effect.map { .effect(Light.Effect($0, of: self), over: tone) } ?? tone
    }

    /// All that it shows.
    var patch: LightPatch { values.patch(runsEffects: !skills.effects.isEmpty) }

    var shownGradient: Light.Gradient {
        Light.Gradient(
            gradient.map { Light.Color(color(of: $0)) },
            mode: gradientMode.flatMap { Light.Gradient.Mode(rawValue: $0) })
    }

    func shows(_ requested: LightUpdate.Effect) -> Bool {
        guard let effect else { return requested.name == LightUpdate.Effect.none || skills.effects.isEmpty }
        guard effect.name == requested.name else { return false }
        if let speed = effect.speed, let asked = requested.speed, abs(speed - asked) > Light.Tolerance.reportedSpeed {
            return false
        }
        switch (effect.color, requested.color) {
        case let (.xy(point), .xy(asked)): return isNear(point, asked)
        case let (.mirek(mirek), .mirek(asked)): return abs(mirek - asked) <= Light.Tolerance.reportedTemperature
        case (_, nil), (nil, _): return true
        default: return false
        }
    }
}

extension LightUpdate.Effect.Form {
    /// The old and the new form are of the same effects.
    fileprivate var kind: Self { self == .old ? .new : self }
}

// MARK: - Between the words of the bridge and those of the domain

extension Light.Color {
    init(_ color: HueSaturation) { self.init(hue: color.hue, saturation: color.saturation) }

    var xy: XY { HueSaturation(hue: hue, saturation: saturation).xy }
}

extension Light.Effect {
    init(_ effect: LightUpdate.Effect, of light: LightMirror) {
        var (color, white): (Light.Color?, Mirek?)
        switch effect.color {
        case let .xy(point): color = Light.Color(light.color(of: point))
        case let .mirek(mirek): white = Mirek(mirek)
        case .gradient, .effect, nil: break
        }
        self.init(
            effect.name, speed: effect.speed, color: color, temperature: white, milliseconds: effect.milliseconds)
    }

    /// How it looks, as a scene stores it: without its speed and its time.
    init(storing effect: LightUpdate.Effect) {
        var (color, white): (Light.Color?, Mirek?)
        switch effect.color {
        case let .xy(point): color = Light.Color(HueSaturation(point))
        case let .mirek(mirek): white = Mirek(mirek)
        case .gradient, .effect, nil: break
        }
        self.init(effect.name, color: color, temperature: white)
    }
}

extension LightUpdate.Effect {
    init(_ effect: Light.Effect?) {
        self.init(
            effect?.name ?? Self.none, speed: effect?.speed.map { ($0 * 10_000).rounded() / 10_000 },
            color: effect?.color.map { .xy($0.xy) } ?? effect?.temperature.map { .mirek($0.value) },
            milliseconds: effect?.milliseconds)
    }
}
