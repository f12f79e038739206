import Glibc
import Khipu

/// The sun as seen from a place, by the equations of NOAA's solar calculator (after Meeus, "Astronomical Algorithms"):
/// good to some seconds within a century of today, where the sun does not only graze the horizon.
struct Sun {
    let place: Place

    /// The elevation of the sun's centre in degrees, without refraction: it rises and sets at -0.833.
    func elevation(at time: Timestamp) -> Double { elevation(at: Double(time.milliseconds) / 1000) }

    /// The solar noon nearest to this time.
    func noon(nearest time: Timestamp) -> Timestamp {
        let second = Double(time.milliseconds) / 1000
        // At the sun's mean noon, a clock in UTC shows as much less than 12:00 as the place is to the east.
        let mean = 43_200 - place.longitude * 240
        let noon = mean + 86_400 * ((second - mean) / 86_400).rounded()
        return Timestamp(second: noon - Self.position(at: noon).equationOfTime)
    }

    /// What becomes of a sun's event on the day around a solar noon.
    enum Course: Equatable {
        case happens(Timestamp)
        /// The sun stays above what would be passed, or below it.
        case staysUp, staysDown
    }

    func course(of event: SunEvent, around noon: Timestamp) -> Course {
        switch event {
        case .midnight: .happens(midnight(before: noon))
        case .noon: .happens(noon)
        case .dawn: passing(Self.twilight, from: midnight(before: noon), to: noon)
        case .sunrise: passing(Self.horizon, from: midnight(before: noon), to: noon)
        case .sunset: passing(Self.horizon, from: midnight(after: noon), to: noon)
        case .dusk: passing(Self.twilight, from: midnight(after: noon), to: noon)
        }
    }

    func midnight(before noon: Timestamp) -> Timestamp { midnight(noon, -43_200) }
    func midnight(after noon: Timestamp) -> Timestamp { midnight(noon, 43_200) }

    /// Refraction lifts the sun by 34', and its upper edge is 16' above its centre.
    private static let horizon = -0.833
    private static let twilight = -6.0

    private func midnight(_ noon: Timestamp, _ distance: Double) -> Timestamp {
        let mean = Double(noon.milliseconds) / 1000 + distance
        let drift = Self.position(at: mean).equationOfTime - Self.position(at: mean - distance).equationOfTime
        return Timestamp(second: mean - drift)
    }

    /// Finds when the sun passes an elevation between midnight and noon, to the second, by the Illinois method: a straight
    /// line between both ends says where to look next, and an end that is kept twice counts half, so that it moves, too.
    private func passing(_ degrees: Double, from midnight: Timestamp, to noon: Timestamp) -> Course {
        var below = (second: Double(midnight.milliseconds) / 1000, by: 0.0)
        var above = (second: Double(noon.milliseconds) / 1000, by: 0.0)
        below.by = elevation(at: below.second) - degrees
        above.by = elevation(at: above.second) - degrees
        guard above.by >= 0 else { return .staysDown }
        guard below.by < 0 else { return .staysUp }
        var wasBelow: Bool?
        while abs(above.second - below.second) > 0.5 {
            let span = above.second - below.second
            // Not at an end: each look leaves less.
            let share = min(max(below.by / (below.by - above.by), 0.2 / abs(span)), 1 - 0.2 / abs(span))
            let second = below.second + span * share
            let by = elevation(at: second) - degrees
            if by < 0 {
                below = (second, by)
                if wasBelow == true { above.by /= 2 }
            } else {
                above = (second, by)
                if wasBelow == false { below.by /= 2 }
            }
            wasBelow = by < 0
        }
        return .happens(Timestamp(second: above.second))
    }

    private func elevation(at second: Double) -> Double {
        let sun = Self.position(at: second)
        let solarTime = second + place.longitude * 240 + sun.equationOfTime
        let hourAngle = (solarTime / 86_400 - (solarTime / 86_400).rounded(.down) - 0.5) * 2 * .pi
        let latitude = place.latitude * .pi / 180
        let sine = sin(latitude) * sin(sun.declination) + cos(latitude) * cos(sun.declination) * cos(hourAngle)
        return asin(min(max(sine, -1), 1)) * 180 / .pi
    }

    /// The declination in radians, and how far a sundial is ahead of a clock, in seconds.
    private static func position(at second: Double) -> (declination: Double, equationOfTime: Double) {
        let radians = Double.pi / 180
        // Centuries since 1 January 2000, 12:00 UTC.
        let t = (second - 946_728_000) / (86_400 * 36_525)
        let meanLongitude = (280.46646 + t * (36000.76983 + t * 0.0003032)) * radians
        let meanAnomaly = (357.52911 + t * (35999.05029 - t * 0.0001537)) * radians
        let eccentricity = 0.016708634 - t * (0.000042037 + t * 0.0000001267)
        let center =
            (sin(meanAnomaly) * (1.914602 - t * (0.004817 + t * 0.000014))
                + sin(2 * meanAnomaly) * (0.019993 - t * 0.000101) + sin(3 * meanAnomaly) * 0.000289) * radians
        let node = (125.04 - 1934.136 * t) * radians
        let longitude = meanLongitude + center - (0.00569 + 0.00478 * sin(node)) * radians
        let meanObliquity = 23 + (26 + (21.448 - t * (46.815 + t * (0.00059 - t * 0.001813))) / 60) / 60
        let obliquity = (meanObliquity + 0.00256 * cos(node)) * radians
        let y = tan(obliquity / 2) * tan(obliquity / 2)
        let equationOfTime =
            y * sin(2 * meanLongitude) - 2 * eccentricity * sin(meanAnomaly)
            + 4 * eccentricity * y * sin(meanAnomaly) * cos(2 * meanLongitude) - y * y / 2 * sin(4 * meanLongitude)
            - 1.25 * eccentricity * eccentricity * sin(2 * meanAnomaly)
        return (asin(sin(obliquity) * sin(longitude)), equationOfTime / radians * 240)
    }
}

extension Timestamp {
    /// Rounded to whole seconds.
    fileprivate init(second: Double) {
        self.init(milliseconds: Int64(second.rounded()) * 1000)
    }
}
