import HueWire

/// Makes documents of API v2 what a fault has them be.
struct DocumentFaultInjector {
    let home: SimulatedHome
    let derive: DerivedID

    /// What kind of documents they are.
    enum Whole {
        /// Every resource of the bridge.
        case list
        /// Some of them, by type or id.
        case part
        /// Of each only what has changed.
        case news
    }

    func bend(_ documents: [JSONValue], by fault: Fault, _ whole: Whole) -> [JSONValue] {
        switch fault.kind {
        case .unknownTypes: whole == .part || documents.isEmpty ? documents : documents + [stranger]
        case .noGroupedLight: withoutGroupedLights(documents, of: fault.text)
        default: documents.map { bend($0, by: fault, whole) }
        }
    }

    private func bend(_ document: JSONValue, by fault: Fault, _ whole: Whole) -> JSONValue {
        guard isMeant(document, by: fault) else { return document }
        var document = document
        switch fault.kind {
        case .unknownEnums: Self.age(&document)
        case .missingFields: if whole != .news { Self.bare(&document) }
        case .emptyFeatures: if whole != .news { Self.fill(&document, with: [:]) }
        case .nullFeatures: if whole != .news { Self.fill(&document, with: .null) }
        case .noIDV1: document.set("id_v1", nil)
        case .missingOwner: document.set("owner", nil)
        case .oddVersion: document.change("product_data", "software_version") { _ in "2024.10-rc3+build 7" }
        case .mirekNull:
            document.change("color_temperature", "mirek") { _ in .null }
            document.change("color_temperature", "mirek_valid") { _ in false }
        case .brokenMirek: document.change("color_temperature", "mirek") { _ in .int(fault.number) }
        case .brokenSchema: Self.schema(&document, 0, 65535)
        case .wideSchema: Self.schema(&document, 50, 1000)
        case .zeroGamut:
            let zero: JSONValue = ["x": 0, "y": 0]
            document.change("color", "gamut") { _ in ["red": zero, "green": zero, "blue": zero] }
        case .noGamut:
            document.drop("color", "gamut")
            document.drop("color", "gamut_type")
        case .otherGamut: document.change("color", "gamut_type") { _ in "other" }
        case .colourShift:
            document.change("color", "xy") { Self.shifted($0, by: Double(fault.number) / 10_000) }
        case .zeroBrightness:
            if home.lamp(document.resource)?.isOn == true {
                document.change("dimming", "brightness") { _ in .number(0) }
            }
        case .noDimming:
            document.set("dimming", nil)
            document.set("dimming_delta", nil)
        default: break
        }
        return document
    }

    /// Whether the fault is about this document: of a lamp's about lights, of one lamp's about that one.
    private func isMeant(_ document: JSONValue, by fault: Fault) -> Bool {
        guard case let .one(what) = fault.kind.form, what == "LIGHT" else { return true }
        guard document["type"] == "light" else { return false }
        return fault.text.map { home.lamp(called: $0)?.id == document.resource } ?? true
    }

    // MARK: - Single bends

    /// A resource of a day that has not come.
    private var stranger: JSONValue {
        [
            "type": "quantum_mood", "id": .id(derive.uuid("stranger", "quantum_mood")), "id_v1": "/moods/1",
            "owner": .reference(home.bridgeDevice, .device),
            "mood": ["state": "superposed", "states": ["superposed", "collapsed"], "certainty": 0.5],
        ]
    }

    /// Words that a client of today has not met, wherever a document chooses one of several.
    private static func age(_ document: inout JSONValue) {
        document.change("metadata", "archetype") { _ in "hovering_orb" }
        document.change("metadata", "function") { _ in "meditative" }
        document.change("product_data", "product_archetype") { _ in "hovering_orb" }
        document.change("dynamics", "status") { _ in "breathing_palette" }
        document.change("effects", "status") { _ in "aurora_2031" }
        document.change("color", "gamut_type") { _ in "Q" }
        document.change("powerup", "preset") { _ in "by_mood" }
        document.change("button", "last_event") { _ in "triple_press" }
        if document["mode"]?.string != nil { document.set("mode", "ambient_sync") }
        if document["type"] == "zigbee_connectivity", document["status"] != nil { document.set("status", "pondering") }
        if document["type"] == "scene", document["status"]?.object != nil {
            document.change("status", "active") { _ in "fading" }
        }
    }

    /// Nothing but what every bridge says (openhue/openhue-api, `required`).
    private static func bare(_ document: inout JSONValue) {
        for name in [
            "alert", "signaling", "powerup", "mode", "service_id", "product_data", "identify", "dynamics",
            "dimming_delta", "color_temperature_delta", "effects_v2", "timed_effects", "hardware_platform_type",
        ] where !(document["type"] == "device" && name == "product_data") { document.set(name, nil) }
        document.drop("dimming", "min_dim_level")
        document.drop("color", "gamut_type")
        document.drop("metadata", "function")
        document.drop("product_data", "hardware_platform_type")
        document.drop("button", "button_report")
    }

    /// What a light has not is there, and says nothing.
    private static func fill(_ document: inout JSONValue, with nothing: JSONValue) {
        guard document["type"] == "light" else { return }
        for name in ["dimming", "color", "color_temperature", "effects", "timed_effects", "gradient", "dynamics"]
        where document[name] == nil { document.set(name, nothing) }
    }

    private static func schema(_ document: inout JSONValue, _ minimum: Int, _ maximum: Int) {
        document.change("color_temperature", "mirek_schema") { _ in
            ["mirek_minimum": .int(minimum), "mirek_maximum": .int(maximum)]
        }
    }

    private static func shifted(_ point: JSONValue, by step: Double) -> JSONValue {
        func moved(_ name: String) -> JSONValue {
            let place = ((point[name]?.double ?? 0) + step) * 10_000
            return .number(min(max(place.rounded() / 10_000, 0), 1))
        }
        return ["x": moved("x"), "y": moved("y")]
    }

    private func withoutGroupedLights(_ documents: [JSONValue], of name: String?) -> [JSONValue] {
        let gone = home.hidden(name)
        return documents.compactMap { document in
            if gone.contains(document.resource) { return nil }
            var document = document
            if let services = document["services"]?.array {
                document.set(
                    "services", .array(services.filter { !gone.contains(ResourceID($0["rid"]?.string ?? "")) }))
            }
            return document
        }
    }
}

extension SimulatedHome {
    /// The grouped lights of a room or zone of that name or id; those of all rooms where none is named.
    func hidden(_ name: String?) -> Set<ResourceID> {
        guard let name else { return Set(rooms.map(\.groupedLight)) }
        return Set(
            groups.filter { $0.name.lowercased() == name.lowercased() || $0.id.description == name }.map(\.groupedLight)
        )
    }
}

extension JSONValue {
    /// Its own id; one that nobody has where it says none.
    fileprivate var resource: ResourceID { ResourceID(self["id"]?.string ?? "") }

    fileprivate mutating func set(_ name: String, _ value: JSONValue?) {
        guard var members = object else { return }
        members[name] = value
        self = .object(members)
    }

    /// Changes a member of a feature, where there is one.
    fileprivate mutating func change(_ feature: String, _ name: String, _ change: (JSONValue) -> JSONValue) {
        guard case var .object(members)? = object?[feature], let value = members[name] else { return }
        members[name] = change(value)
        set(feature, .object(members))
    }

    fileprivate mutating func drop(_ feature: String, _ name: String) {
        guard case var .object(members)? = object?[feature] else { return }
        members[name] = nil
        set(feature, .object(members))
    }
}
