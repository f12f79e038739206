import ControlProtocol
import ControlSurface
import Lighting

/// What Home Assistant is told of the home, so that it has an entity for each thing. Its options are those of Home
/// Assistant 2024.12 and later, in their short form; an option at the top that it does not know makes it reject the device,
/// one of a component it drops, so that the newer ones stand there.
struct HomeAssistantDiscovery {
    private let publisher: Publisher
    private let home: Directory
    private var topics: Topics { publisher.topics }

    init(_ publisher: Publisher, _ home: Directory) { (self.publisher, self.home) = (publisher, home) }

    func all() throws -> [Publication] {
        guard publisher.discovery != .off else { return [] }
        var devices: [Device] = home.bridges.map(device)
        devices += home.lights.map(device)
        devices += home.rooms.map(device)
        devices += home.sensors.map(device)
        devices.append(automations)
        // A device that is not announced cannot be named.
        if !publisher.include.contains(.bridges) { for place in devices.indices { devices[place].bridge = nil } }
        return try devices.filter { !$0.components.isEmpty }.flatMap(publications)
    }

    private func publications(of device: Device) throws -> [Publication] {
        guard publisher.discovery == .component else {
            return [
                try Publication(
                    topics.discovery(device.object), json: device,
                    describing: device.components.mapValues(\.platform))
            ]
        }
        return try device.components.map { key, component in
            try Publication(
                topics.discovery(component.platform, "\(device.object)_\(key)"), json: device.alone(component))
        }
    }

    // MARK: Devices

    private func device(_ bridge: Bridge) -> Device {
        var device = Device(bridge.id, name: bridge.name.orElse("Bridge"), model: bridge.model, topics)
        guard publisher.include.contains(.bridges) else { return device }
        device.components["connected"] = Component(
            "binary_sensor", id: device.object + "_connected", name: "Connected", in: device,
            [
                "dev_cla": "connectivity", "ent_cat": "diagnostic",
                "stat_t": .text(topics.bridge(bridge.id, "connected")),
            ])
        // Without a topic for commands Home Assistant shows it, and cannot install it.
        device.components["update"] = Component(
            "update", id: device.object + "_update", name: "Firmware", in: device,
            [
                "dev_cla": "firmware", "ent_cat": "diagnostic",
                "stat_t": .text(topics.bridge(bridge.id, "update")),
            ])
        return device
    }

    private func device(_ light: Light) -> Device {
        let topic = topics.light(light.id)
        var device = Device(
            light.id, name: light.name.orElse("Light"), area: home.roomOfLight[light.id]?.name, of: light.id.bridge,
            topics)
        device.availability += [topics.bridge(light.id.bridge, "availability"), topic + "/availability"]
        guard publisher.include.contains(.lights) else { return device }
        let isPlug = !light.limits.dims && light.modes.isEmpty
        if isPlug, publisher.plug == .switch {
            device.components["switch"] = Component(
                "switch", id: device.object, name: nil, in: device,
                [
                    "dev_cla": "outlet", "stat_t": .text(topic), "cmd_t": .text(topic + "/set"),
                    "val_tpl": "{{ value_json.state }}",
                    "json_attr_t": .text(topic + "/attributes"),
                ])
        } else {
            var options = options(of: [light], at: topic)
            options["json_attr_t"] = .text(topic + "/attributes")
            if let effects = light.limits.effects {
                let timed = light.limits.timedEffects ?? []
                options["effect"] = true
                options["fx_list"] = .list([LightPayload.noEffect] + effects.filter { !timed.contains($0) })
            }
            device.components["light"] = Component("light", id: device.object, name: nil, in: device, options)
        }
        for property in LightConfiguration.Property.allCases
        where publisher.allows >= .full && light.configuration.value(of: property) != nil {
            let (word, at) = (property.rawValue, "\(topic)/\(property.rawValue)")
            device.components[word] = Component(
                "select", id: "\(device.object)_\(word)", name: property.title, in: device,
                [
                    "ent_cat": "config", "ops": .list(property.settable), "stat_t": .text(at),
                    "cmd_t": .text(at + "/set"),
                ])
        }
        device.components["identify"] = Component(
            "button", id: device.object + "_identify", name: "Identify", in: device,
            [
                "dev_cla": "identify", "ent_cat": "config", "cmd_t": .text(topic + "/identify"),
            ])
        return device
    }

