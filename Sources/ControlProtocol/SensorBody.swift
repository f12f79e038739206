/// A motion, contact or other sensor, or a switch. What it cannot report is absent, as is what it has not reported yet.
public struct SensorBody: Codable, Equatable, Sendable, Identifiable {
    public var id: String
    public var name: String
    /// The name of the room it is in.
    public var room: String?
    /// What its maker calls it.
    public var product: String?
    /// What it can report, whether it has or not.
    public var reports: [Report]
    public var motion: Reading<Bool>?
    public var contact: Reading<Contact>?
    /// Whether somebody is tampering with it.
    public var tampering: Reading<Bool>?
    /// In lux.
    public var lightLevel: Reading<Double>?
    /// In degrees Celsius.
    public var temperature: Reading<Double>?
    /// In per cent.
    public var battery: Reading<Double>?
    public var buttons: [Button]
    /// The last turn of its dial, in degrees; counter-clockwise is negative.
    public var dial: Reading<Double>?
    /// `false` if somebody has disabled it: then it reports nothing.
    public var enabled: Bool
    /// `confirmed`, `stale` or `unreachable`, as of a light.
    public var freshness: LightBody.Freshness
    /// With `stale`: since when.
    public var staleSince: String?
    public var bridge: String

    public enum Report: String, Codable, Sendable, CaseIterable {
        case motion, contact, tampering, temperature, battery, buttons, dial
        case lightLevel = "light_level"
    }

    public enum Contact: String, Codable, Sendable, CaseIterable { case open, closed }

    public struct Reading<Value: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
        public var value: Value
        /// When it became so.
        public var since: String

        public init(_ value: Value, since: String) {
            self.value = value
            self.since = since
        }
    }

    public struct Button: Codable, Equatable, Sendable {
        /// From 1.
        public var number: Int
        /// What last happened to it.
        public var last: Reading<ButtonPress>?

        public init(_ number: Int, last: Reading<ButtonPress>? = nil) {
            self.number = number
            self.last = last
        }
    }

    enum CodingKeys: String, CodingKey {
        case id, name, room, product, reports, motion, contact, tampering, temperature, battery, buttons, dial, enabled
        case freshness, bridge
        case lightLevel = "light_level"
        case staleSince = "stale_since"
    }

    public init(
        id: String, name: String, room: String? = nil, product: String? = nil, reports: [Report] = [],
        motion: Reading<Bool>? = nil, contact: Reading<Contact>? = nil, tampering: Reading<Bool>? = nil,
        lightLevel: Reading<Double>? = nil, temperature: Reading<Double>? = nil, battery: Reading<Double>? = nil,
        buttons: [Button] = [], dial: Reading<Double>? = nil, enabled: Bool = true,
        freshness: LightBody.Freshness = .confirmed, staleSince: String? = nil, bridge: String
    ) {
        self.id = id
        self.name = name
        self.room = room
        self.product = product
        self.reports = reports
        self.motion = motion
        self.contact = contact
        self.tampering = tampering
        self.lightLevel = lightLevel
        self.temperature = temperature
        self.battery = battery
        self.buttons = buttons
        self.dial = dial
        self.enabled = enabled
        self.freshness = freshness
        self.staleSince = staleSince
        self.bridge = bridge
    }
}

/// A button was used or a dial was turned, at this moment. It is never sent for what was read again.
public struct PressBody: Codable, Equatable, Sendable {
    /// The sensor's.
    public var id: String
    public var name: String
    public var room: String?
    /// From 1; absent for a dial.
    public var button: Int?
    public var press: ButtonPress?
    /// How far a dial was turned, in degrees; counter-clockwise is negative.
    public var rotation: Double?
    public var time: String

    public init(
        id: String, name: String, room: String? = nil, button: Int? = nil, press: ButtonPress? = nil,
        rotation: Double? = nil, time: String
    ) {
        self.id = id
        self.name = name
        self.room = room
        self.button = button
        self.press = press
        self.rotation = rotation
        self.time = time
    }
}

extension ButtonPress {
    /// "pressed long"
    public var words: String {
        switch self {
        case .pressed: "pressed"
        case .held: "held"
        case .released: "released"
        case .longPressed: "pressed long"
        case .releasedLong: "released after being held"
        case .releasedTwice: "pressed twice"
        }
    }
}
