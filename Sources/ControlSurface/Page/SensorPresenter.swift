import ControlProtocol
import HashTreeCollections
public import Khipu
public import Languages
import Lighting

/// The sensors of the home, as their sheet shows them. In texts, `{at}` and `{clock}` are as in ``PageModel``.
public struct PageSensors: Encodable, Equatable, Sendable {
    /// By room and name; without those that only have buttons and a battery.
    public var sensors: [PageSensor]
    /// The weakest first.
    public var batteries: [Battery]

    public struct Battery: Encodable, Equatable, Sendable {
        public var title: String
        @OrNull public var place: String?
        /// "9%"
        public var text: String
        public var low: Bool
    }
}

public struct PageSensor: Encodable, Equatable, Sendable {
    public var id: String
    public var title: String
    /// Its room.
    @OrNull public var place: String?
    /// Why its values may be wrong; empty if they are not in doubt.
    public var doubt: String
    @OrNull public var at: String?
    public var values: [Value]

    public struct Value: Encodable, Equatable, Sendable {
        public enum Kind: String, Encodable, Sendable { case motion, contact, tampering, temperature, light }

        public var kind: Kind
        /// "Temperature"
        public var label: String
        /// "21.5°", "No motion since {clock}"
        public var text: String
        @OrNull public var at: String?
        /// What was measured in the last day, oldest first, each a time in milliseconds since 1970 and a value that holds
        /// until the next.
        public var curve: [[Double]]
        /// When it told of somebody or was open in the last day: from, to; without the latter until now.
        public var spans: [[Double]]
        /// What the curve or the spans show; empty if there is nothing.
        public var day: String
    }
}

/// What a room's sensors say, in a line.
public struct PageSensed: Encodable, Equatable, Sendable {
    /// "motion {at} · 21.5° · Window open"
    public var text: String
    @OrNull public var at: String?
}

extension Directory {
    public func pageSensors(at now: Timestamp, in words: Language) -> PageSensors {
        let batteries = sensors.filter { $0.battery != nil }.sorted { ($0.charge, $0.name) < ($1.charge, $1.name) }
        return PageSensors(
            sensors: sensors.map { $0.entry(at: now, in: self, words) }.filter { !$0.values.isEmpty },
            batteries: batteries.map { sensor in
                .init(
                    title: sensor.name.orElse(words("Sensor")), place: roomName(of: sensor),
                    text: words.charge(sensor.charge), low: sensor.isBatteryLow)
            })
    }
}

extension Sensor {
    fileprivate var charge: Double { battery?.value ?? 1 }

    /// As `lightctl list --battery-low` has it.
    var isBatteryLow: Bool { battery.map { $0.value < 0.15 } ?? false }

    fileprivate func entry(at now: Timestamp, in home: Directory, _ words: Language) -> PageSensor {
        let day = (home.state.sensorDays[id] ?? SensorDay()).ending(at: now)
        let spans = day.active.map { span in
            [span.start, span.end].compactMap { $0.map { Double($0.milliseconds) } }
        }
        var values: [PageSensor.Value] = []
        func add(
            _ kind: PageSensor.Value.Kind, _ label: String, _ text: String, at time: Timestamp? = nil,
            curve: [SensorDay.Sample] = [], in unit: (Double) -> String = { _ in "" }, spans: [[Double]] = [],
            _ day: String = ""
        ) {
            let range = curve.map(\.value)
            let measured =
                range.min().flatMap { least in
                    range.max().map { most in
                        unit(least) == unit(most)
                            ? words("\(unit(most)) in the last day")
                            : words("Between \(unit(least)) and \(unit(most)) in the last day")
                    }
                } ?? ""
            values.append(
                .init(
                    kind: kind, label: label, text: text, at: time?.iso8601,
                    curve: curve.map { [Double($0.time.milliseconds), $0.value] }, spans: spans,
                    day: curve.isEmpty ? day : measured))
        }
        if let motion {
            add(
                .motion, words("Motion"), motion.value ? words("Motion now") : words("No motion since {clock}"),
                at: motion.time, spans: spans,
                spans.count == 1
                    ? words("Motion once in the last day") : words("Motion \(spans.count) times in the last day"))
        }
        if let contact {
            add(
                .contact, words("Contact"),
                contact.value == .open ? words("Open since {clock}") : words("Closed since {clock}"), at: contact.time,
                spans: spans,
                spans.count == 1
                    ? words("Open once in the last day") : words("Open \(spans.count) times in the last day"))
        }
        if let tampering, tampering.value {
            add(.tampering, words("Tampering"), words("Somebody tampers with it since {clock}"), at: tampering.time)
        }
        if let temperature {
            add(
                .temperature, words("Temperature"), words.degrees(temperature.value), curve: day.temperature,
                in: words.degrees)
        }
        if let lightLevel {
            add(.light, words("Brightness"), words.lux(lightLevel.value), curve: day.lightLevel, in: words.lux)
        }
        let (doubt, time): (String, Timestamp?) =
            if let staleSince {
                (words("As it was at {clock}"), staleSince)
            } else if !isReachable {
                (words("No answer"), nil)
            } else {
                (isEnabled ? "" : words("Disabled: it reports nothing"), nil)
            }
        return PageSensor(
            id: id.description, title: name.orElse(words("Sensor")), place: home.roomName(of: self), doubt: doubt,
            at: time?.iso8601, values: values)
    }
}

extension [Sensor] {
    /// In a line, what they say now; `nil` if they say nothing. What is in doubt is left out.
    func sensed(in words: Language) -> PageSensed? {
        let heard = filter { $0.staleSince == nil && $0.isReachable && $0.isEnabled }
        let moved = heard.compactMap(\.motion).max { ($0.value ? 1 : 0, $0.time) < ($1.value ? 1 : 0, $1.time) }
        let temperature = heard.compactMap { $0.temperature?.value }.mean
        let open = heard.filter { $0.contact?.value == .open }
        let parts =
            [moved.map { $0.value ? words("motion now") : words("motion {at}") }, temperature.map(words.degrees)]
            .compactMap(\.self)
            + open.map { sensor in
                let name = sensor.name.orElse(words("Contact")).isolated
                return words("\(name) open")
            }
        guard !parts.isEmpty else { return nil }
        return PageSensed(
            text: parts.joined(separator: " · "), at: moved.flatMap { $0.value ? nil : $0.time.iso8601 })
    }
}

extension Language {
    /// "21.5°"
    func degrees(_ celsius: Double) -> String { decimal(celsius) + "°" }

    /// "310 lux": tenths matter in the dark only.
    fileprivate func lux(_ level: Double) -> String {
        let (words, number) = (self, level < 10 ? decimal(level) : String(Int(min(level, 1e6).rounded())))
        return words("\(number) lux")
    }

    /// Of a battery, 0…1: unlike a lamp's level it can be 0%.
    func charge(_ share: Double) -> String {
        let (words, number) = (self, Int((min(max(share, 0), 1) * 100).rounded()))
        return words("\(number)%")
    }

    private func decimal(_ value: Double) -> String {
        let tenths = Int((min(max(value, -1e6), 1e6) * 10).rounded())
        let text = "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10)"
        guard abs(tenths) % 10 > 0 else { return text }
        return text + (self == .german ? "," : ".") + "\(abs(tenths) % 10)"
    }
}