    private func device(_ room: Room) -> Device {
        let (topic, lights) = (topics.room(room), home.lights(of: .room(room.id)))
        var device = Device(
            room.id, name: room.name.orElse("Room"), model: room.kind == .room ? "Room" : "Zone",
            area: room.kind == .room ? room.name : nil, of: room.id.bridge, topics)
        device.availability.append(topics.bridge(room.id.bridge, "availability"))
        if publisher.include.contains(.rooms), !lights.isEmpty {
            var options = options(of: lights, at: topic)
            options["ic"] = "mdi:lightbulb-group"
            if publisher.include.contains(.lights) {
                options["grp"] = .list(lights.map { "lightd_" + Topics.part($0.id) })
            }
            device.components["light"] = Component("light", id: device.object, name: nil, in: device, options)
        }
        let scenes = home.scenes.filter { $0.room == room.id }
        guard publisher.include.contains(.scenes), !scenes.isEmpty else { return device }
        for scene in scenes {
            let id = "lightd_" + Topics.part(scene.id)
            device.components["scene_" + Topics.part(scene.id)] = Component(
                "scene", id: id, name: scene.name.orElse("Scene"), in: device,
                [
                    "cmd_t": .text(topics.scene(scene.id) + "/set"), "pl_on": "recall",
                ])
        }
        device.components["scene"] = Component(
            "select", id: device.object + "_scene", name: "Scene", in: device,
            [
                "ops": .list(scenes.map(\.name).unique), "stat_t": .text(topic + "/scene"),
                "cmd_t": .text(topic + "/scene/set"),
            ])
        return device
    }

    private func device(_ sensor: Sensor) -> Device {
        let topic = topics.sensor(sensor.id)
        var device = Device(
            sensor.id, name: sensor.name.orElse("Sensor"), model: sensor.product,
            area: sensor.room.flatMap { home.room($0)?.name },
            of: sensor.id.bridge, topics)
        device.availability += [topics.bridge(sensor.id.bridge, "availability"), topics.device(sensor.id)]
        if publisher.include.contains(.sensors) {
            func add(_ key: String, _ platform: String, _ name: String?, _ options: [String: Option]) {
                device.components[key] = Component(
                    platform, id: "\(device.object)_\(key)", name: name, in: device,
                    options.merging(["stat_t": .text("\(topic)/\(key)")]) { $1 })
            }
            for ability in sensor.abilities {
                switch ability {
                case .motion: add("motion", "binary_sensor", "Motion", ["dev_cla": "motion"])
                case .contact: add("contact", "binary_sensor", "Contact", ["dev_cla": "opening"])
                case .tampering:
                    add("tamper", "binary_sensor", "Tamper", ["dev_cla": "tamper", "ent_cat": "diagnostic"])
                case .temperature:
                    add(
                        "temperature", "sensor", "Temperature",
                        ["dev_cla": "temperature", "unit_of_meas": "°C", "stat_cla": "measurement", "sug_dsp_prc": 1])
                case .lightLevel:
                    add(
                        "illuminance", "sensor", "Illuminance",
                        ["dev_cla": "illuminance", "unit_of_meas": "lx", "stat_cla": "measurement"])
                case .battery:
                    add(
                        "battery", "sensor", "Battery",
                        ["dev_cla": "battery", "unit_of_meas": "%", "stat_cla": "measurement", "ent_cat": "diagnostic"])
                case .dial: break
                }
            }
            if sensor.canBeDisabled, publisher.allows >= .full {
                add("enabled", "switch", "Enabled", ["ent_cat": "config", "cmd_t": .text("\(topic)/enabled/set")])
            }
        }
        guard publisher.include.contains(.buttons) else { return device }
        for button in sensor.buttons {
            let (name, at) = ("button_\(button.number)", topics.button(sensor.id, "\(button.number)"))
            device.components[name] = Component(
                "event", id: "\(device.object)_\(name)", name: "Button \(button.number)", in: device,
                [
                    "dev_cla": "button", "evt_typ": .list(ButtonPress.allCases.map(\.event)), "stat_t": .text(at),
                ])
            for press in ButtonPress.allCases {
                device.components["\(name)_\(press.event)"] = Component(
                    trigger: "button_\(press.event)", of: name, at: at, payload: press.event)
            }
        }
        if sensor.abilities.contains(.dial) {
            device.components["dial"] = Component(
                "event", id: device.object + "_dial", name: "Dial", in: device,
                [
                    "evt_typ": .list(DialPayload.Kind.allCases.map(\.rawValue)),
                    "stat_t": .text(topics.button(sensor.id, "dial")),
                ])
        }
        return device
    }

