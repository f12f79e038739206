public import Khipu

/// What a sensor has told in the last day: what it measured, and when somebody moved or something was open. In memory
/// only, and bounded: the journal leaves measurements out, because every sensor reports some every few minutes.
public struct SensorDay: Equatable, Sendable {
    /// A value, and when it was first so within its ``slot``.
    public struct Sample: Equatable, Sendable {
        public let time: Timestamp
        public let value: Double

        public init(_ value: Double, at time: Timestamp) { (self.time, self.value) = (time, value) }
    }

    /// From one moment to another; without an end, it goes on.
    public struct Span: Equatable, Sendable {
        public let start: Timestamp
        public let end: Timestamp?

        public init(from start: Timestamp, to end: Timestamp? = nil) { (self.start, self.end) = (start, end) }
    }

    // Oldest first.
    /// In degrees Celsius.
    public private(set) var temperature: [Sample] = []
    /// In lux.
    public private(set) var lightLevel: [Sample] = []
    /// Motion, or that a contact was open.
    public private(set) var active: [Span] = []

    public static let length = Duration.seconds(86_400)
    /// Of all that is measured in this time, the newest value is kept: 144 values are a day.
    static let slot = Duration.seconds(600)
    /// Spans that are closer together are one: somebody who walks about is moving all the time.
    static let pause = Duration.seconds(120)
    /// A contact may bounce.
    static let mostSpans = 500

    public init() {}

    public func recording(_ report: Sensor.Report, at time: Timestamp) -> Self {
        var day = self
        if let value = report.temperature { day.temperature.record(value, at: time) }
        if let value = report.lightLevel { day.lightLevel.record(value, at: time) }
        if let isActive = report.motion ?? report.contact.map({ $0 == .open }) { day.record(isActive, at: time) }
        return day
    }

    /// Of a sensor that was read: what it says now, and since when.
    public func recording(_ sensor: Sensor, at time: Timestamp) -> Self {
        var day = recording(
            Sensor.Report(lightLevel: sensor.lightLevel?.value, temperature: sensor.temperature?.value), at: time)
        if let motion = sensor.motion {
            day.record(motion.value, at: motion.time)
        } else if let contact = sensor.contact {
            day.record(contact.value == .open, at: contact.time)
        }
        return day
    }

    /// Without what is older than a day by now: nothing is recorded of a home in which nobody moves.
    public func ending(at now: Timestamp) -> Self {
        let oldest = now.advanced(by: .zero - Self.length)
        var day = self
        day.active.drop(before: oldest)
        day.temperature.drop(before: oldest)
        day.lightLevel.drop(before: oldest)
        return day
    }

    private mutating func record(_ isActive: Bool, at time: Timestamp) {
        active.drop(before: time.advanced(by: .zero - Self.length))
        active = active.suffix(Self.mostSpans - 1)
        let last = active.last
        switch (isActive, last, last?.end) {
        case (true, _?, nil), (false, nil, _), (false, _?, _?): return
        case let (false, last?, nil): active[active.count - 1] = Span(from: last.start, to: max(time, last.start))
        case let (true, last?, end?) where time.since(end) < Self.pause:
            active[active.count - 1] = Span(from: last.start)
        case (true, _, _): active.append(Span(from: time))
        }
    }
}

extension [SensorDay.Span] {
    fileprivate mutating func drop(before oldest: Timestamp) {
        removeAll { span in span.end.map { $0 < oldest } ?? false }
    }
}

extension [SensorDay.Sample] {
    /// One from before that moment stays: its value held until the next.
    fileprivate mutating func drop(before oldest: Timestamp) {
        if let first = lastIndex(where: { $0.time <= oldest }) { removeFirst(first) }
    }

    fileprivate mutating func record(_ value: Double, at time: Timestamp) {
        drop(before: time.advanced(by: .zero - SensorDay.length))
        if let last, time.since(last.time) < SensorDay.slot {
            self[count - 1] = .init(value, at: last.time)
        } else if last?.value != value {
            append(.init(value, at: time))
        }
    }
}
