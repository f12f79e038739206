import ControlProtocol
import ControlSurface
import FoundationEssentials
import HashTreeCollections
import Lighting

/// A retained message: what the broker is to keep on a topic. Empty: nothing.
struct Publication: Equatable, Sendable {
    /// The entities that a message describes: the platform of each, by its key.
    typealias Entities = [String: String]

    let topic: String
    let payload: [UInt8]
    /// `nil` if it describes no device.
    let entities: Entities?

    init(_ topic: String, _ text: String) { (self.topic, payload, entities) = (topic, Array(text.utf8), nil) }

    init(_ topic: String, json body: some Encodable, describing entities: Entities? = nil) throws {
        (self.topic, payload, self.entities) = (topic, Array(try JSON.data(body)), entities)
    }

    /// What a broker has kept, perhaps since another version of lightd.
    init(kept topic: String, _ payload: [UInt8]) {
        struct Device: Decodable {
            let cmps: [String: Entity]

            struct Entity: Decodable { let p: String }
        }
        (self.topic, self.payload) = (topic, payload)
        entities =
            topic.hasSuffix("/config")
            ? (try? JSONDecoder().decode(Device.self, from: Data(payload)))?.cmps.mapValues(\.p) : nil
    }

    static func none(_ topic: String) -> Self { Self(topic, "") }

    /// This description with those entities saying farewell that are missing in it: of a device that stays, Home Assistant
    /// removes them only so. `nil` if none is missing, or the whole device is removed.
    func farewell(to known: Entities) -> [UInt8]? {
        guard let entities else { return nil }
        let gone = known.filter { entities[$0.key] == nil }.mapValues { ["p": $0] }
        // What others may have written is escaped.
        guard !gone.isEmpty, let json = try? JSON.text(gone) else { return nil }
        let parts = json.dropFirst().dropLast()
        let text = String(decoding: payload, as: UTF8.self)
        // A quotation mark in a name is escaped: this stands there once.
        let separator = entities.isEmpty ? "" : ","
        return Array(text.replacing("\"cmps\":{", with: "\"cmps\":{\(parts)\(separator)", maxReplacements: 1).utf8)
    }
}

/// Everything that the broker is to keep of the home.
struct Publisher: Equatable, Sendable {
    let topics: Topics
    let discovery: MQTTSurfaceSettings.DiscoverySettings.Form
    let include: Set<MQTTSurfaceSettings.DiscoverySettings.Kind>
    let plug: MQTTSurfaceSettings.DiscoverySettings.Plug
    /// What whoever may publish on the broker may do: nobody is offered what would be refused.
    let allows: TokenAccess

    /// Bridges first, because the others name them; then what Home Assistant must know of things before their values
    /// come; then whether they are there, and then their values.
    func everything(in home: Directory, _ info: SiteInfo) throws -> [Publication] {
        var all = try HomeAssistantDiscovery(self, home).all()
        for bridge in home.bridges { all += try publications(of: bridge) }
        for light in home.lights { all.append(availability(of: light)) }
        for sensor in home.sensors { all.append(availability(of: sensor)) }
        for light in home.lights { all += try values(of: light, in: home) }
        for room in home.rooms { all += try values(of: room, in: home) }
        for sensor in home.sensors { all += values(of: sensor) }
        for automation in home.state.automations.all where !automation.isTimer { all.append(value(of: automation)) }
        all.append(try Publication(topics.info, json: info))
        return all
    }

    /// What differs between two states that have the same things with the same names; `nil` if they do not.
    func changes(in home: Directory, since before: Directory) throws -> [Publication]? {
        let (new, old) = (home.state, before.state)
        guard new.rooms == old.rooms, new.scenes == old.scenes, new.bridges == old.bridges,
            new.automations.all == old.automations.all
        else { return nil }
        var all: [Publication] = []
        let changed = home.changedLights(since: before)
        for id in changed {
            guard let light = new.lights[id], let known = old.lights[id], light.isDescribed(as: known) else {
                return nil
            }
            all.append(availability(of: light))
            all += try values(of: light, in: home)
        }
        if !changed.isEmpty {
            for room in home.rooms where room.lights.contains(where: changed.contains) {
                all += try values(of: room, in: home)
            }
        }
        if new.sensors != old.sensors {
            for sensor in home.sensors {
                guard let known = old.sensors[sensor.id], sensor.isDescribed(as: known) else { return nil }
                if sensor != known { all += [availability(of: sensor)] + values(of: sensor) }
            }
            guard new.sensors.count == old.sensors.count else { return nil }
        }
        return all
    }

