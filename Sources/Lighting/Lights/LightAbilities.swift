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
