import ControlProtocol
import Khipu
import Lighting

/// Where things of one site are on a broker. Ids stand in topics, never names: a name may change, and may hold any
/// character. An id is the one that lightd lists, with "-" for each character that not every tool takes in a topic.
struct Topics: Equatable, Sendable {
    /// Small letters, digits and "-".
    let site: String
    /// Under which Home Assistant looks for devices.
    let discoveryPrefix: String

    var base: String { SiteTopics.base(of: site) }
    var status: String { SiteTopics.status(of: site) }
    var info: String { SiteTopics.info(of: site) }
    /// What went wrong with a command; not retained.
    var errors: String { "\(base)/error" }
    /// Comes back once everything that the broker keeps has come.
    var sweep: String { "\(base)/sweep" }
    /// What Home Assistant says of itself.
    var homeAssistant: String { "\(discoveryPrefix)/status" }

    func bridge(_ id: Bridge.ID, _ what: String) -> String { "\(base)/bridge/\(Self.part(id))/\(what)" }
    func light(_ id: Light.ID) -> String { "\(base)/light/\(Self.part(id))" }
    func room(_ room: Room) -> String { "\(base)/\(room.kind.rawValue)/\(Self.part(room.id))" }
    func scene(_ id: Scene.ID) -> String { "\(base)/scene/\(Self.part(id))" }
    func sensor(_ id: Sensor.ID) -> String { "\(base)/sensor/\(Self.part(id))" }
    func device(_ id: Sensor.ID) -> String { "\(base)/device/\(Self.part(id))/availability" }
    func button(_ id: Sensor.ID, _ what: String) -> String { "\(base)/button/\(Self.part(id))/\(what)" }
    func automation(_ id: Automation.ID) -> String { "\(base)/automation/\(Self.part(of: id))" }

    /// The node of our devices: two sites on one broker never see each other's.
    var node: String { "lightd_\(site)" }

    func discovery(_ object: String) -> String { "\(discoveryPrefix)/device/\(node)/\(object)/config" }
    func discovery(_ component: String, _ object: String) -> String {
        "\(discoveryPrefix)/\(component)/\(node)/\(object)/config"
    }

    /// All that the broker may keep of us. None of them takes commands, too: those would come twice.
    var kept: [String] {
        let values = [
            "light/+", "room/+", "zone/+", "automation/+", "light/+/availability", "light/+/attributes", "room/+/scene",
            "zone/+/scene",
            "bridge/+/availability", "bridge/+/connected", "bridge/+/update", "device/+/availability",
            "sensor/+/motion", "sensor/+/contact", "sensor/+/tamper",
            "sensor/+/temperature", "sensor/+/illuminance", "sensor/+/battery", "sensor/+/enabled",
        ]
        // What comes back last stands among them.
        return [sweep, status, info] + values.map { "\(base)/\($0)" }
            + LightConfiguration.Property.allCases.map { "\(base)/light/+/\($0.rawValue)" }
            + ["\(discoveryPrefix)/+/\(node)/+/config"]
    }

    /// Where commands come in.
    var commands: [String] {
        [
            "\(base)/+/+/set", "\(base)/+/+/+/set", "\(base)/light/+/identify", "\(base)/automation/+/run",
            SiteTopics.request(of: site), SiteTopics.request(of: site) + "/+", homeAssistant,
        ]
    }

    // MARK: Ids

    /// As a part of a topic, and of an id in Home Assistant.
    static func part(_ id: some CustomStringConvertible) -> String {
        String(id.description.unicodeScalars.map { isPlain($0) ? Character($0) : "-" })
    }

    /// Automations have no id but their name: what is neither a small letter nor a digit is "_" and two digits for each byte
    /// of UTF-8, so that no two of them are the same.
    static func part(of automation: Automation.ID) -> String {
        automation.description.utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            return ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar)
                ? String(scalar) : "_" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        .joined()
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
        default: false
        }
    }

    /// Whether answers may go there: below the site's own topic for them, to one client.
    func isResponse(_ topic: String) -> Bool {
        let prefix = SiteTopics.response(of: site, to: "")
        return topic.hasPrefix(prefix) && topic.utf8.count > prefix.utf8.count && topic.utf8.count <= 512
            && !topic.unicodeScalars.contains { $0 == "+" || $0 == "#" || $0.value < 0x20 }
    }
}

extension Topics {
    /// What a command's topic names.
    enum Address: Equatable {
        /// A request to the control API.
        ///
        /// - Parameter role: the most that it may do there; `nil`: what the site allows.
        case request(as: TokenAccess?)
        case light(String), room(String), zone(String), scene(String)
        case sceneOfRoom(String)
        case identify(String)
        case property(LightConfiguration.Property, of: String)
        case enabled(String)
        case automation(String)
        case run(String)
    }

    /// `nil` for a topic that takes no commands.
    func address(of topic: String) -> Address? {
        guard topic.hasPrefix(base + "/") else { return nil }
        let parts = topic.dropFirst(base.count + 1).split(separator: "/", omittingEmptySubsequences: false).map(
            String.init)
        if parts.first == "request", parts.count <= 2 {
            guard parts.count == 2 else { return .request(as: nil) }
            return TokenAccess(rawValue: parts[1]).map { .request(as: $0) }
        }
        guard parts.count == 3 || parts.count == 4 else { return nil }
        switch (parts[0], Array(parts[2...])) {
        case ("light", ["set"]): return .light(parts[1])
        case ("room", ["set"]): return .room(parts[1])
        case ("zone", ["set"]): return .zone(parts[1])
        case ("scene", ["set"]): return .scene(parts[1])
        case ("room", ["scene", "set"]), ("zone", ["scene", "set"]): return .sceneOfRoom(parts[1])
        case ("light", ["identify"]): return .identify(parts[1])
        case ("light", let rest) where rest.count == 2 && rest[1] == "set":
            return LightConfiguration.Property(rawValue: rest[0]).map { .property($0, of: parts[1]) }
        case ("sensor", ["enabled", "set"]): return .enabled(parts[1])
        case ("automation", ["set"]): return .automation(parts[1])
        case ("automation", ["run"]): return .run(parts[1])
        default: return nil
        }
    }

    /// Whether it is one of ours that the broker keeps, and not a command that somebody's tool has retained.
    func isPublished(_ topic: String) -> Bool {
        if topic.hasPrefix("\(discoveryPrefix)/") { return topic.contains("/\(node)/") && topic.hasSuffix("/config") }
        guard topic.hasPrefix(base + "/"), address(of: topic) == nil else { return false }
        return ![sweep, errors].contains(topic)
            && !["request/", "response/"].contains { topic.hasPrefix("\(base)/\($0)") }
    }

    /// Whether a topic is about this bridge, or something on it.
    func isAbout(_ bridge: Bridge.ID, _ topic: String) -> Bool {
        let id = Self.part(bridge)
        return topic.split(separator: "/").contains { part in
            part == id || part.hasPrefix("\(id)-") || part == "lightd_\(id)" || part.hasPrefix("lightd_\(id)-")
        }
    }
}