    // MARK: One thing

    private func publications(of bridge: Bridge) throws -> [Publication] {
        let isConnected = if case .connected = bridge.connection { true } else { false }
        return [
            Publication(topics.bridge(bridge.id, "availability"), Self.availability(isConnected)),
            Publication(topics.bridge(bridge.id, "connected"), Self.onOff(isConnected)),
        ] + (try UpdatePayload(bridge).map { [try Publication(topics.bridge(bridge.id, "update"), json: $0)] } ?? [])
    }

    private func availability(of light: Light) -> Publication {
        let isThere = if case .unreachable = light.freshness { false } else { true }
        return Publication(topics.light(light.id) + "/availability", Self.availability(isThere))
    }

    private func availability(of sensor: Sensor) -> Publication {
        Publication(topics.device(sensor.id), Self.availability(sensor.isReachable))
    }

    func values(of light: Light, in home: Directory) throws -> [Publication] {
        let topic = topics.light(light.id)
        var all = [try Publication(topic, json: LightPayload(light))]
        let gradient = light.values.gradient.flatMap { _ in home.bodies(of: [light]).first?.values.gradient }
        all.append(
            try Publication(
                topic + "/attributes",
                json: AttributesPayload(
                    freshness: light.freshness.body.rawValue, why: home.why(light), gradient: gradient,
                    blinks: light.signal.map { _ in true })))
        for property in LightConfiguration.Property.allCases {
            guard let value = light.configuration.value(of: property) else { continue }
            all.append(
                Publication("\(topic)/\(property.rawValue)", property.settable.contains(value) ? value : Self.unknown))
        }
        return all
    }

    func values(of room: Room, in home: Directory) throws -> [Publication] {
        let topic = topics.room(room)
        let scene = home.body(of: room).scene.flatMap { $0.changed ? nil : $0.name }
        return [
            try Publication(topic, json: LightPayload(home.lights(of: .room(room.id)))),
            Publication(topic + "/scene", scene ?? Self.unknown),
        ]
    }

    private func values(of sensor: Sensor) -> [Publication] {
        let topic = topics.sensor(sensor.id)
        func text<Value>(_ reading: Sensor.Reading<Value>?, _ text: (Value) -> String) -> String {
            reading.map { text($0.value) } ?? Self.unknown
        }
        var all: [Publication] = []
        for ability in Sensor.Ability.allCases where sensor.abilities.contains(ability) {
            switch ability {
            case .motion: all.append(Publication(topic + "/motion", text(sensor.motion, Self.onOff)))
            // As Home Assistant has it: on is open.
            case .contact: all.append(Publication(topic + "/contact", text(sensor.contact) { Self.onOff($0 == .open) }))
            case .tampering: all.append(Publication(topic + "/tamper", text(sensor.tampering, Self.onOff)))
            case .temperature: all.append(Publication(topic + "/temperature", text(sensor.temperature, Self.tenths)))
            case .lightLevel: all.append(Publication(topic + "/illuminance", text(sensor.lightLevel, Self.tenths)))
            case .battery:
                all.append(Publication(topic + "/battery", text(sensor.battery) { String(Int(($0 * 100).rounded())) }))
            case .dial: break
            }
        }
        if sensor.canBeDisabled { all.append(Publication(topic + "/enabled", Self.onOff(sensor.isEnabled))) }
        return all
    }

    private func value(of automation: Automation) -> Publication {
        Publication(topics.automation(automation.id), Self.onOff(automation.isEnabled))
    }

    /// What Home Assistant reads as unknown.
    static let unknown = "None"
    static func onOff(_ isOn: Bool) -> String { isOn ? "ON" : "OFF" }
    static func availability(_ isThere: Bool) -> String { isThere ? "online" : "offline" }
    private static func tenths(_ value: Double) -> String { String((value * 10).rounded() / 10) }
}

extension Light {
    /// Whether it is the same to those who only know what it is, and not what it shows.
    func isDescribed(as other: Light) -> Bool {
        name == other.name && modes == other.modes && limits == other.limits
            && LightConfiguration.Property.allCases.allSatisfy { property in
                (configuration.value(of: property) == nil) == (other.configuration.value(of: property) == nil)
            }
    }
}

extension Sensor {
    fileprivate func isDescribed(as other: Sensor) -> Bool {
        name == other.name && room == other.room && product == other.product && abilities == other.abilities
            && buttons.map(\.number) == other.buttons.map(\.number)
    }
}
