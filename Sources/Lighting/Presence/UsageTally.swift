import Khipu

/// When people had which lamps on, told from the journal's entries one after the other. It is a value that is small and can
/// be kept, so that entries may be deleted once they have been taken in.
///
/// Law: to take in entries, keep the tally, and take in the others later gives what all of them give at once.
public struct UsageTally: Equatable, Sendable {
    /// The number of the last entry that was taken in; 0 if none was.
    public var through: Int64
    public private(set) var lamps: [Light.ID: Lamp]
    public private(set) var uses: [Use]

    public init(through: Int64 = 0, lamps: [Light.ID: Lamp] = [:], uses: [Use] = []) {
        (self.through, self.lamps, self.uses) = (through, lamps, uses)
    }

    /// A lamp that somebody turned on, until it went off. Only what is a habit (``UsageHistory/Use/isHabit``).
    public struct Use: Hashable, Sendable {
        public let use: UsageHistory.Use
        /// The switch that turned it on. Whether that is a motion sensor is asked when the history is read.
        public let wall: String?

        public init(_ use: UsageHistory.Use, wall: String?) {
            (self.use, self.wall) = (use, wall)
        }
    }

    /// What an entry says of lamps.
    enum Event: Equatable, Sendable {
        case light(Light.ID, power: Turn?, level: Double?, by: Actor?)
        /// Nothing is known of the bridge's lights from then on.
        case lost(Bridge.ID)
    }

    /// Who may have turned a lamp on, if not lightd by itself.
    enum Actor: Equatable, Sendable {
        case person
        /// A person, or a motion sensor of this name.
        case accessory(String)
    }

    /// Takes in an entry that is newer than those before it.
    public mutating func take(_ entry: Journal.Entry) {
        for event in entry.message.usageEvents { take(event, at: entry.time) }
        through = entry.number
    }

    mutating func take(_ event: Event, at time: Timestamp) {
        switch event {
        case let .light(light, power, level, actor):
            var lamp = lamps[light] ?? Lamp()
            if power == .off { end(light, &lamp, at: time) }
            if let level { lamp.dimmed(to: level, at: time) }
            if power == .on { lamp.turnedOn(by: actor, at: time) }
            lamps[light] = lamp
        case let .lost(bridge):
            for (light, var lamp) in lamps where light.bridge == bridge {
                end(light, &lamp, at: time)
                lamp.isOn = nil
                lamps[light] = lamp
            }
        }
    }

    private mutating func end(_ light: Light.ID, _ lamp: inout Lamp, at time: Timestamp) {
        if let use = lamp.turnedOff(light, at: time), use.use.isHabit { uses.append(use) }
    }

    /// - Parameters:
    ///   - start: what began before it is left out.
    ///   - now: when lamps that are still on count as turned off.
    ///   - motionSensors: what one of them turned on, no person did.
    func history(since start: Timestamp, until now: Timestamp, without motionSensors: Set<String>) -> UsageHistory {
        var tally = self
        for (light, var lamp) in lamps { tally.end(light, &lamp, at: now) }
        return UsageHistory(
            uses: tally.uses.filter { use in
                use.use.start >= start && !(use.wall.map(motionSensors.contains) ?? false)
            }.map(\.use))
    }

    /// One lamp, as far as the journal has been read.
    public struct Lamp: Equatable, Codable, Sendable {
        /// `nil` if unknown.
        fileprivate(set) var isOn: Bool?
        private var level: Double?
        /// When somebody turned it on; `nil` if it is off, or lightd did by itself.
        private var start: Timestamp?
        private var wall: String?
        /// When it was dimmed last, or turned on.
        private var dimmed = Timestamp(milliseconds: 0)
        /// By whole per cents, so that there are few.
        private var durations: [Double: Duration] = [:]

        mutating func turnedOn(by actor: Actor?, at time: Timestamp) {
            defer { isOn = true }
            guard isOn != true, let actor else { return }
            (start, dimmed, durations) = (time, time, [:])
            wall = if case let .accessory(name) = actor { name } else { nil }
        }

        mutating func dimmed(to level: Double, at time: Timestamp) {
            count(until: time)
            self.level = (level * 100).rounded() / 100
        }

        mutating func turnedOff(_ light: Light.ID, at time: Timestamp) -> Use? {
            isOn = false
            guard let begin = start else { return nil }
            count(until: time)
            // Of equally long ones the darker, so that equal journals give equal histories.
            let level = durations.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
            let wall = wall
            (start, self.wall, durations) = (nil, nil, [:])
            guard begin < time else { return nil }
            return Use(UsageHistory.Use(light, from: begin, to: time, level: level), wall: wall)
        }

        private mutating func count(until time: Timestamp) {
            defer { dimmed = time }
            guard start != nil, let level else { return }
            durations[level, default: .zero] += time.since(dimmed)
        }
    }
}

/// Collects from the journal, page by page from the newest to the oldest, what it says of lamps.
struct UsageReader: Sendable {
    private var events: [(number: Int64, time: Timestamp, event: UsageTally.Event)] = []

    /// Takes in a page that is older than those before it.
    ///
    /// - Parameter entries: oldest first.
    mutating func read(_ entries: [Journal.Entry]) {
        for entry in entries.reversed() {
            for event in entry.message.usageEvents.reversed() { events.append((entry.number, entry.time, event)) }
        }
    }

    /// - Parameter past: what entries said that are listed no more. It may have taken in some of those that were read.
    func tally(after past: UsageTally) -> UsageTally {
        var tally = past
        for (number, time, event) in events.reversed() where number > past.through { tally.take(event, at: time) }
        return tally
    }
}

extension Message {
    /// What it says of lamps, of what a tally takes in.
    fileprivate var usageEvents: [UsageTally.Event] {
        switch self {
        case let .lighting(.reported(.light(light, report)), _):
            let power = report.reachable == false ? .off : report.values.power
            guard power != nil || report.values.brightness != nil else { return [] }
            return [.light(light, power: power, level: report.values.brightness, by: report.source.flatMap(\.actor))]
        case let .lighting(.reread(difference), _):
            return difference.lights.changed.map {
                .light(
                    $0.id, power: $0.isUnreachable ? .off : $0.reported.power, level: $0.reported.brightness, by: nil)
            }
        case let .lighting(.reported(.removed(.light(light))), _):
            return [.light(light, power: .off, level: nil, by: nil)]
        case let .bridges(.lost(bridge, _), _): return [.lost(bridge)]
        default: return []
        }
    }
}

extension Cause.Kind {
    fileprivate var actor: UsageTally.Actor? {
        if case let .accessory(name) = self { return .accessory(name) }
        return isOfPerson ? .person : nil
    }
}