    private var automations: Device {
        var device = Device("lightd_\(topics.site)_automations", name: "Automations", model: "Automations", topics)
        guard publisher.include.contains(.automations) else { return device }
        for automation in home.state.automations.all where !automation.isTimer {
            let (id, topic) = (Topics.part(of: automation.id), topics.automation(automation.id))
            device.components["\(id)_enabled"] = Component(
                "switch", id: "lightd_\(topics.site)_\(id)_enabled", name: automation.name, in: device,
                [
                    "ent_cat": "config", "stat_t": .text(topic), "cmd_t": .text(topic + "/set"),
                ])
            device.components["\(id)_run"] = Component(
                "button", id: "lightd_\(topics.site)_\(id)_run", name: "Run \(automation.name)", in: device,
                [
                    "cmd_t": .text(topic + "/run")
                ])
        }
        return device
    }

    // MARK: Parts

    /// What one light, or those of a room, take.
    private func options(of lights: [Light], at topic: String) -> [String: Option] {
        var options: [String: Option] = ["schema": "json", "stat_t": .text(topic), "cmd_t": .text(topic + "/set")]
        var modes: [String] = []
        let whites = lights.compactMap { $0.modes.contains(.ct) ? $0.limits.temperature ?? 153.mirek...500.mirek : nil }
        if let coolest = whites.map(\.lowerBound.value).min(), let warmest = whites.map(\.upperBound.value).max() {
            modes.append("color_temp")
            options["clr_temp_k"] = true
            // Within what the lamp can.
            options["min_k"] = .number((1_000_000 + warmest - 1) / warmest)
            options["max_k"] = .number(1_000_000 / coolest)
        }
        if lights.contains(where: { $0.modes.contains(.hsb) }) { modes.append("xy") }
        let dims = lights.contains(where: \.limits.dims)
        if modes.isEmpty { modes = [dims ? "brightness" : "onoff"] }
        if dims { options["bri_scl"] = 254 }
        options["sup_clrm"] = .list(modes)
        return options
    }
}

/// A value of an option of Home Assistant.
enum Option: Encodable, Equatable, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral
{
    case text(String), flag(Bool), number(Int), list([String])

    init(stringLiteral text: String) { self = .text(text) }
    init(booleanLiteral flag: Bool) { self = .flag(flag) }
    init(integerLiteral number: Int) { self = .number(number) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case let .text(text): try container.encode(text)
        case let .flag(flag): try container.encode(flag)
        case let .number(number): try container.encode(number)
        case let .list(texts): try container.encode(texts)
        }
    }
}

/// An entity, or a trigger.
struct Component: Encodable, Equatable {
    let platform: String
    fileprivate var options: [String: Option]
    /// `nil` for the one that is called as its device is.
    fileprivate var name: String??

    /// - Parameters:
    ///   - id: as Home Assistant knows it for ever.
    ///   - name: `nil` if it is called as the device is.
    init(_ platform: String, id: String, name: String?, in device: Device, _ options: [String: Option]) {
        self.platform = platform
        self.name = .some(name)
        self.options = options
        self.options["uniq_id"] = .text(id)
        // Otherwise Home Assistant makes one of the area and the device's name, which doubles what both say.
        let entity = [device.name, name].compactMap(\.self).joined(separator: " ")
        self.options["def_ent_id"] = .text("\(platform).\(Self.slug(entity))")
    }

