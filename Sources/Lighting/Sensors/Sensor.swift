public import Khipu

/// A device that tells of its surroundings or of people: a motion, contact or light sensor, a switch, a dial. Nothing
/// can be asked of it; its bridge reports it.
public struct Sensor: Identifiable, Equatable, Codable, Sendable, ChangeTable {
    /// The device's id on API v2; on API v1, where a device is several sensors, the number of the first of them.
    public typealias ID = QualifiedID<Sensor>

    public let id: ID
    public private(set) var name: String
    /// What its maker calls it, such as "Hue motion sensor".
    public private(set) var product: String?
    /// The room that its device is in, if it is in one.
    public private(set) var room: Room.ID?
    /// What it can report, besides its buttons.
    public private(set) var abilities: Set<Ability>
    public private(set) var motion: Reading<Bool>?
    public private(set) var contact: Reading<Contact>?
    /// Whether somebody is tampering with it.
    public private(set) var tampering: Reading<Bool>?
    /// In lux.
    public private(set) var lightLevel: Reading<Double>?
    /// In degrees Celsius.
    public private(set) var temperature: Reading<Double>?
    /// 0…1. A bridge does not say when it was measured: the time is when it was first read like this.
    public private(set) var battery: Reading<Double>?
    /// By their numbers.
    public private(set) var buttons: [Button]
    /// The last turn of its dial, in signed steps: 1000 are a full turn, clockwise is positive.
    public private(set) var dial: Reading<Int>?
    /// The last presses and turns that were told as they happened, oldest first; not those that were only read.
    public private(set) var told: [Told] = []
    /// `false` if somebody has disabled it, in whatever app: then it reports nothing.
    public private(set) var isEnabled: Bool
    /// Whether its bridge reaches it.
    public private(set) var isReachable: Bool
    /// Since when its bridge is not connected, so that its readings may be wrong; `nil` if it is.
    public private(set) var staleSince: Timestamp?

    /// Something that a sensor reports.
    public enum Ability: String, Codable, Sendable, CaseIterable {
        case motion, contact, tampering, temperature, battery, dial
        case lightLevel = "light_level"
    }

    public enum Contact: String, Codable, Sendable, CaseIterable { case open, closed }

    /// A value, and when it became so.
    public struct Reading<Value>: Equatable, Codable, Sendable where Value: Equatable & Codable & Sendable {
        public let value: Value
        public let time: Timestamp

        public init(_ value: Value, at time: Timestamp) {
            self.value = value
            self.time = time
        }
    }

    /// A press or a turn that was told as it happened.
    public struct Told: Equatable, Codable, Sendable {
        /// Rises with each of one sensor.
        public let number: Int
        public let report: Report
        public let time: Timestamp

        /// How many a sensor remembers: as many as come while a slow reader of its states looks away.
        static let most = 8
    }

    public struct Button: Equatable, Codable, Sendable {
        /// From 1, as printed on it or counted from the top.
        public let number: Int
        /// What last happened to it.
        public let last: Reading<ButtonPress>?

        public init(_ number: Int, last: Reading<ButtonPress>? = nil) {
            self.number = number
            self.last = last
        }
    }

    // swift-format-ignore
    public enum Change: Equatable, Sendable {
        case renaming (Renaming ); public enum Renaming : Equatable, Sendable { case it(to: String) }
        case placing  (Placing  ); public enum Placing  : Equatable, Sendable { case it(in: Room.ID?) }
        /// It reported this, at this time.
        case reporting(Reporting); public enum Reporting: Equatable, Sendable { case it(Report, at: Timestamp) }
        /// It was read, and is this. A reading that says nothing new keeps its time.
        case reading  (Sensor)
        /// The connection to the bridge is lost: nothing is known since this time.
        case losing   (Losing   ); public enum Losing   : Equatable, Sendable { case contact(at: Timestamp) }
    }

    public init(
        id: ID,
        name: String,
        product: String? = nil,
        room: Room.ID? = nil,
        abilities: Set<Ability> = [],
        motion: Reading<Bool>? = nil,
        contact: Reading<Contact>? = nil,
        tampering: Reading<Bool>? = nil,
        lightLevel: Reading<Double>? = nil,
        temperature: Reading<Double>? = nil,
        battery: Reading<Double>? = nil,
        buttons: [Button] = [],
        dial: Reading<Int>? = nil,
        isEnabled: Bool = true,
        isReachable: Bool = true,
        staleSince: Timestamp? = nil
    ) {
        self.id = id
        self.name = name
        self.product = product
        self.room = room
        self.abilities = abilities
        self.motion = motion
        self.contact = contact
        self.tampering = tampering
        self.lightLevel = lightLevel
        self.temperature = temperature
        self.battery = battery
        self.buttons = buttons
        self.dial = dial
        self.isEnabled = isEnabled
        self.isReachable = isReachable
        self.staleSince = staleSince
    }

