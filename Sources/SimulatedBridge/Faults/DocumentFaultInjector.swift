import HueWire

/// Applies faults to documents of API v2, in responses and in events.
struct DocumentFaultInjector {
    let home: SimulatedHome
    let derive: DerivedID

    /// Which documents a list holds.
    enum Extent {
        /// Whole resources: all of the bridge, or the new ones of an event.
        case all
        /// Whole resources of one type, or one resource.
        case some
        /// Of each resource only what has changed.
        case changes
    }

    func apply(_ fault: Fault, to documents: [JSONValue], _ extent: Extent) -> [JSONValue] {
        switch fault.kind {
        case .unknownTypes: extent == .some || documents.isEmpty ? documents : documents + [unknownResource]
        case .halfBooted: extent == .changes ? documents : halfBooted(documents, without: fault.text)
        case .noGroupedLight: withoutGroupedLights(documents, of: fault.text)
        default: documents.map { apply(fault, to: $0, extent) }
        }
    }

    private func apply(_ fault: Fault, to document: JSONValue, _ extent: Extent) -> JSONValue {
        guard applies(fault, to: document) else { return document }
        var document = document
        switch fault.kind {
        case .unknownEnums: Self.useUnknownWords(&document)
        case .missingFields: if extent != .changes { Self.dropOptionalFields(&document) }
        case .emptyFeatures: if extent != .changes { Self.addMissingFeatures(&document, with: [:]) }
        case .nullFeatures: if extent != .changes { Self.addMissingFeatures(&document, with: .null) }
        case .noIDV1: document.set("id_v1", nil)
        case .missingOwner: document.set("owner", nil)
        case .oddVersion: document.change("product_data", "software_version") { _ in "2024.10-rc3+build 7" }
        case .mirekNull:
            document.change("color_temperature", "mirek") { _ in .null }
            document.change("color_temperature", "mirek_valid") { _ in false }
        case .brokenMirek: document.change("color_temperature", "mirek") { _ in .int(fault.number) }
        case .brokenSchema: Self.setMirekSchema(&document, 0, 65535)
        case .wideSchema: Self.setMirekSchema(&document, 50, 1000)
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
        case .missingPoints: document.drop("gradient", "points")
        case .effectsDisagree: document.change("effects", "status") { _ in "sparkle" }
        case .noDimming:
            document.set("dimming", nil)
            document.set("dimming_delta", nil)
        default: break
        }
        return document
    }

    /// Whether a fault applies to this document. A fault of lights may be limited to one lamp.
    private func applies(_ fault: Fault, to document: JSONValue) -> Bool {
        guard case let .one(what) = fault.kind.form, what == "LIGHT" else { return true }
        guard document["type"] == "light" else { return false }
        return fault.text.map { home.lamp(called: $0)?.id == document.resource } ?? true
    }

    // MARK: - Single effects

    /// What a bridge lists before it has found everything again.
    private func halfBooted(_ documents: [JSONValue], without what: String?) -> [JSONValue] {
        guard what == "lights" else {
            return documents.filter { document in
                !["room", "zone", "scene", "grouped_light"].contains { document["type"] == .string($0) }
            }
        }
        let missing = Set(home.lamps.enumerated().filter { $0.offset % 2 == 1 }.map(\.element.id))
        return documents.filter { $0["type"] != "light" || !missing.contains($0.resource) }
    }

    /// A resource of a type that no client knows.
    private var unknownResource: JSONValue {
        [
            "type": "quantum_mood", "id": .id(derive.uuid("stranger", "quantum_mood")), "id_v1": "/moods/1",
            "owner": .reference(home.bridgeDevice, .device),
            "mood": ["state": "superposed", "states": ["superposed", "collapsed"], "certainty": 0.5],
        ]
    }

    /// Replaces every word of a known set by one that no client knows.
    private static func useUnknownWords(_ document: inout JSONValue) {
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

    /// Leaves only the fields that every bridge sends (openhue/openhue-api, `required`).
    private static func dropOptionalFields(_ document: inout JSONValue) {
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

    /// Adds the features that a light lacks, empty or null.
    private static func addMissingFeatures(_ document: inout JSONValue, with empty: JSONValue) {
        guard document["type"] == "light" else { return }
        for name in ["dimming", "color", "color_temperature", "effects", "timed_effects", "gradient", "dynamics"]
        where document[name] == nil { document.set(name, empty) }
    }

    private static func setMirekSchema(_ document: inout JSONValue, _ minimum: Int, _ maximum: Int) {
        document.change("color_temperature", "mirek_schema") { _ in
            ["mirek_minimum": .int(minimum), "mirek_maximum": .int(maximum)]
        }
    }

    private static func shifted(_ point: JSONValue, by step: Double) -> JSONValue {
        func moved(_ name: String) -> JSONValue {
            let value = ((point[name]?.double ?? 0) + step) * 10_000
            return .number(min(max(value.rounded() / 10_000, 0), 1))
        }
        return ["x": moved("x"), "y": moved("y")]
    }

    private func withoutGroupedLights(_ documents: [JSONValue], of name: String?) -> [JSONValue] {
        let hidden = home.hiddenGroupedLights(name)
        return documents.compactMap { document in
            if hidden.contains(document.resource) { return nil }
            var document = document
            if let services = document["services"]?.array {
                document.set(
                    "services", .array(services.filter { !hidden.contains(ResourceID($0["rid"]?.string ?? "")) }))
            }
            return document
        }
    }
}

extension SimulatedHome {
    /// The grouped lights of the rooms and zones of that name or id; those of all rooms if no name is given.
    func hiddenGroupedLights(_ name: String?) -> Set<ResourceID> {
        guard let name else { return Set(rooms.map(\.groupedLight)) }
        return Set(
            groups.filter { $0.name.lowercased() == name.lowercased() || $0.id.description == name }.map(\.groupedLight)
        )
    }
}

extension JSONValue {
    /// The id of the document; an empty id if it has none.
    fileprivate var resource: ResourceID { ResourceID(self["id"]?.string ?? "") }

    fileprivate mutating func set(_ name: String, _ value: JSONValue?) {
        guard var members = object else { return }
        members[name] = value
        self = .object(members)
    }

    /// Changes a member of a feature if it exists.
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
