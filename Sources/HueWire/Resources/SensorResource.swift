import FoundationEssentials
import Glibc

/// What a device or an area reports besides light: a `motion` of whatever kind, `contact`, `light_level`, `temperature`, `tamper`, `device_power`,
/// `button` or `relative_rotary`; complete, or as the part that an event names.
public struct SensorResource: Hashable, Decodable, Sendable, Identifiable {
    public let id: ResourceID
    public let type: ResourceType
    /// The device, or the area, it belongs to.
    public let owner: ResourceReference?
    /// Whether it reports at all; `nil` if the bridge does not say.
    public let isEnabled: Bool?
    /// The number of a button on its device; some firmware counts from 0.
    public let control: Int?
    /// `nil` if it has not reported yet, or no longer holds what it reported.
    public let report: SensorReport?

    public init(
        id: ResourceID, type: ResourceType, owner: ResourceReference?, isEnabled: Bool? = nil, control: Int? = nil,
        report: SensorReport? = nil
    ) {
        self.id = id
        self.type = type
        self.owner = owner
        self.isEnabled = isEnabled
        self.control = control
        self.report = report
    }

    private enum CodingKeys: String, CodingKey {
        case id, type, owner, enabled, metadata, motion, light, temperature, button, rotary = "relative_rotary"
        case contact = "contact_report"
        case tampering = "tamper_reports"
        case power = "power_state"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ResourceID.self, forKey: .id)
        type = try container.decode(ResourceType.self, forKey: .type)
        owner = container.feature(.owner)
        isEnabled = container.feature(.enabled)
        control = container.feature(.metadata, as: JSONValue.self)?["control_id"]?.int
        if let key = Self.feature(of: type), let feature = container.feature(key, as: JSONValue.self) {
            report = SensorReport(feature, of: type)
        } else {
            report = nil
        }
    }

    private static func feature(of type: ResourceType) -> CodingKeys? {
        switch type {
        case .motion, .cameraMotion, .convenienceMotion, .securityMotion: .motion
        case .lightLevel: .light
        case .temperature: .temperature
        case .contact: .contact
        case .tamper: .tampering
        case .devicePower: .power
        case .button: .button
        case .rotary: .rotary
        default: nil
        }
    }
}

/// What a sensor last reported, and when.
public struct SensorReport: Hashable, Sendable {
    public let value: Value
    /// `nil` on old firmware, which does not say it, and for a battery.
    public let time: ReportTime?

    public enum Value: Hashable, Sendable {
        case motion(Bool)
        case contact(isClosed: Bool)
        case tampering(Bool)
        /// In lux.
        case lightLevel(Double)
        /// In degrees Celsius.
        case temperature(Double)
        /// In per cent.
        case battery(Double)
        /// API v2's name of what happened: "initial_press", "short_release"…
        case button(String)
        /// Signed steps: 1000 are a full turn, clockwise is positive.
        case rotation(Int)
    }

    public init(_ value: Value, at time: ReportTime?) {
        self.value = value
        self.time = time
    }

    /// - Parameter level: 10000 × log10(lux) + 1, as bridges measure it; 0 is darkness.
    static func lightLevel(_ level: Double, at time: ReportTime?) -> Self {
        Self(.lightLevel(level <= 0 ? 0 : pow(10, (min(level, 65_535) - 1) / 10_000)), at: time)
    }
}

extension SensorReport {
    /// Reads what API v2 writes. Newer firmware has a report with its time; older only its value, with a note whether it
    /// is valid. One that is not valid is an old one.
    ///
    /// `nil` if the feature has no value.
    fileprivate init?(_ feature: JSONValue, of type: ResourceType) {
        func value(_ name: String) -> (JSONValue, ReportTime?)? {
            guard feature["\(name)_valid"]?.bool != false else { return nil }
            let report = feature["\(name)_report"]
            return (report?[name] ?? feature[name]).map { ($0, report.flatMap { ReportTime($0, "changed") }) }
        }
        switch type {
        case .motion, .cameraMotion, .convenienceMotion, .securityMotion:
            guard let (value, time) = value("motion"), let isSeen = value.bool else { return nil }
            self.init(.motion(isSeen), at: time)
        case .lightLevel:
            guard let (value, time) = value("light_level"), let level = value.double else { return nil }
            self = .lightLevel(level, at: time)
        case .temperature:
            guard let (value, time) = value("temperature"), let degrees = value.double else { return nil }
            self.init(.temperature(degrees), at: time)
        case .contact:
            guard let isClosed = feature["state"]?.string.flatMap({ ["contact": true, "no_contact": false][$0] }) else {
                return nil
            }
            self.init(.contact(isClosed: isClosed), at: ReportTime(feature, "changed"))
        case .tamper:
            // One for each part of the device that can be tampered with.
            guard let parts = feature.array, !parts.isEmpty else { return nil }
            let times = parts.compactMap { ReportTime($0, "changed") }
            self.init(
                .tampering(parts.contains { $0["state"]?.string == "tampered" }),
                at: times.max { ($0.date ?? .distantPast) < ($1.date ?? .distantPast) })
        case .devicePower:
            guard let level = feature["battery_level"]?.double else { return nil }
            self.init(.battery(min(max(level, 0), 100)), at: nil)
        case .button:
            let report = feature["button_report"]
            guard let event = (report?["event"] ?? feature["last_event"])?.string else { return nil }
            self.init(.button(event), at: report.flatMap { ReportTime($0, "updated") })
        case .rotary:
            let report = feature["rotary_report"]
            guard let rotation = (report ?? feature["last_event"])?["rotation"],
                let steps = rotation["steps"]?.int, (0...Int(UInt16.max)).contains(steps)
            else { return nil }
            let isBack = rotation["direction"]?.string == "counter_clock_wise"
            self.init(.rotation(isBack ? -steps : steps), at: report.flatMap { ReportTime($0, "updated") })
        default: return nil
        }
    }
}

extension ReportTime {
    fileprivate init?(_ report: JSONValue, _ name: String) {
        guard let text = report[name]?.string else { return nil }
        self.init(text)
    }
}
