public import Khipu

/// The time of a home: its zone, and where the sun stands above it.
public struct HomeTime: Hashable, Sendable {
    public let zone: CivilZone
    /// Without it, the sun's moments never come.
    public let place: Place?

    public init(zone: CivilZone, place: Place? = nil) {
        self.zone = zone
        self.place = place
    }

    public static let utc = Self(zone: .utc)

    /// The day that the home's calendar shows.
    public func date(at time: Timestamp) -> CivilDate { zone.date(at: time) }

    /// The time that the home's clocks show.
    public func timeOfDay(at time: Timestamp) -> TimeOfDay { zone.timeOfDay(at: time) }

    /// When a moment of a day is. A time that is skipped when the clocks change is at the change; one that comes twice
    /// is the first of the two. The sun's moments of a day are those around its solar noon: a sunset after midnight
    /// belongs to the day before.
    ///
    /// - Returns: `nil` if it does not come on this day: the sun does not set, the day is skipped by the calendar, or
    ///   the place is unknown.
    public func instant(of moment: Moment, on date: CivilDate) -> Timestamp? {
        switch moment {
        case let .time(time): return zone.instant(of: time, on: date)
        case let .sun(event, offset):
            guard let (sun, noon) = solarDay(date), case let .happens(time) = sun.course(of: event, around: noon) else {
                return nil
            }
            return time.advanced(by: offset)
        }
    }

    /// How high the sun's centre is, in degrees, without refraction: it rises and sets at -0.833, and dawn and dusk are
    /// at -6. `nil` if the place is unknown.
    public func elevation(at time: Timestamp) -> Double? {
        place.map { Sun(place: $0).elevation(at: time) }
    }

    /// The sun and its noon of this day; `nil` if the day is skipped or the place is unknown.
    func solarDay(_ date: CivilDate) -> (sun: Sun, noon: Timestamp)? {
        guard let place, let noon = zone.instant(of: .noon, on: date) else { return nil }
        let sun = Sun(place: place)
        return (sun, sun.noon(nearest: noon))
    }
}
