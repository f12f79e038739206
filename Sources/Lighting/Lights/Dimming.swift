extension Message.Lighting.Increment {
    /// Hundredths of the range, or of what the eye sees of it.
    public var points: Double {
        switch self {
        case let .pt(points), let .lightness(points): points
        }
    }

    /// As far in the other direction.
    public var reversed: Self {
        switch self {
        case let .pt(points): .pt(-points)
        case let .lightness(points): .lightness(-points)
        }
    }

    /// The dimming law: the level one step above or below another, held to the range, down to ``Light/lowestLevel``.
    ///
    /// - Parameter level: 0…1.
    func level(from level: Double) -> Double { max(stepped(level), min(Light.lowestLevel, level)) }

    /// The same for the mean of several lights: down to 0, at which each of them is at its lowest level.
    ///
    /// - Parameter mean: 0…1.
    func mean(from mean: Double) -> Double { stepped(mean) }

    private func stepped(_ level: Double) -> Double {
        switch self {
        case let .pt(points): (level + points / 100).clampedToUnit
        case let .lightness(points): Lightness.level(of: Lightness.of(level: level) + points).clampedToUnit
        }
    }
}

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// How light something looks, by the CIE's L*: from 0, black, to 100, full brightness. Equal steps of it look equal.
///
/// A level, our brightness, is a step of the lamp's control. The lamp's own curve makes light of it, which no bridge
/// tells. Measured on the maker's lamps, half a level is about a quarter of the light (CNET, 2019: "your smart bulbs
/// aren't dimming the way you think they are"), so the light is taken as the square of the level.
enum Lightness {
    /// - Parameter level: 0…1.
    /// - Returns: 0…100.
    static func of(level: Double) -> Double {
        let light = level * level
        return light > cut ? 116 * cbrt(light) - 16 : light * slope
    }

    /// - Parameter lightness: 0…100; what is outside is held to the ends.
    /// - Returns: 0…1.
    static func level(of lightness: Double) -> Double {
        let held = min(max(lightness, 0), 100)
        let root = (held + 16) / 116
        let light = held > cut * slope ? root * root * root : held / slope
        return light.squareRoot()
    }

    // Below this share of full light L* is a straight line (CIE 15).
    private static let cut = 216.0 / 24389
    private static let slope = 24389.0 / 27
}

extension Light {
    /// A lamp's place among the lamps of a room whose ratios commands keep. It is remembered because what lamps show
    /// does not tell it: at an end of the range, where some cannot follow, they have other ratios.
    ///
    /// It is forgotten as soon as the lamp shows another level or is off, whoever did that, or is sent a level by any
    /// other command. If one of a room's lamps has forgotten it, or a lamp without it is on there too, all of them begin
    /// anew from what they show.
    public struct Ratio: Hashable, Codable, Sendable {
        /// The level from which the ratio is counted: 0…1.
        let base: Double
        /// The level that the newest of these commands gave the lamp: 0…1.
        let level: Double
        /// The number of the command with which these ratios began.
        let beginning: UInt64
        /// How many lamps have ratios to each other since then.
        let lights: Int
    }

    /// What it remembers of its ratio to others, unless it shows something else by now. While nothing can be learnt about
    /// the lamp, nothing speaks against it.
    var keptRatio: Ratio? {
        guard let ratio, !isUnavailable else { return ratio }
        return power == .on && Values.brightnessAgrees(brightness, ratio.level) ? ratio : nil
    }
}

/// The levels of a room's lamps as ratios, and what these make of a mean.
struct RoomRatios {
    private let lights: [(light: Light, base: Double)]
    private let beginning: UInt64

    /// - Parameters:
    ///   - lights: those that are on and dim; at least one.
    ///   - ticket: the number of the command, with which the ratios begin if there are none yet.
    init(of lights: [Light], for ticket: UInt64) {
        let first = lights.first?.ratio
        let areKept = lights.allSatisfy { light in
            light.ratio.map { $0.beginning == first?.beginning && $0.lights == lights.count } ?? false
        }
        beginning = areKept ? first?.beginning ?? ticket : ticket
        self.lights = lights.map { ($0, areKept ? $0.ratio?.base ?? $0.brightness : $0.brightness) }
    }

    /// The mean of what the lamps show, 0…1. What a lamp without power shows is seen by nobody, so it does not count,
    /// unless all are without.
    var mean: Double { seen.map(\.light.brightness).reduce(0, +) / Double(seen.count) }

    /// The levels by which the lamps show a mean, 0…1: their bases times a common factor. Those that would exceed full
    /// brightness are full, and the factor of the others is greater for it.
    func levels(of mean: Double) -> [(light: Light, ratio: Light.Ratio)] {
        let factor = factor(of: mean.clampedToUnit)
        return lights.map { light, base in
            let level = min(max(Self.counted(base) * factor, Light.lowestLevel), 1)
            return (light, Light.Ratio(base: base, level: level, beginning: beginning, lights: lights.count))
        }
    }

    private func factor(of mean: Double) -> Double {
        var rising = seen.map { Self.counted($0.base) }.sorted()
        var (sum, rest) = (rising.reduce(0, +), mean * Double(rising.count))
        // The brightest reaches the end first, and what it cannot take is left to the others.
        while let brightest = rising.last, rising.count > 1, brightest * rest > sum {
            rising.removeLast()
            (sum, rest) = (sum - brightest, rest - 1)
        }
        return rest / sum
    }

    private var seen: [(light: Light, base: Double)] {
        let seen = lights.filter { !$0.light.isUnavailable }
        return seen.isEmpty ? lights : seen
    }

    /// A lamp at its lowest level is counted as at this one, so that it has a ratio to the others.
    private static func counted(_ base: Double) -> Double { max(base, Light.lowestLevel) }
}

/// How long a fade takes: 0 to 100 minutes. Bridges round it to 100 ms.
public enum Transition: Hashable, Codable, Sendable {
    /// The bridge's default: 400 ms.
    case usual
    case milliseconds(Int)

    public static let longest = 6_000_000

    /// The nearest duration that bridges accept: 0 to 6,000,000 ms.
    public static func over(_ duration: Duration) -> Self {
        let (seconds, attoseconds) = duration.components
        let milliseconds = Double(seconds) * 1000 + Double(attoseconds) / 1e15
        return .milliseconds(Int(Swift.min(Swift.max(milliseconds, 0), Double(longest)).rounded()))
    }

    public var duration: Duration {
        switch self {
        case .usual: .milliseconds(400)
        case let .milliseconds(count): .milliseconds(count)
        }
    }
}
