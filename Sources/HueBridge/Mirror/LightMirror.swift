import HueWire
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
    var powerup: Powerup?
    var isReachable = true
    /// The colour that was last asked for, in the person's words: when the bridge confirms it, it is this colour, not
    /// one calculated back.
    var requestedColor: RequestedColor?

    /// The white tone that was last asked for. Some lamps name no tone while they show it, only its point: diyHue at 153
    /// and 500 mirek, and lamps whose bridge calls the tone invalid.
    var requestedMirek: Int?

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
        powerup = resource.powerup.flatMap { Powerup(rawValue: $0.preset) }
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
        let newPowerup = part.powerup.flatMap { Powerup(rawValue: $0.preset) }
        powerup = newPowerup ?? powerup
        guard values != LightPatch() || newPowerup != nil else { return nil }
        return Light.Report(values, powerup: newPowerup)
    }

    /// The white tone that was last asked for, if the point is that of it.
    func requestedWhite(at point: XY) -> Int? {
        requestedMirek.flatMap { Whites.xy(mirek: $0).distance(to: point) < Self.pointStep ? $0 : nil }
    }

    private var color: HueSaturation? { xy.map { color(of: $0) } }

    /// The colour of a point: the one that was last asked for, if the point confirms it.
    func color(of point: XY) -> HueSaturation { confirmedColor(at: point) ?? HueSaturation(point) }

    private func confirmedColor(at point: XY) -> HueSaturation? {
        requestedColor.flatMap { $0.xy.distance(to: point) < Self.pointStep ? $0.color : nil }
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
            mode: mode
        )
    }
}

extension Patch {
    /// Limited to what this light can show, as the bridge does it: a colour to its gamut, a white to its range.
    func held(for light: LightMirror?) -> Patch {
        var patch = self
        switch color {
        case let .xy(point): patch.color = .xy((light?.triangle ?? .c).nearest(to: point).rounded)
        case let .mirek(mirek):
            if let whites = light?.whites {
                patch.color = .mirek(min(max(mirek, whites.lowerBound), whites.upperBound))
            }
        case nil: break
        }
        return patch
    }

    /// With the values of a newer patch in place of its own.
    func merged(with newer: Patch) -> Patch {
        Patch(
            on: newer.on ?? on, brightness: newer.brightness ?? brightness, color: newer.color ?? color,
            milliseconds: newer.milliseconds)
    }
}

extension Patch {
    /// Whether a newer patch has a value in the place of each of its own.
    func isCovered(by newer: Patch) -> Bool {
        (on == nil || newer.on != nil) && (brightness == nil || newer.brightness != nil)
            && (color == nil || newer.color != nil)
    }
}

extension LightMirror {
    /// In per cent.
    private static let levelStep = Light.Tolerance.reportedBrightness * 100
    /// Colours come back rounded, limited by other arithmetic, or shifted slightly (stefanwichmann/kelvin#125, #129).
    static let pointStep = 0.012

    /// Whether it shows what a patch asks for, within the precision in which bridges report.
    func shows(_ patch: Patch) -> Bool {
        if let on = patch.on, on != isOn { return false }
        guard isOn else { return true }  // Some bridges do not report what a light that is off would show.
        if let requested = patch.brightness, let level {
            // Below its lowest level a light shows its lowest level.
            let lowest = max(minimumDimLevel ?? 0, Light.lowestLevel * 100)
            guard abs(level - requested) <= Self.levelStep || (requested <= lowest && level <= lowest + Self.levelStep)
            else {
                return false
            }
        }
        switch patch.color {
        case nil: return true
        case let .mirek(requested):
            return whites == nil || mirek.map { abs($0 - requested) <= Light.Tolerance.reportedTemperature } ?? false
        case let .xy(requested):
            return triangle == nil || (mirek == nil && xy.map { $0.distance(to: requested) <= Self.pointStep } ?? false)
        }
    }

    /// Whether a person would call the two the same.
    func looks(like other: LightMirror) -> Bool { shows(other.look) }

    /// What it shows, as a patch.
    var look: Patch {
        Patch(on: isOn, brightness: level, color: mirek.map { .mirek($0) } ?? xy.map { .xy($0) }, milliseconds: nil)
    }
}
