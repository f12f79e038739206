import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Day or night at a place, for the bridge's own sensor.
struct Daylight: Equatable, Sendable {
    /// Degrees, north and east positive.
    let latitude: Double
    let longitude: Double

    /// The same from "52.5200N" and "013.4050E", as API v1 writes them.
    init?(lat: String, long: String) {
        guard let latitude = Self.degrees(lat, "N", "S", 90), let longitude = Self.degrees(long, "E", "W", 180) else {
            return nil
        }
        (self.latitude, self.longitude) = (latitude, longitude)
    }

    static func degrees(_ text: String, _ plus: Character, _ minus: Character, _ most: Double) -> Double? {
        guard let side = text.last, side == plus || side == minus, let value = Double(text.dropLast()),
            (0...most).contains(value)
        else { return nil }
        return side == plus ? value : -value
    }

    /// The height of the sun over the horizon in degrees, to about half a degree. The usual approximation: declination
    /// and equation of time from the day of the year.
    func elevation(at date: Date) -> Double {
        let days = date.timeIntervalSince1970 / 86400 + 2440587.5 - 2451545
        let anomaly = (357.529 + 0.98560028 * days).radians
        let mean = 280.459 + 0.98564736 * days
        let ecliptic = (mean + 1.915 * sin(anomaly) + 0.020 * sin(2 * anomaly)).radians
        let tilt = (23.439 - 0.00000036 * days).radians
        let declination = asin(sin(tilt) * sin(ecliptic))
        let ascension = atan2(cos(tilt) * sin(ecliptic), cos(ecliptic))
        let sidereal = (280.46061837 + 360.98564736629 * days + longitude).radians
        let hour = sidereal - ascension
        let height =
            sin(latitude.radians) * sin(declination) + cos(latitude.radians) * cos(declination) * cos(hour)
        return asin(min(max(height, -1), 1)) * 180 / .pi
    }

    /// Whether it is day: between sunrise and sunset, each moved by some minutes.
    func isDay(at date: Date, sunrise: Int, sunset: Int) -> Bool {
        // Before noon the sun is compared as it was `sunrise` minutes ago, after noon as it was `sunset` minutes ago.
        let isRising = elevation(at: date.addingTimeInterval(60)) > elevation(at: date)
        let moved = date.addingTimeInterval(Double(isRising ? sunrise : sunset) * -60)
        // Refraction and the sun's own size.
        return elevation(at: moved) > -0.833
    }
}

extension Double {
    fileprivate var radians: Double { self * .pi / 180 }
}
