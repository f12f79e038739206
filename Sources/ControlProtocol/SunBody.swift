/// The sun's day at home.
public struct SunBody: Codable, Equatable, Sendable {
    /// "2026-12-24".
    public var date: String
    /// "Europe/Berlin".
    public var timeZone: String
    /// Degrees north and east; absent if the home's place is not configured.
    public var latitude: Double?
    public var longitude: Double?
    /// In order. Those that do not come on this day are missing: beyond the polar circles the sun may stay up, or down.
    /// None if the place is unknown.
    public var events: [Event]

    public struct Event: Codable, Equatable, Sendable {
        public var name: Name
        public var time: String
        /// The home's clocks: "07:39:12".
        public var clock: String
        /// Of the sun's centre above the horizon, in degrees, without refraction.
        public var elevation: Double

        public init(name: Name, time: String, clock: String, elevation: Double) {
            self.name = name
            self.time = time
            self.clock = clock
            self.elevation = elevation
        }
    }

    public enum Name: String, Codable, Sendable, CaseIterable { case midnight, dawn, sunrise, noon, sunset, dusk }

    private enum CodingKeys: String, CodingKey {
        case date, latitude, longitude, events
        case timeZone = "time_zone"
    }

    public init(date: String, timeZone: String, latitude: Double?, longitude: Double?, events: [Event]) {
        self.date = date
        self.timeZone = timeZone
        self.latitude = latitude
        self.longitude = longitude
        self.events = events
    }
}
