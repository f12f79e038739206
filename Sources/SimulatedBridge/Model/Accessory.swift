public import FoundationEssentials
public import HueWire

/// A battery-powered thing without light: a motion sensor, a switch, a dial, a contact sensor.
public struct Accessory: Equatable, Codable, Sendable, Identifiable {
    /// Its device's id.
    public let id: ResourceID
    public let name: String
    public let kind: AccessoryKind
    /// The number of the first of its sensors in API v1; a motion sensor has three in a row.
    public let number: Int
    /// Its services, in the order of ``AccessoryKind/services``.
    public let services: [Service]
    public let zigbee: String
    /// Per cent.
    public let battery: Int
    /// Services that were switched off, and report nothing.
    public let disabled: Set<ResourceType>
    /// 0…4 of a motion sensor.
    public let sensitivity: Int
    public let readings: Readings
    /// Whether it reports faster for a while, so that somebody who mounts it sees what it sees (`usertest`).
    public let isTesting: Bool

    public struct Service: Equatable, Codable, Sendable {
        public let type: ResourceType
        public let id: ResourceID
        /// The number of a button, from 1; 0 for what is there once.
        public let control: Int
    }

    /// What it last told. A reading that was never made is absent.
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
        /// Negative against the clock; 1000 a turn.
        public let steps: Int
        public let milliseconds: Int
    }

    // swift-format-ignore
    public enum Change: Equatable, Sendable {
        case renaming (Renaming ); public enum Renaming : Equatable, Sendable { case it(to: String) }
        case enabling (Enabling ); public enum Enabling : Equatable, Sendable { case it(Bool), service(ResourceType, Bool) }
        case setting  (Setting  ); public enum Setting  : Equatable, Sendable { case sensitivity(to: Int), battery(to: Int) }
        case testing  (Testing  ); public enum Testing  : Equatable, Sendable { case it(Bool) }
        case reporting(Reporting); public enum Reporting: Equatable, Sendable { case motion(Bool, at: Date), lightLevel(Int, at: Date), temperature(Double, at: Date), contact(Bool, at: Date), button(Int, String, at: Date), rotation(Rotation, at: Date) }
    }

    init(
        id: ResourceID, name: String, kind: AccessoryKind, number: Int, services: [Service], zigbee: String,
        readings: Readings = Readings()
    ) {
        self.init(id, name, kind, number, services, zigbee, 100, [], 2, readings, false)
    }

    private init(
        _ id: ResourceID, _ name: String, _ kind: AccessoryKind, _ number: Int, _ services: [Service],
        _ zigbee: String, _ battery: Int, _ disabled: Set<ResourceType>, _ sensitivity: Int, _ readings: Readings,
        _ isTesting: Bool
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.number = number
        self.services = services
        self.zigbee = zigbee
        self.battery = min(max(battery, 0), 100)
        self.disabled = disabled
        self.sensitivity = min(max(sensitivity, 0), Self.highestSensitivity)
        self.readings = readings
        self.isTesting = isTesting
    }

    static let highestSensitivity = 4

    public func alter(by changes: Change...) -> Self { alter(by: changes) }
    public func alter(by changes: [Change]) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .renaming (.it         (to: n)): Self(id, n   , kind, number, services, zigbee, battery, disabled                   , sensitivity, readings             , isTesting)
        case let .enabling (.it         (    e)): Self(id, name, kind, number, services, zigbee, battery, e ? [] : switchable         , sensitivity, readings             , isTesting)
        case let .enabling (.service    (t,  e)): Self(id, name, kind, number, services, zigbee, battery, disabled.with(t, !e)        , sensitivity, readings             , isTesting)
        case let .setting  (.sensitivity(to: s)): Self(id, name, kind, number, services, zigbee, battery, disabled                   , s          , readings             , isTesting)
        case let .setting  (.battery    (to: b)): Self(id, name, kind, number, services, zigbee, b      , disabled                   , sensitivity, readings             , isTesting)
        case let .testing  (.it         (    t)): Self(id, name, kind, number, services, zigbee, battery, disabled                   , sensitivity, readings             , t        )
        case let .reporting(report             ): Self(id, name, kind, number, services, zigbee, battery, disabled                   , sensitivity, readings.with(report), isTesting)
        }
    }

    /// Whether none of its services is switched off.
    public var isEnabled: Bool { disabled.isEmpty }

    public func isEnabled(_ service: ResourceType) -> Bool { !disabled.contains(service) }

    /// The services that can be switched off: what senses, not what is pressed.
    private var switchable: Set<ResourceType> {
        Set(services.map(\.type).filter { AccessoryKind.sensing.contains($0.rawValue) })
    }
}

extension Set {
    fileprivate func with(_ member: Element, _ isThere: Bool) -> Self {
        isThere ? union([member]) : subtracting([member])
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
