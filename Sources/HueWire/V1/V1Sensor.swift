/// A sensor in API v1. A device is several: a motion sensor also measures light and temperature.
public struct V1Sensor: Hashable, Decodable, Sendable {
    public let name: String?
    /// "ZLLPresence", "ZLLSwitch", "CLIPGenericStatus", "Daylight"…
    public let type: String?
    public let model: String?
    public let product: String?
    /// The device's address and the part of it: "00:17:88:01:02:03:04:05-02-0406".
    public let uniqueID: String?
    /// Whether it gives its device the name; `nil` if the bridge does not say.
    public let isPrimary: Bool?
    public let isEnabled: Bool?
    /// `nil` if the bridge does not say.
    public let isReachable: Bool?
    /// Per cent; `nil` if it has none.
    public let battery: Double?
    /// How many buttons it has; `nil` if the bridge does not say.
    public let buttons: Int?
    /// Which sensor of API v2 it is, with its report; `nil` if it is not a device's: what clients keep on the bridge
    /// ("CLIP…") and the bridge's own notion of daylight.
    public let kind: Kind?
    /// `nil` if it has not reported yet.
    public let report: SensorReport?
    /// The button that the report is about, from 1.
    public let button: Int?

    public enum Kind: Hashable, Sendable { case motion, contact, lightLevel, temperature, buttons, rotary }

    private enum CodingKeys: String, CodingKey {
        case name, type, modelid, productname, uniqueid, state, config, capabilities
    }

    private struct State: Decodable {
        let presence: Bool?
        let open: Bool?
        let lightlevel: Double?
        let temperature: Double?
        let buttonevent: Int?
        let expectedrotation: Int?
        let lastupdated: ReportTime?

        enum CodingKeys: String, CodingKey {
            case presence, open, lightlevel, temperature, buttonevent, expectedrotation, lastupdated
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            presence = container.feature(.presence)
            open = container.feature(.open)
            lightlevel = container.feature(.lightlevel)
            temperature = container.feature(.temperature)
            buttonevent = container.whole(.buttonevent)
            expectedrotation = container.whole(.expectedrotation)
            // "none" before its first report.
            lastupdated = container.feature(.lastupdated, as: ReportTime.self).flatMap { $0.date == nil ? nil : $0 }
        }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = container.feature(.name)
        type = container.feature(.type)
        model = container.feature(.modelid)
        product = container.feature(.productname)
        uniqueID = container.feature(.uniqueid)
        let config = container.feature(.config, as: JSONValue.self)
        (isEnabled, isReachable) = (config?["on"]?.bool, config?["reachable"]?.bool)
        battery = config?["battery"]?.double.map { min(max($0, 0), 100) }
        let capabilities = container.feature(.capabilities, as: JSONValue.self)
        isPrimary = capabilities?["primary"]?.bool
        let kind = type.flatMap { Kind($0) }
        self.kind = kind
        buttons = kind == .buttons ? capabilities?["inputs"]?.array?.count : nil
        let state = container.feature(.state, as: State.self)
        let time = state?.lastupdated
        let press = state?.buttonevent.flatMap { V1ButtonEvent($0) }
        button = kind == .buttons ? press?.button : nil
        // A sensor without a time has not reported: its values are those of a new one.
        guard let time else {
            report = nil
            return
        }
        report =
            switch kind {
            case .motion: state?.presence.map { SensorReport(.motion($0), at: time) }
            case .contact: state?.open.map { SensorReport(.contact(isClosed: !$0), at: time) }
            case .lightLevel: state?.lightlevel.map { .lightLevel($0, at: time) }
            case .temperature: state?.temperature.map { SensorReport(.temperature($0 / 100), at: time) }
            case .buttons: press.map { SensorReport(.button($0.event), at: time) }
            case .rotary:
                state?.expectedrotation.map { SensorReport(.rotation(min(max($0, -65_535), 65_535)), at: time) }
            case nil: nil
            }
    }
}

/// `{"on":false}`, in `config` of a sensor: it reports nothing.
public struct V1SensorConfig: Hashable, Codable, Sendable {
    public var on: Bool

    public init(isOn: Bool) { on = isOn }
}

extension V1Sensor {
    /// The address of its device, to find the others of the same device by; `nil` if the bridge does not say.
    public var device: Substring? { uniqueID?.split(separator: "-").first }
}

extension V1Sensor.Kind {
    /// Hue calls a type by its radio, "ZLL" or "ZGP", deCONZ "ZHA".
    fileprivate init?(_ type: String) {
        guard ["ZLL", "ZGP", "ZHA"].contains(where: type.hasPrefix) else { return nil }
        switch type.dropFirst(3) {
        case "Presence": self = .motion
        case "OpenClose": self = .contact
        case "LightLevel": self = .lightLevel
        case "Temperature": self = .temperature
        case "Switch": self = .buttons
        case "RelativeRotary": self = .rotary
        default: return nil
        }
    }
}

/// A `buttonevent`: a button's number and what happened to it, in API v2's words.
public struct V1ButtonEvent: Hashable, Sendable {
    /// No switch has more, whatever a bridge says.
    private static let mostButtons = 32

    /// From 1.
    public let button: Int
    public let event: String

    /// `nil` for what is unknown.
    public init?(_ code: Int) {
        // The Hue Tap's four, which have no battery and say only that they were pressed.
        if let place = [34, 16, 17, 18].firstIndex(of: code) {
            (button, event) = (place + 1, "initial_press")
            return
        }
        let events = ["initial_press", "repeat", "short_release", "long_release", "double_short_release"]
        guard (1000..<(Self.mostButtons + 1) * 1000).contains(code), events.indices.contains(code % 1000) else {
            return nil
        }
        (button, event) = (code / 1000, events[code % 1000])
    }
}
