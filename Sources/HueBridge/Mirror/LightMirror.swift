import HueWire
import Khipu
import Lighting

/// What a bridge has reported of one light so far, in the bridge's words.
struct LightMirror: Equatable, Sendable {
    let id: ResourceID
    let device: ResourceID?
    var name: String
    var isOn: Bool
    /// Per cent; `nil` if the light cannot be dimmed.
    var level: Double?
    var minimumDimLevel: Double?
    var xy: XY?
    var triangle: HueWire.Gamut?
    /// The white tone it shows now.
    var mirek: Int? { didSet { lastMirek = mirek ?? lastMirek } }
    /// The white tone that it last showed: bridges report none while a light shows a colour.
    var lastMirek: Int?
    var whites: ClosedRange<Int>?
    /// The points of its gradient; empty while it shows one colour.
    var gradient: [XY] = []
    var gradientMode: String?
    /// What runs on it; `nil` if nothing does.
    var effect: LightUpdate.Effect?
    var skills = Skills()
    /// What it tells by blinking.
    var signal: Signal?
    var configuration: LightConfiguration
    var isReachable = true
    /// The colours that were last asked for, in the person's words: when the bridge confirms one, it is this colour, not
    /// one calculated back. Several are those of a gradient.
    var requestedColors: [RequestedColor] = []

    /// The white tone that was last asked for. Some lamps name no tone while they show it, only its point: diyHue at 153
    /// and 500 mirek, and lamps whose bridge calls the tone invalid.
    var requestedMirek: Int?

    struct Signal: Equatable, Sendable {
        let status: SignalingFeature.Status
        /// By our clock.
        let end: Timestamp
    }

    struct RequestedColor: Equatable, Sendable {
        let xy: XY
        let color: HueSaturation
    }

    /// - Parameter owner: of which it is a part.
    init(_ resource: LightResource, of owner: ResourceReference?, name: String) {
        id = resource.id
        device = owner?.rtype == .device ? owner?.rid : nil
        self.name = name
        isOn = resource.on?.on ?? false
        level = resource.dimming?.brightness
        minimumDimLevel = resource.dimming?.minDimLevel
        xy = resource.color?.xy
        triangle = resource.color?.triangle
        mirek = resource.colorTemperature?.shown
        lastMirek = mirek
        configuration = LightConfiguration(resource)
        takeEffects(resource)
        takeGradient(resource)
        whites = resource.colorTemperature.map { ($0.mirekSchema ?? MirekSchema(0, 0)).range }
    }

    /// Takes in what an event names.
    ///
    /// - Returns: what is new, in the domain's words; `nil` if it named nothing that we show.
    mutating func merge(_ part: LightResource) -> Light.Report? {
        var values = LightPatch()
        if let on = part.on {
            isOn = on.on
            values.power = on.on ? .on : .off
        }
        if let dimming = part.dimming, level != nil {
            level = dimming.brightness
            values.brightness = dimming.brightness / 100
        }
        if let shown = part.colorTemperature?.shown {
            // In white mode the point only follows the white.
            mirek = shown
            if let point = part.color?.xy { xy = point }
            values.tone = .white(Mirek(shown))
        } else if let point = part.color?.xy, triangle != nil, let asked = requestedWhite(at: point) {
            (xy, mirek) = (point, asked)
            values.tone = .white(Mirek(asked))
        } else if let point = part.color?.xy, triangle != nil {
            let leavesWhite = part.colorTemperature != nil
            let followsWhite = !leavesWhite && mirek.map { Whites.xy(mirek: $0).distance(to: point) < 0.01 } ?? false
            xy = point
            if !followsWhite {
                mirek = nil
                values.tone = color.map { .color(hue: $0.hue, saturation: $0.saturation) }
            }
        } else if values.power != nil || values.brightness != nil, mirek == nil,
            let confirmed = xy.flatMap({ confirmedColor(at: $0) })
        {
            // It shows this point already, so the bridge reports only the rest; but it had another name until now.
            values.tone = .color(hue: confirmed.hue, saturation: confirmed.saturation)
        }
        let shown = (effect, gradient, gradientMode)
        takeEffects(part)
        takeGradient(part)
        if shown != (effect, gradient, gradientMode) { values.tone = values.tone ?? patch.tone }
        values.tone = values.tone?.base.map(whole) ?? values.tone
        let news = LightConfiguration(part)
        configuration = configuration.merged(with: news)
        guard values != LightPatch() || news != LightConfiguration() else { return nil }
        return Light.Report(values, configuration: news)
    }

