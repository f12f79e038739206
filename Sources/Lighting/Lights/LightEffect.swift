extension Light {
    /// A colour as people name it.
    public struct Color: Hashable, Codable, Sendable {
        /// 0…1 around the colour circle.
        public let hue: Double
        /// 0…1 from white to the full colour.
        public let saturation: Double

        public init(hue: Double, saturation: Double) {
            self.hue = hue.clampedToUnit
            self.saturation = saturation.clampedToUnit
        }

        /// Whether the two look the same, given the steps in which bridges report. Near white, the hue does not matter.
        func agrees(with other: Self) -> Bool {
            abs(saturation - other.saturation) <= Tolerance.reportedSaturation
                && (saturation < 0.05 || Light.Values.hueAgrees(hue, other.hue))
        }
    }

    /// Several colours at once, from one end of a strip to the other.
    public struct Gradient: Hashable, Codable, Sendable {
        /// Two or more.
        public let points: [Color]
        /// How the strip arranges them; `nil` in a command leaves that as it is.
        public let mode: Mode?

        /// In the words of API v2.
        public enum Mode: String, Codable, Sendable, CaseIterable {
            /// From the first to the last point.
            case linear = "interpolated_palette"
            /// From the middle to both ends.
            case mirrored = "interpolated_palette_mirrored"
            /// Each pixel shows one of the points.
            case random = "random_pixelated"
            /// Each point in a segment of its own.
            case segmented = "segmented_palette"
        }

        public init(_ points: [Color], mode: Mode? = nil) {
            self.points = points
            self.mode = mode
        }

        func agrees(with other: Self) -> Bool {
            points.count == other.points.count
                && zip(points, other.points).allSatisfy { $0.agrees(with: $1) }
                && (mode == nil || other.mode == nil || mode == other.mode)
        }
    }

    /// What a lamp does beside showing a colour: "candle", "fire", "prism", a slow "sunrise". Lamps list what they can
    /// (``Limits/effects``), newer ones more than is known here. A dynamic scene counts as one (``palette``), but is begun by
    /// recalling it.
    public struct Effect: Hashable, Codable, Sendable {
        public let name: String
        /// 0…1; `nil` leaves it to the lamp, or is unknown.
        public let speed: Double?
        /// The colour or white tone in which it runs; `nil` for its own, or that of the lamp.
        public let color: Color?
        public let temperature: Mirek?
        /// How long a timed effect takes; `nil` for one that goes on.
        public let milliseconds: Int?

        public init(
            _ name: String, speed: Double? = nil, color: Color? = nil, temperature: Mirek? = nil,
            milliseconds: Int? = nil
        ) {
            self.name = name
            self.speed = speed.map(\.clampedToUnit)
            self.color = color
            self.temperature = temperature
            self.milliseconds = milliseconds
        }

        /// A dynamic scene moves the lamp through the colours of its palette.
        public static let palette = "dynamic_palette"

        /// Whether it says more than which one, and how long it takes.
        var isAdjusted: Bool { speed != nil || color != nil || temperature != nil }

        /// Whether it says all that another says of how it runs. How long it takes is the same, too.
        func says(allOf other: Self) -> Bool {
            (other.speed == nil || speed != nil) && (other.color == nil || color != nil)
                && (other.temperature == nil || temperature != nil)
                && (other.milliseconds == nil || other.milliseconds == milliseconds)
        }

        /// Whether the two are the same, as far as both say how they run.
        func agrees(with other: Self) -> Bool {
            func agree<Value>(_ value: KeyPath<Self, Value?>, _ same: (Value, Value) -> Bool) -> Bool {
                guard let one = self[keyPath: value], let two = other[keyPath: value] else { return true }
                return same(one, two)
            }
            return name == other.name && agree(\.speed) { abs($0 - $1) <= Tolerance.reportedSpeed }
                && agree(\.color) { $0.agrees(with: $1) } && agree(\.temperature, Light.Values.temperatureAgrees)
        }
    }
}

extension Light.Gradient? {
    func agrees(with other: Self) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.agrees(with: other)
    }
}

extension Light.Effect? {
    func agrees(with other: Self) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.agrees(with: other)
    }
}

// As databases, backups and journals have them, beside the colour or white tone.

extension LightPatch.Tone {
    /// What of a tone is stored beside its colour or white tone.
    struct Additions: Codable {
        var gradient: Light.Gradient?
        /// Its name is ``ended`` if the tone ends an effect.
        var effect: Light.Effect?

        private static let ended = "no_effect"

        init(_ tone: LightPatch.Tone?) {
            if case let .gradient(points)? = tone?.base { gradient = points }
            if case let .effect(running, over: _)? = tone { effect = running ?? Light.Effect(Self.ended) }
        }

        /// The tone of these and of a colour or white tone.
        func tone(with stored: LightPatch.Tone?) -> LightPatch.Tone? {
            let base = gradient.map { .gradient($0) } ?? stored
            return effect.map { .effect($0.name == Self.ended ? nil : $0, over: base) } ?? base
        }
    }
}
