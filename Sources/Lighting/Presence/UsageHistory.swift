import HashTreeCollections
public import Khipu

/// How people light their home: which lamp was on from when to when, and how brightly. What lightd did by itself is not
/// in it.
public struct UsageHistory: Equatable, Codable, Sendable {
    /// By their beginning.
    public let uses: [Use]

    /// A lamp that a person turned on, until it went off; or one that is to be lit like that.
    public struct Use: Hashable, Codable, Sendable {
        public let light: Light.ID
        public let start: Timestamp
        /// After ``start``.
        public let end: Timestamp
        /// The brightness at which it burned longest, 0…1; `nil` if unknown.
        public let level: Double?

        public init(_ light: Light.ID, from start: Timestamp, to end: Timestamp, level: Double? = nil) {
            self.light = light
            self.start = start
            self.end = end
            self.level = level
        }
    }

    public init(uses: [Use] = []) {
        self.uses = uses.sorted { ($0.start, $0.light) < ($1.start, $1.light) }
    }

    /// How far back people's habits are read.
    public static let length = Duration.seconds(28 * 86_400)
    /// Lamps must have been used on this many days, or chance alone would decide what a replay looks like.
    public static let fewestDays = 3

    func filtered(_ isIncluded: (Use) -> Bool) -> Self { Self(uses: uses.filter(isIncluded)) }
}

extension UsageHistory.Use {
    /// A lamp that was on for longer was forgotten, which is not a habit.
    static let longest = Duration.seconds(16 * 3600)
    /// A lamp that was on for less was only tried.
    static let shortest = Duration.seconds(60)

    /// Whether it says something of how people light their home.
    public var isHabit: Bool { (Self.shortest...Self.longest).contains(duration) }

    var duration: Duration { end.since(start) }

    func moved(by step: Duration) -> Self {
        Self(light, from: start.advanced(by: step), to: end.advanced(by: step), level: level)
    }
}

extension Cause.Kind {
    /// Whether a person did it: by a command, at the wall, or with another app.
    var isOfPerson: Bool {
        switch self {
        case let .command(ticket), let .scene(_, by: ticket?): ticket.isOfPerson
        case .scene(_, by: nil), .accessory, .otherApp: true
        // Mains power returns to all lamps of a street at once, and at any hour.
        case .power, .unseen: false
        }
    }
}

extension Journal {
    /// Reads when people had which lamps on, in pages, so that there is never more than one of them in memory. Replies
    /// from the journal's thread.
    ///
    /// - Parameter motionSensors: what one of them turned on, no person did.
    func readUsage(
        since start: Timestamp, until now: Timestamp, without motionSensors: Set<String>,
        _ reply: @escaping Reply<Result<UsageHistory, Failure>>
    ) {
        readPages(since: start, with: UsageReader()) { result in
            switch result {
            case let .success(reader):
                // Last: what was deleted while the pages were read is in it.
                pastUsage { past in
                    reply(
                        past.map {
                            reader.tally(after: $0).history(since: start, until: now, without: motionSensors)
                        })
                }
            case let .failure(failure): reply(.failure(failure))
            }
        }
    }

    private func readPages(
        since start: Timestamp, with reader: UsageReader, before number: Int64? = nil,
        _ reply: @escaping Reply<Result<UsageReader, Failure>>
    ) {
        let page = 500
        // It is not withdrawn: a replay that begins is waited for.
        _ = list(Filter(since: start, before: number, limit: page)) { result in
            switch result {
            case let .success(entries):
                var reader = reader
                reader.read(entries)
                guard let oldest = entries.first, entries.count == page else { return reply(.success(reader)) }
                readPages(since: start, with: reader, before: oldest.number, reply)
            case let .failure(failure): reply(.failure(failure))
            }
        }
    }
}

extension UsageHistory {
    /// A made-up week for a home of whose evenings too little is known: up to three lamps, each in a room of its own.
    static func plain(in state: AppState, before now: Timestamp, home: HomeTime) -> Self {
        let hours: [(from: TimeOfDay, to: TimeOfDay)] = [
            (TimeOfDay(hour: 17, minute: 30), TimeOfDay(hour: 22, minute: 45)),
            (TimeOfDay(hour: 18, minute: 30), TimeOfDay(hour: 19, minute: 45)),
            (TimeOfDay(hour: 21, minute: 15), TimeOfDay(hour: 23, minute: 15)),
        ]
        let today = home.day(at: now)
        let uses = (1...7).flatMap { day in
            zip(state.plainLamps, hours).compactMap { lamp, hours -> Use? in
                let date = today.advanced(by: -day)
                guard let start = home.instant(of: .time(hours.from), on: date),
                    let end = home.instant(of: .time(hours.to), on: date)
                else { return nil }
                let use = Use(lamp, from: start, to: end, level: 0.6)
                return home.place != nil ? home.darkPart(of: use) : use
            }
        }
        return Self(uses: uses)
    }
}

extension AppState {
    /// The first lamp of each room that can be dimmed; the first ones of all if no room has any.
    var plainLamps: [Light.ID] {
        let rooms = rooms.values.filter { $0.kind == .room }.sorted { $0.id < $1.id }
        let lamps = rooms.compactMap { room in room.lights.first { lights[$0]?.limits.dims == true } }
        return lamps.isEmpty ? lights(in: .all).filter(\.limits.dims).map(\.id) : lamps
    }
}
