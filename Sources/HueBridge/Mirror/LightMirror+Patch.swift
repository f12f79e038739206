import HueWire

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
    /// Levels come back on a grid of 1/253: 50 % comes back as 49.8 (openhab/openhab-addons#21742).
    private static let levelStep = 0.51
    /// Colours come back rounded, limited by other arithmetic, or shifted slightly (stefanwichmann/kelvin#125, #129).
    static let pointStep = 0.012
    private static let mirekStep = 2

    /// Whether it shows what a patch asks for, within the precision in which bridges report.
    func shows(_ patch: Patch) -> Bool {
        if let on = patch.on, on != isOn { return false }
        guard isOn else { return true }  // Some bridges do not report what a light that is off would show.
        if let requested = patch.brightness, let level {
            // Below its lowest level a light shows its lowest level.
            let lowest = max(minimumDimLevel ?? 0, 1)
            guard abs(level - requested) <= Self.levelStep || (requested <= lowest && level <= lowest + Self.levelStep)
            else {
                return false
            }
        }
        switch patch.color {
        case nil: return true
        case let .mirek(requested): return whites == nil || mirek.map { abs($0 - requested) <= Self.mirekStep } ?? false
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