    /// The white tone that was last asked for, if the point is that of it.
    func requestedWhite(at point: XY) -> Int? {
        requestedMirek.flatMap { Whites.xy(mirek: $0).distance(to: point) < Self.pointStep ? $0 : nil }
    }

    private var color: HueSaturation? { xy.map { color(of: $0) } }

    /// The colour of a point: the one that was last asked for, if the point confirms it.
    func color(of point: XY) -> HueSaturation { confirmedColor(at: point) ?? HueSaturation(point) }

    private func confirmedColor(at point: XY) -> HueSaturation? {
        let nearest = requestedColors.min { $0.xy.distance(to: point) < $1.xy.distance(to: point) }
        return nearest.flatMap { $0.xy.distance(to: point) < Self.pointStep ? $0.color : nil }
    }

    /// What these colours are asked for as, at the points that the light makes of them.
    func requests(_ colors: [HueSaturation]) -> [RequestedColor] {
        colors.map { RequestedColor(xy: (triangle ?? .c).held($0.xy), color: $0) }
    }

    var mode: Light.Mode {
        if mirek != nil { return .ct }
        if triangle != nil { return .hsb }
        return whites == nil ? .unset : .ct
    }

    var values: Light.Values {
        let color = mode == .hsb ? color : nil
        return Light.Values(
            power: isOn ? .on : .off,
            brightness: level.map { $0 / 100 } ?? 1,
            hue: color?.hue ?? 0,
            saturation: color?.saturation ?? 0,
            temperature: Mirek(lastMirek ?? whites.map { min(max(366, $0.lowerBound), $0.upperBound) } ?? 366),
            mode: mode,
            gradient: gradient.isEmpty ? nil : shownGradient,
            effect: effect.map { Light.Effect($0, of: self) }
        )
    }
}

// MARK: - Between the words of the bridge and those of the domain

extension LightMirror {
    /// The light as it was reported at this time.
    func light(_ id: Light.ID, at time: Timestamp) -> Light {
        var modes: Set<Light.Mode> = []
        if triangle != nil { modes.insert(.hsb) }
        if whites != nil { modes.insert(.ct) }
        return Light(
            id: id,
            name: name,
            values: values,
            modes: modes,
            limits: Light.Limits(
                temperature: whites.map { Mirek($0.lowerBound)...Mirek($0.upperBound) },
                gamut: triangle.map { Light.Gamut($0) },
                minimumDimLevel: minimumDimLevel,
                dims: level != nil,
                effects: skills.names,
                timedEffects: skills.timedNames,
                adjustsEffects: skills.effects[.new] == nil ? nil : true,
                gradientPoints: skills.points,
                gradientModes: skills.modes?.compactMap { Light.Gradient.Mode(rawValue: $0) }
            ),
            configuration: configuration,
            signal: runningSignal,
            freshness: isReachable ? .confirmed(at: time) : .unreachable(since: time),
            heard: time
        )
    }
}

extension LightMirror {
    var runningSignal: Light.RunningSignal? {
        signal.map { signal in
            Light.RunningSignal(signal.status.colors.map { Light.Color(color(of: $0)) }, until: signal.end)
        }
    }
}

