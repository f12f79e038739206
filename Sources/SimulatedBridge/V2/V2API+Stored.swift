import HueWire

/// Resources that a bridge stores for clients: behaviour instances, geofence clients, service groups.
extension V2API {
    static let postBehavior: Operation = { call throws(V2Failure) in
        try call.only(["script_id", "enabled", "configuration", "metadata", "migrated_from"])
        let script = try call.fields.need("script_id", call.fields.text("script_id", 1...64))
        guard BehaviorScript.all.contains(where: { $0.id == ResourceID(script) }) else {
            throw V2Failure("script_id is not known")
        }
        var document: JSONValue = ["script_id": .string(script), "last_error": "", "metadata": [:]]
        document = try call.behavior(
            document, isEnabled: call.fields.need("enabled", call.fields.bool("enabled")),
            configuration: call.fields.need("configuration", call.fields.value("configuration")))
        if let origin = try call.fields.text("migrated_from", 1...64) {
            document = document.with("migrated_from", .string(origin))
        }
        return try call.store(document)
    }

    static let putBehavior: Operation = { call throws(V2Failure) in
        let document = try call.stored()
        try call.only(["enabled", "configuration", "metadata", "trigger"])
        guard !call.fields.has("trigger") else { throw .noTriggers }
        return call.done([
            .replacing(
                .stored(
                    call.id,
                    by: try call.behavior(
                        document, isEnabled: call.fields.bool("enabled") ?? (document["enabled"] == true),
                        configuration: call.fields.value("configuration") ?? document["configuration"] ?? [:])))
        ])
    }

    /// aiohue creates one and renames it every minute to provoke an event.
    static let postGeofence: Operation = { call throws(V2Failure) in
        try call.only(["name", "is_at_home"])
        var document: JSONValue = ["name": .string(try call.fields.need("name", call.fields.text("name")))]
        if let isAtHome = try call.fields.bool("is_at_home") {
            document = document.with("is_at_home", .bool(isAtHome))
        }
        return try call.store(document)
    }

    static let putGeofence: Operation = { call throws(V2Failure) in
        var document = try call.stored()
        try call.only(["name", "is_at_home"])
        if let name = try call.fields.text("name") { document = document.with("name", .string(name)) }
        if let isAtHome = try call.fields.bool("is_at_home") {
            document = document.with("is_at_home", .bool(isAtHome))
        }
        return call.done([.replacing(.stored(call.id, by: document))])
    }

    static let postServiceGroup: Operation = { call throws(V2Failure) in
        try call.only(["metadata", "children"])
        let name = try call.fields.need("metadata.name", call.fields.name())
        let children = try call.fields.need("children", call.services())
        return try call.store([
            "metadata": ["name": .string(name)], "children": .array(children), "services": [],
        ])
    }

    static let putServiceGroup: Operation = { call throws(V2Failure) in
        var document = try call.stored()
        try call.only(["metadata", "children"])
        if let name = try call.fields.name() { document = document.with("metadata", ["name": .string(name)]) }
        if let children = try call.services() { document = document.with("children", .array(children)) }
        return call.done([.replacing(.stored(call.id, by: document))])
    }
}

extension V2API.Call {
    /// The instance after the request. It depends on every resource that its configuration names.
    fileprivate func behavior(_ document: JSONValue, isEnabled: Bool, configuration: JSONValue) throws(V2Failure)
        -> JSONValue
    {
        guard configuration.object != nil else { throw .missing("configuration") }
        var targets: [JSONValue] = []
        for reference in configuration.references where home.holds(reference) && !targets.contains(reference) {
            targets.append(reference)
        }
        var new = document.merging([
            "enabled": .bool(isEnabled), "status": isEnabled ? "running" : "disabled",
            "configuration": configuration, "last_error": "",
            "dependees": .array(
                targets.map { ["target": $0, "level": "critical", "type": "ResourceDependee"] }),
        ])
        if let name = try fields.name() { new = new.with("metadata", ["name": .string(name)]) }
        return new
    }

    fileprivate func services() throws(V2Failure) -> [JSONValue]? {
        let types: Set<ResourceType> = [.light, .motion, .lightLevel, .temperature, .contact]
        return try fields.references("children", types)?.map { reference throws(V2Failure) in
            let child = JSONValue.reference(reference.rid, reference.rtype)
            guard home.holds(child) else { throw V2Failure("\(reference.rtype) \(reference.rid) is not there") }
            return child
        }
    }
}

extension SimulatedHome {
    /// Whether a reference points to a resource of this home, other than a grouped light.
    func holds(_ reference: JSONValue) -> Bool {
        guard let id = reference.rid, let type = reference["rtype"]?.string else { return false }
        switch type {
        case "light": return lamp(id) != nil
        case "device": return lamp(device: id) != nil || accessory(id) != nil || id == bridgeDevice
        case "room", "zone", "bridge_home": return group(id)?.kind.rawValue == type
        case "scene": return scene(id) != nil
        default:
            return storedResource(id)?["type"]?.string == type
                || accessory(service: id, ResourceType(rawValue: type)) != nil
        }
    }
}
