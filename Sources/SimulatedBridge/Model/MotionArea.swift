import FoundationEssentials
import HueWire

/// MotionAware of a Bridge Pro: an area in which the radio of the lamps themselves notices that somebody moves. It is a
/// `motion_area_configuration`, and what it reports are two services, one for convenience and one for security, which
/// here say the same.
enum MotionArea {
    static let type = ResourceType.motionArea
    static let services: [ResourceType] = [.convenienceMotion, .securityMotion]
    /// How well its lamps are able to notice anybody; "not_running" is not at all.
    static let healths = ["healthy", "unhealthy", "recovering", "initializing", "not_running"]

    /// - Parameters:
    ///   - room: in which it is.
    ///   - lamps: those that watch.
    static func documents(
        _ name: String, in room: SimulatedHome.Group, _ lamps: [Lamp], _ derive: DerivedID
    ) -> [(id: ResourceID, document: JSONValue)] {
        let id = derive.uuid(type.rawValue, name)
        let parts = services.map { (id: derive.uuid($0.rawValue, name), type: $0) }
        let area: JSONValue = [
            "type": .string(type.rawValue), "id": .id(id), "name": .string(name), "enabled": true, "health": "healthy",
            "group": .reference(room.id, room.kind), "services": .array(parts.map { .reference($0.id, $0.type) }),
            "participants": .array(
                lamps.map {
                    [
                        "resource": .reference(derive.uuid("motion_area_candidate", $0.name), .motionCandidate),
                        "status": ["health": "healthy"],
                    ]
                }),
        ]
        let reports = parts.map { part -> (ResourceID, JSONValue) in
            let document: JSONValue = [
                "type": .string(part.type.rawValue), "id": .id(part.id), "owner": .reference(id, type),
                "enabled": true, "motion": ["motion": false, "motion_valid": false],
                "sensitivity": ["status": "set", "sensitivity": 2, "sensitivity_max": 4],
            ]
            return (part.id, document)
        }
        return [(id, area)] + reports
    }
}

extension SimulatedHome {
    func motionArea(called text: String) -> JSONValue? {
        storedResources.lazy.map(\.document).first { document in
            document["type"]?.string == MotionArea.type.rawValue
                && (document["id"]?.string == text || document["name"]?.string?.lowercased() == text.lowercased())
        }
    }

    /// Somebody moves in an area, or nobody does any more. One that is switched off, or whose lamps are not able to,
    /// notices nothing.
    func reporting(_ isSeen: Bool, in area: JSONValue, at date: Date) -> [Change] {
        guard area["enabled"] == true, area["health"] != "not_running" else { return [] }
        return (area["services"]?.array ?? []).compactMap(\.rid).compactMap { id in
            guard let service = storedResource(id), service["enabled"] == true else { return nil }
            let motion: JSONValue = [
                "motion": .bool(isSeen), "motion_valid": true,
                "motion_report": ["changed": date.stamp, "motion": .bool(isSeen)],
            ]
            return .replacing(.stored(id, by: service.with("motion", motion)))
        }
    }
}

extension V2API {
    /// Switches an area on or off, or renames it.
    static let putMotionArea: Operation = { call throws(V2Failure) in
        var document = try call.stored()
        try call.only(["name", "enabled"])
        if let name = try call.fields.text("name", 1...32) { document = document.with("name", .string(name)) }
        if let isEnabled = try call.fields.bool("enabled") {
            document = document.with("enabled", .bool(isEnabled))
        }
        return call.done([.replacing(.stored(call.id, by: document))])
    }

    /// Switches one of an area's services on or off, and sets its sensitivity.
    static let putAreaMotion: Operation = { call throws(V2Failure) in
        var document = try call.stored()
        try call.only(["enabled", "sensitivity"])
        if let isEnabled = try call.fields.bool("enabled") {
            document = document.with("enabled", .bool(isEnabled))
        }
        if let part = try call.fields.object("sensitivity") {
            let value = try part.need("sensitivity", part.integer("sensitivity", 0...4))
            document = document.with("sensitivity", document["sensitivity"]?.with("sensitivity", .int(value)))
        }
        return call.done([.replacing(.stored(call.id, by: document))])
    }
}