extension LightUpdate.Color {
    fileprivate init(_ tone: LightPatch.Tone) {
        self =
            switch tone {
            case let .white(mirek): .mirek(mirek.value)
            case let .color(hue, saturation): .xy(HueSaturation(hue: hue ?? 0, saturation: saturation ?? 0).xy)
            case let .gradient(gradient): .gradient(gradient.points.map(\.xy), mode: gradient.mode?.rawValue)
            case let .effect(effect, over: base): .effect(LightUpdate.Effect(effect), over: base.map { Self($0) })
            }
    }

    /// Those of its colours.
    var points: [XY] {
        switch self {
        case let .xy(point): [point]
        case let .gradient(points, mode: _): points
        case .mirek: []
        case let .effect(effect, over: base): (base?.points ?? []) + (effect.color?.points ?? [])
        }
    }
}

extension Light.Gamut {
    fileprivate init(_ gamut: HueWire.Gamut) {
        self.init(
            red: Point(x: gamut.red.x, y: gamut.red.y), green: Point(x: gamut.green.x, y: gamut.green.y),
            blue: Point(x: gamut.blue.x, y: gamut.blue.y))
    }
}

extension DesiredState {
    /// What a scene sets on a light.
    init(_ light: Light.ID, of known: LightMirror, _ update: LightUpdate?) {
        self.init(light, update.map { known.patch(of: $0) } ?? LightPatch())
    }
}

extension LightMirror {
    /// What an update asks of the light, in the domain's words.
    func patch(of update: LightUpdate) -> LightPatch {
        LightPatch(
            power: update.on.map { $0 ? .on : .off }, brightness: update.brightness.map { $0 / 100 },
            tone: update.color.map(tone))
    }

    /// A colour in the domain's words.
    fileprivate func tone(of shown: LightUpdate.Color) -> LightPatch.Tone {
        switch shown {
        case let .mirek(mirek): return .white(Mirek(mirek))
        case let .xy(point):
            let color = color(of: point)
            return .color(hue: color.hue, saturation: color.saturation)
        case let .gradient(points, mode):
            let mode = mode.flatMap { Light.Gradient.Mode(rawValue: $0) }
            return .gradient(Light.Gradient(points.map { Light.Color(color(of: $0)) }, mode: mode))
        case let .effect(effect, over: base):
            let isNone = effect.name == LightUpdate.Effect.none
            return .effect(isNone ? nil : Light.Effect(effect, of: self), over: base.map(tone))
        }
    }
}

extension LightUpdate {
    init(_ state: DesiredState, _ transition: Transition) {
        self.init(
            on: state.power.map { $0 == .on }, brightness: state.values.brightness.map(\.percent),
            color: state.values.tone.map { Color($0) }, milliseconds: transition.wire)
    }
}

extension Double {
    /// Of a value from 0 to 1, with the two decimals that bridges report: 14, and not 14.000000000000002.
    fileprivate var percent: Double { (self * 10_000).rounded() / 100 }
}

extension LightUpdate {
    init(_ change: LightConfiguration.Change) {
        switch change {
        case let .powerup(powerup): self.init(powerup: PowerupFeature(preset: powerup.rawValue))
        }
    }
}

extension LightConfiguration {
    /// What a light or an event names of it. A preset that is newer than this code is unknown.
    fileprivate init(_ resource: LightResource) {
        self.init(powerup: resource.powerup.flatMap { Powerup(rawValue: $0.preset) })
    }
}

// MARK: - Comparing

extension LightUpdate {
    /// Limited to what this light can show, as the bridge does it: a colour to its gamut, a white to its range.
    func held(for light: LightMirror?) -> LightUpdate {
        var update = self
        update.color = color?.held(for: light)
        return update
    }

    /// With the values of a newer update in place of its own.
    func merged(with newer: LightUpdate) -> LightUpdate {
        LightUpdate(
            on: newer.on ?? on, brightness: newer.brightness ?? brightness,
            color: newer.color.map { $0.over(color) } ?? color, milliseconds: newer.milliseconds)
    }

