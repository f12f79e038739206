import HueWire

extension Patch {
    /// Held to what this lamp can show, as the bridge does: a colour to its gamut, a white to its tones.
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

    /// With what a newer patch names in place of what it names.
    func merged(with newer: Patch) -> Patch {
        Patch(
            on: newer.on ?? on, brightness: newer.brightness ?? brightness, color: newer.color ?? color,
            milliseconds: newer.milliseconds)
    }
}

extension LightMirror {
    /// Levels echo on a grid of 1/253, so that 50 % comes back as 49.8 (openhab/openhab-addons#21742).
    private static let levelStep = 0.51
    /// Points come back rounded, clamped by another's arithmetic, or moved a little (stefanwichmann/kelvin#125, #129).
    static let pointStep = 0.012
    private static let mirekStep = 2

    /// Whether it is what a patch asks for, within the steps in which bridges tell.
    func shows(_ patch: Patch) -> Bool {
        if let on = patch.on, on != isOn { return false }
        guard isOn else { return true }  // What a lamp that is off would show, some bridges do not tell.
        if let requested = patch.brightness, let level {
            // Below its lowest level a lamp shows that.
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

    /// What it shows, as a wish for it.
    var look: Patch {
        Patch(on: isOn, brightness: level, color: mirek.map { .mirek($0) } ?? xy.map { .xy($0) }, milliseconds: nil)
    }
}
