public import FoundationEssentials
public import HueWire

/// A battery-powered device without a light: a motion sensor, a switch, a dial or a contact sensor.
public struct Accessory: Equatable, Codable, Sendable, Identifiable, ChangedByCopy {
    /// Its device's id.
    public let id: ResourceID
    public private(set) var name: String
    public let kind: AccessoryKind
    /// The number of its first sensor in API v1; a motion sensor has three in a row.
    public let number: Int
    /// Its services, in the order of ``AccessoryKind/services``.
    public let services: [Service]
    public let zigbee: String
    /// Per cent.
    public private(set) var battery = 100
    /// Services that are switched off and report nothing.
    public private(set) var disabled: Set<ResourceType> = []
    /// 0…4, of a motion sensor.
    public private(set) var sensitivity = 2
    public private(set) var readings: Readings
    /// Whether it reports faster for a while, so that a person who mounts it can test it (`usertest`).
    public private(set) var isTesting = false

    public struct Service: Equatable, Codable, Sendable {
        public let type: ResourceType
        public let id: ResourceID
        /// The number of a button, from 1; 0 for a service that exists once.
        public let control: Int
    }

    /// The last report of each service; absent if it has never reported, as buttons that were never pressed.
    public struct Readings: Equatable, Codable, Sendable {
        public var motion: Reading<Bool>?
        /// 10000 × log10(lux) + 1.
        public var lightLevel: Reading<Int>?
        /// Degrees Celsius.
        public var temperature: Reading<Double>?
        /// Whether the contact is closed.
        public var contact: Reading<Bool>?
        /// The last event of each button, by its number: "initial_press", "short_release" …
        public var buttons: [Int: Reading<String>] = [:]
        public var rotation: Reading<Rotation>?

        public init() {}
    }

    public struct Reading<Value: Equatable & Codable & Sendable>: Equatable, Codable, Sendable {
        public let value: Value
        public let date: Date
    }

    public struct Rotation: Equatable, Codable, Sendable {
        /// Negative if counter-clockwise; 1000 make a full turn.
        public let steps: Int
        public let milliseconds: Int
    }

    // swift-format-ignore
    public enum Change: Equatable, Sendable {
        case renaming (Renaming ); public enum Renaming : Equatable, Sendable { case it(to: String) }
        case enabling (Enabling ); public enum Enabling : Equatable, Sendable { case service(ResourceType, Bool) }
        case setting  (Setting  ); public enum Setting  : Equatable, Sendable { case sensitivity(to: Int), battery(to: Int) }
        case testing  (Testing  ); public enum Testing  : Equatable, Sendable { case it(Bool) }
        case reporting(Reporting); public enum Reporting: Equatable, Sendable { case motion(Bool, at: Date), lightLevel(Int, at: Date), temperature(Double, at: Date), contact(Bool, at: Date), button(Int, String, at: Date), rotation(Rotation, at: Date) }
    }

    init(
        id: ResourceID, name: String, kind: AccessoryKind, number: Int, services: [Service], zigbee: String,
        readings: Readings = Readings()
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.number = number
        self.services = services
        self.zigbee = zigbee
        self.readings = readings
    }

    static let highestSensitivity = 4

    public func alter(by changes: Change...) -> Self { alter(by: changes) }
    public func alter(by changes: [Change]) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    // One row, one axiom.
    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .renaming (.it         (to: n)): with(\.name, n)
        case let .enabling (.service    (t,  e)): with(\.disabled, disabled.with(t, !e))
        case let .setting  (.sensitivity(to: s)): with(\.sensitivity, min(max(s, 0), Self.highestSensitivity))
        case let .setting  (.battery    (to: b)): with(\.battery, min(max(b, 0), 100))
        case let .testing  (.it         (    t)): with(\.isTesting, t)
        case let .reporting(report             ): with(\.readings, readings.with(report))
        }
    }

    public func isEnabled(_ service: ResourceType) -> Bool { !disabled.contains(service) }
}

extension Set {
    fileprivate func with(_ member: Element, _ isMember: Bool) -> Self {
        isMember ? union([member]) : subtracting([member])
    }
}

extension Accessory.Readings {
    fileprivate func with(_ report: Accessory.Change.Reporting) -> Self {
        var new = self
        switch report {
        case let .motion(value, at: date): new.motion = .init(value: value, date: date)
        case let .lightLevel(value, at: date): new.lightLevel = .init(value: value, date: date)
        case let .temperature(value, at: date): new.temperature = .init(value: value, date: date)
        case let .contact(value, at: date): new.contact = .init(value: value, date: date)
        case let .button(number, event, at: date): new.buttons[number] = .init(value: event, date: date)
        case let .rotation(value, at: date): new.rotation = .init(value: value, date: date)
        }
        return new
    }
}

extension Accessory {
    /// What its sensors have reported before anyone asks: on a real bridge only one that was added a moment ago has no
    /// report yet (home-assistant/core#117316). A quiet evening: doors closed, nobody moves, 20 °C, 10 lux.
    ///
    /// Nothing if they have reported already or are switched off. Buttons and rings report only what a person does.
    func firstReports(at date: Date) -> [Change] {
        var reports: [Change.Reporting] = []
        for service in services where isEnabled(service.type) {
            switch service.type {
            case .motion where readings.motion == nil: reports.append(.motion(false, at: date))
            case .lightLevel where readings.lightLevel == nil: reports.append(.lightLevel(10_001, at: date))
            case .temperature where readings.temperature == nil: reports.append(.temperature(20, at: date))
            case .contact where readings.contact == nil: reports.append(.contact(true, at: date))
            default: break
            }
        }
        return reports.map { .reporting($0) }
    }
}

/// The kind of a simulated accessory.
public enum AccessoryKind: String, Codable, Sendable, CaseIterable {
    /// Motion, light level and temperature.
    case motion
    /// Four buttons in a row.
    case `switch`
    /// Four buttons and a ring to turn.
    case dial
    /// A door or a window, open or closed.
    case contact

    /// The services of its device, buttons numbered from 1.
    var services: [(type: ResourceType, control: Int)] {
        let own: [(String, Int)] =
            switch self {
            case .motion: [("motion", 0), ("light_level", 0), ("temperature", 0)]
            case .switch: (1...4).map { ("button", $0) }
            case .dial: (1...4).map { ("button", $0) } + [("relative_rotary", 0)]
            case .contact: [("contact", 0), ("tamper", 0)]
            }
        return (own + [("device_power", 0), ("zigbee_connectivity", 0), ("device_software_update", 0)]).map {
            (ResourceType(rawValue: $0.0), $0.1)
        }
    }

    /// How many sensors it has in API v1.
    var sensors: Int {
        switch self {
        case .motion: 3
        case .switch: 1
        case .dial: 2
        case .contact: 0
        }
    }

    /// The names of the real product.
    var product: (model: String, name: String, archetype: String) {
        switch self {
        case .motion: ("SML001", "Hue motion sensor", "unknown_archetype")
        case .switch: ("RWL022", "Hue dimmer switch", "unknown_archetype")
        case .dial: ("RDM002", "Hue tap dial switch", "unknown_archetype")
        case .contact: ("SOC001", "Hue secure contact sensor", "unknown_archetype")
        }
    }
}