    init(trigger type: String, of subtype: String, at topic: String, payload: String) {
        platform = "device_automation"
        options = [
            "atype": "trigger", "type": .text(type), "stype": .text(subtype), "t": .text(topic),
            "val_tpl": "{{ value_json.event_type }}", "pl": .text(payload),
        ]
    }

    /// As in ids of Home Assistant: small letters and digits, "_" between them.
    private static func slug(_ name: String) -> String {
        let plain = name.lowercased().map { letter in
            letter.isASCII && (letter.isLetter || letter.isNumber) ? String(letter) : letters[letter] ?? "_"
        }
        let words = plain.joined().split(separator: "_").joined(separator: "_")
        return words.isEmpty ? "lightd" : words
    }

    /// What letters of Latin scripts are in such ids; of other scripts nothing is left.
    private static let letters: [Character: String] = {
        let plain: [(String, String)] = [
            ("àáâãäåāăą", "a"), ("çćĉċč", "c"), ("ďđð", "d"), ("èéêëēĕėęě", "e"), ("ĝğġģ", "g"), ("ĥħ", "h"),
            ("ìíîïĩīĭįı", "i"), ("ĵ", "j"), ("ķ", "k"), ("ĺļľŀł", "l"), ("ñńņň", "n"), ("òóôõöøōŏő", "o"), ("ŕŗř", "r"),
            ("śŝşš", "s"), ("ţťŧ", "t"), ("ùúûüũūŭůűų", "u"), ("ŵ", "w"), ("ýÿŷ", "y"), ("źżž", "z"), ("ß", "ss"),
            ("æ", "ae"), ("œ", "oe"), ("þ", "th"),
        ]
        return Dictionary(plain.flatMap { letters, text in letters.map { ($0, text) } }) { first, _ in first }
    }()

    fileprivate func encode(_ container: inout KeyedEncodingContainer<OptionKey>) throws {
        if let name { try container.encode(name, forKey: OptionKey("name")) }
        for (key, option) in options { try container.encode(option, forKey: OptionKey(key)) }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: OptionKey.self)
        try container.encode(platform, forKey: OptionKey("p"))
        try encode(&container)
    }
}

private struct OptionKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// A device of Home Assistant with its entities.
struct Device: Encodable, Equatable {
    /// Identifies it, and its topic.
    let object: String
    let name: String
    private let model: String?
    private let area: String?
    fileprivate var bridge: Bridge.ID?
    /// The topics that must all say "online".
    var availability: [String]
    var components: [String: Component] = [:]

    fileprivate init(
        _ id: some CustomStringConvertible, name: String, model: String? = nil, area: String? = nil,
        of bridge: Bridge.ID? = nil, _ topics: Topics
    ) {
        let part = Topics.part(id)
        object = part.hasPrefix("lightd_") ? part : "lightd_\(part)"
        (self.name, self.model, self.area, self.bridge) = (name, model, area, bridge)
        availability = [topics.status]
    }

    private struct Identity: Encodable {
        let ids: [String]
        let name: String
        let mdl: String?
        let sa: String?
        let via_device: String?
    }

    private struct Origin: Encodable {
        let name = "lightd"
        let sw = Release.version
    }

    private struct Availability: Encodable { let t: String }

    private func encode(_ container: inout KeyedEncodingContainer<OptionKey>) throws {
        let via = bridge.map { "lightd_" + Topics.part($0) }
        try container.encode(
            Identity(ids: [object], name: name, mdl: model, sa: area, via_device: via), forKey: OptionKey("dev"))
        try container.encode(Origin(), forKey: OptionKey("o"))
        try container.encode(availability.map { Availability(t: $0) }, forKey: OptionKey("avty"))
        try container.encode("all", forKey: OptionKey("avty_mode"))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: OptionKey.self)
        try encode(&container)
        try container.encode(components, forKey: OptionKey("cmps"))
    }

    /// One of its entities in a message of its own.
    func alone(_ component: Component) -> some Encodable { Alone(device: self, component: component) }

    private struct Alone: Encodable {
        let device: Device
        let component: Component

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: OptionKey.self)
            try device.encode(&container)
            try component.encode(&container)
        }
    }
}