    /// Without the values in the place of which a newer update has others; `nil` if none is left.
    func remaining(after newer: LightUpdate) -> LightUpdate? {
        let rest = LightUpdate(
            on: newer.on == nil ? on : nil, brightness: newer.brightness == nil ? brightness : nil,
            color: newer.color.map { color?.remaining(after: $0) } ?? color, milliseconds: milliseconds)
        return rest.on == nil && rest.brightness == nil && rest.color == nil ? nil : rest
    }
}

extension LightMirror {
    /// In per cent.
    private static let levelStep = Light.Tolerance.reportedBrightness * 100
    /// Colours come back rounded, limited by other arithmetic, or shifted slightly (stefanwichmann/kelvin#125, #129).
    static let pointStep = 0.012

    /// Whether it shows what an update asks for, within the precision in which bridges report.
    func shows(_ update: LightUpdate) -> Bool {
        if let on = update.on, on != isOn { return false }
        guard isOn else { return true }  // Some bridges do not report what a light that is off would show.
        if let requested = update.brightness, let level {
            // Below its lowest level a light shows its lowest level.
            let lowest = max(minimumDimLevel ?? 0, Light.lowestLevel * 100)
            guard abs(level - requested) <= Self.levelStep || (requested <= lowest && level <= lowest + Self.levelStep)
            else {
                return false
            }
        }
        guard let color = update.color else { return true }
        guard case let .effect(requested, over: base) = color else { return effect == nil && shows(base: color) }
        return (base.map(shows) ?? true) && shows(requested)
    }

    private func shows(base: LightUpdate.Color) -> Bool {
        switch base {
        case let .mirek(requested):
            whites == nil || mirek.map { abs($0 - requested) <= Light.Tolerance.reportedTemperature } ?? false
        case let .xy(requested):
            triangle == nil || gradient.isEmpty && mirek == nil && xy.map { isNear($0, requested) } ?? false
        case let .gradient(points, mode):
            skills.points == nil
                || gradient.count == points.count && zip(gradient, points).allSatisfy(isNear)
                    && (mode == nil || gradientMode == nil || mode == gradientMode)
        case .effect: true
        }
    }

    func isNear(_ point: XY, _ requested: XY) -> Bool { point.distance(to: requested) <= Self.pointStep }

    /// Whether a person would call the two the same.
    func looks(like other: LightMirror) -> Bool { shows(other.look) }

    /// What it shows, as an update.
    var look: LightUpdate {
        var color: LightUpdate.Color? = mirek.map { .mirek($0) } ?? xy.map { .xy($0) }
        if !gradient.isEmpty { color = .gradient(gradient, mode: gradientMode) }
        if let effect { color = .effect(effect, over: color) }
        return LightUpdate(on: isOn, brightness: level, color: color, milliseconds: nil)
    }
}

extension LightUpdate.Color {
    fileprivate func held(for light: LightMirror?) -> Self {
        let triangle = light?.triangle ?? .c
        switch self {
        case let .xy(point): return .xy(triangle.held(point))
        case let .mirek(mirek):
            guard let whites = light?.whites else { return self }
            return .mirek(min(max(mirek, whites.lowerBound), whites.upperBound))
        case let .gradient(points, mode): return .gradient(points.map { triangle.held($0) }, mode: mode)
        case .effect(var effect, over: let base):
            // An effect ends in the form in which it runs.
            let isEnd = effect.name == LightUpdate.Effect.none
            // A dynamic scene ends on a lamp with a colour.
            if isEnd, let light, light.isMoving, let shown = base ?? light.xy.map({ .xy($0) }) {
                return shown.held(for: light)
            }
            effect.color = effect.color?.held(for: light)
            effect.form = (isEnd ? light?.effect?.form : nil) ?? light?.skills.form(of: effect.name) ?? .new
            return .effect(effect, over: base?.held(for: light))
        }
    }
}
