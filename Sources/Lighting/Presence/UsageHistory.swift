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

    var duration: Duration { end.since(start) }

    func moved(by step: Duration) -> Self {
        Self(light, from: start.advanced(by: step), to: end.advanced(by: step), level: level)
    }
}

// MARK: Reading the journal

/// Finds out from the journal, page by page, when people had which lamps on.
struct UsageReader: Sendable {
    /// Sensors that report motion: what one of them turned on, no person did.
    let motionSensors: Set<String>
    private enum Event {
        case light(Light.ID, power: Turn?, level: Double?, isByPerson: Bool)
        /// Nothing is known of the bridge's lights from then on.
        case lost(Bridge.ID)
    }

    private var events: [(time: Timestamp, event: Event)] = []

    init(motionSensors: Set<String> = []) {
        self.motionSensors = motionSensors
    }

    /// Takes in a page that is older than those before it.
    ///
    /// - Parameter entries: oldest first.
    mutating func read(_ entries: [Journal.Entry]) {
        for entry in entries.reversed() {
            for event in self.events(in: entry.message).reversed() { events.append((entry.time, event)) }
        }
    }

    /// - Parameter now: when lamps that are still on count as turned off.
    func history(until now: Timestamp) -> UsageHistory {
        var lamps: [Light.ID: Lamp] = [:]
        var uses: [UsageHistory.Use] = []
        for (time, event) in events.reversed() {
            switch event {
            case let .light(light, power, level, isByPerson):
                var lamp = lamps[light] ?? Lamp()
                if power == .off, let use = lamp.turnedOff(light, at: time) { uses.append(use) }
                if let level { lamp.dimmed(to: level, at: time) }
                if power == .on { lamp.turnedOn(byPerson: isByPerson, at: time) }
                lamps[light] = lamp
            case let .lost(bridge):
                for light in lamps.keys where light.bridge == bridge {
                    if let use = lamps[light]?.turnedOff(light, at: time) { uses.append(use) }
                    lamps[light]?.isOn = nil
                }
            }
        }
        for light in lamps.keys {
            if let use = lamps[light]?.turnedOff(light, at: now) { uses.append(use) }
        }
        return UsageHistory(
            uses: uses.filter { (UsageHistory.Use.shortest...UsageHistory.Use.longest).contains($0.duration) })
    }

    private func events(in message: Message) -> [Event] {
        switch message {
        case let .lighting(.reported(.light(light, report)), _):
            let power = report.reachable == false ? .off : report.power
            guard power != nil || report.brightness != nil else { return [] }
            let isByPerson = report.source.map { isOfPerson($0) } ?? false
            return [.light(light, power: power, level: report.brightness, isByPerson: isByPerson)]
        case let .lighting(.reread(difference), _):
            return difference.lights.changed.map {
                .light(
                    $0.id, power: $0.isUnreachable ? .off : $0.reported.power, level: $0.reported.brightness,
                    isByPerson: false)
            }
        case let .lighting(.reported(.removed(.light(light))), _):
            return [.light(light, power: .off, level: nil, isByPerson: false)]
        case let .bridges(.lost(bridge, _), _): return [.lost(bridge)]
        default: return []
        }
    }

    private func isOfPerson(_ cause: Cause.Kind) -> Bool {
        if case let .wall(name) = cause, motionSensors.contains(name) { return false }
        return cause.isOfPerson
    }

    /// One lamp, as far as the journal has been read.
    private struct Lamp {
        /// `nil` if unknown.
        var isOn: Bool?
        private var level: Double?
        /// When a person turned it on; `nil` if it is off, or something else did.
        private var start: Timestamp?
        /// When it was dimmed last, or turned on.
        private var dimmed = Timestamp(milliseconds: 0)
        private var durations: [Double: Duration] = [:]

        mutating func turnedOn(byPerson: Bool, at time: Timestamp) {
            defer { isOn = true }
            guard isOn != true, byPerson else { return }
            (start, dimmed, durations) = (time, time, [:])
        }

        mutating func dimmed(to level: Double, at time: Timestamp) {
            count(until: time)
            self.level = level
        }

        mutating func turnedOff(_ light: Light.ID, at time: Timestamp) -> UsageHistory.Use? {
            isOn = false
            guard let begin = start else { return nil }
            count(until: time)
            start = nil
            // Of equally long ones the darker, so that equal journals give equal histories.
            let level = durations.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
            guard begin < time else { return nil }
            return UsageHistory.Use(light, from: begin, to: time, level: level)
        }

        private mutating func count(until time: Timestamp) {
            defer { dimmed = time }
            guard start != nil, let level else { return }
            durations[level, default: .zero] += time.since(dimmed)
        }
    }
}

extension Cause.Kind {
    /// Whether a person did it: by a command, at the wall, or with another app.
    var isOfPerson: Bool {
        switch self {
        case let .command(ticket), let .scene(_, by: ticket?): ticket.isOfPerson
        case .scene(_, by: nil), .wall, .elsewhere: true
        // Mains power returns to all lamps of a street at once, and at any hour.
        case .power, .unseen: false
        }
    }
}