    public func alter(by changes: Change...) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .renaming (.it     (to: n)   ): with { $0.name = n }
        case let .placing  (.it     (in: r)   ): with { $0.room = r }
        case let .reporting(.it     (r, at: t)): reported(r, at: t)
        case let .reading  (sensor         ): read(as: sensor)
        case let .losing   (.contact(at: t)   ): with { $0.staleSince = staleSince ?? t }
        }
    }

    private func reported(_ report: Report, at time: Timestamp) -> Self {
        with {
            $0.motion = motion.reported(report.motion, at: time)
            $0.contact = contact.reported(report.contact, at: time)
            $0.tampering = tampering.reported(report.tampering, at: time)
            $0.lightLevel = lightLevel.reported(report.lightLevel, at: time)
            $0.temperature = temperature.reported(report.temperature, at: time)
            $0.battery = battery.reported(report.battery, at: time)
            $0.dial = report.rotation.map { Reading($0, at: time) } ?? dial
            if report.press != nil || report.rotation != nil {
                let told = Told(number: (told.last?.number ?? 0) + 1, report: report, time: time)
                $0.told = self.told.suffix(Told.most - 1) + [told]
            }
            if let press = report.press { $0.buttons = buttons.pressed(press, at: time) }
            $0.isReachable = report.reachable ?? isReachable
        }
    }

    /// What happened to its buttons and dial stays so, even if a bridge that was restarted has forgotten it.
    private func read(as sensor: Sensor) -> Self {
        sensor.with {
            $0.motion = motion.read(as: sensor.motion)
            $0.contact = contact.read(as: sensor.contact)
            $0.tampering = tampering.read(as: sensor.tampering)
            $0.lightLevel = lightLevel.read(as: sensor.lightLevel)
            $0.temperature = temperature.read(as: sensor.temperature)
            $0.battery = battery.read(as: sensor.battery)
            $0.dial = dial.read(as: sensor.dial ?? dial)
            $0.told = told
            $0.buttons = sensor.buttons.map { button in
                let known = buttons.first { $0.number == button.number }?.last
                return Button(button.number, last: known.read(as: button.last ?? known))
            }
        }
    }
}

extension Sensor {
    /// Without what it only measures.
    var unmeasured: Self {
        with {
            $0.lightLevel = nil
            $0.temperature = nil
            $0.battery = nil
        }
    }

    /// As its bridge last reported it.
    var asReported: Self { with { $0.staleSince = nil } }
}

extension Optional {
    /// A value that is reported again has not become so again.
    fileprivate func reported<Value>(_ value: Value?, at time: Timestamp) -> Self
    where Wrapped == Sensor.Reading<Value> {
        guard let value, self?.value != value else { return self }
        return Sensor.Reading(value, at: time)
    }

    /// What was heard at once is known to be so since then; the bridge's clock only tells of what was not heard.
    fileprivate func read<Value>(as read: Self) -> Self where Wrapped == Sensor.Reading<Value> {
        guard let self, let read, self.value == read.value, read.time <= self.time else { return read }
        return self
    }
}

extension [Sensor.Button] {
    fileprivate func pressed(_ press: Sensor.Report.Pressed, at time: Timestamp) -> Self {
        let pressed = Sensor.Button(press.button, last: Sensor.Reading(press.kind, at: time))
        let others = filter { $0.number != press.button }
        return (others + [pressed]).sorted { $0.number < $1.number }
    }
}

extension Sensor {
    /// What a sensor told just now. What is `nil` was not told and has not changed.
    ///
    /// It is only ever made of something that happens while its bridge is connected: never of what a full read finds,
    /// nor of a press that a bridge repeats after a reconnect. Each press is told once.
    public struct Report: Hashable, Codable, Sendable {
        public let motion: Bool?
        public let contact: Contact?
        public let tampering: Bool?
        /// In lux.
        public let lightLevel: Double?
        /// In degrees Celsius.
        public let temperature: Double?
        /// 0…1.
        public let battery: Double?
        public let reachable: Bool?
        public let press: Pressed?
        /// Signed steps of the dial: 1000 are a full turn, clockwise is positive.
        public let rotation: Int?

        public struct Pressed: Hashable, Codable, Sendable {
            /// From 1.
            public let button: Int
            public let kind: ButtonPress
            /// Of a release: how long after what the button reported before it, by the bridge's own clock, however late
            /// it is told. `nil` if that is not known.
            public let after: Duration?

            public init(_ button: Int, _ kind: ButtonPress, after: Duration? = nil) {
                self.button = button
                self.kind = kind
                self.after = after
            }
        }

        public init(
            motion: Bool? = nil,
            contact: Contact? = nil,
            tampering: Bool? = nil,
            lightLevel: Double? = nil,
            temperature: Double? = nil,
            battery: Double? = nil,
            reachable: Bool? = nil,
            press: Pressed? = nil,
            rotation: Int? = nil
        ) {
            self.motion = motion
            self.contact = contact
            self.tampering = tampering
            self.lightLevel = lightLevel
            self.temperature = temperature
            self.battery = battery
            self.reachable = reachable
            self.press = press
            self.rotation = rotation
        }

        /// One report in place of this and the next one: where the dial was turned to in both, and the newer press.
        public func merged(with next: Self) -> Self {
            Self(
                motion: next.motion ?? motion,
                contact: next.contact ?? contact,
                tampering: next.tampering ?? tampering,
                lightLevel: next.lightLevel ?? lightLevel,
                temperature: next.temperature ?? temperature,
                battery: next.battery ?? battery,
                reachable: next.reachable ?? reachable,
                press: next.press ?? press,
                rotation: rotation.map { $0 + (next.rotation ?? 0) } ?? next.rotation
            )
        }

        /// Whether it only says what was measured, as every sensor does every few minutes.
        public var isMeasurement: Bool {
            self == Report(lightLevel: lightLevel, temperature: temperature, battery: battery)
        }
    }
}
