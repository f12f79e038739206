import FoundationEssentials
import HueWire

/// Entertainment configurations: which lamps stand where, and who streams to them. Sessions are started and stopped as on a real
/// bridge, but nothing listens on UDP port 2100: no frame ever comes, so a session that is not stopped closes after ten seconds.
enum EntertainmentArea {
    static let type = ResourceType(rawValue: "entertainment_configuration")
    /// How long a session lives without a frame (docs/hue-quirks.md).
    static let patience: Duration = .seconds(10)
    static let mostChannels = 20
    static let kinds = ["screen", "monitor", "music", "3dspace", "other"]

    static let post: V2API.Operation = { call throws(V2Failure) in
        try call.only(["metadata", "name", "configuration_type", "stream_proxy", "locations"])
        let old = try call.fields.text("name")
        let name = try call.fields.need("metadata.name", call.fields.name() ?? old)
        let kind = try call.fields.need("configuration_type", call.configurationType())
        let places = try call.fields.need("locations", call.locations())
        let document: JSONValue = [
            "id_v1": .string("/groups/\(call.home.freeGroupNumber)"), "metadata": ["name": .string(name)],
            "name": .string(name), "configuration_type": .string(kind), "status": "inactive",
        ]
        return try call.store(call.proxied(document.merging(places)))
    }

    static let put: V2API.Operation = { call throws(V2Failure) in
        var document = try call.stored()
        try call.only(["metadata", "configuration_type", "stream_proxy", "locations", "action"])
        if let name = try call.fields.name() {
            document = document.merging(["metadata": ["name": .string(name)], "name": .string(name)])
        }
        if let kind = try call.configurationType() { document = document.with("configuration_type", .string(kind)) }
        if let places = try call.locations() { document = document.merging(places) }
        document = try call.proxied(document)
        let own: [SimulatedHome.Change] =
            document == call.home.storedResource(call.id) ? [] : [.replacing(.stored(call.id, by: document))]
        switch try call.fields.word("action", ["start", "stop"]) {
        case "start":
            var decision = try started(call.id, document, by: call.key ?? "", in: call.context)
            decision.response = call.done([]).response
            return decision
        case "stop":
            var decision = stopped(call.id, document, in: call.home)
            decision.response = call.done([]).response
            decision.changes = own + decision.changes
            return decision
        default: return call.done(own)
        }
    }

    static let delete: V2API.Operation = { call throws(V2Failure) in
        var decision = stopped(call.id, try call.stored(), in: call.home)
        decision.changes.append(.removing(.stored(call.id)))
        decision.response = call.done([]).response
        return decision
    }

    /// A session begins: one at a time, and whoever has it may begin it again.
    static func started(_ id: ResourceID, _ document: JSONValue, by key: String, in context: DecisionContext)
        throws(V2Failure)
        -> Decision
    {
        let streamer = JSONValue.reference(
            context.derive.uuid("application", key), ResourceType(rawValue: "auth_v1"))
        for (other, area) in context.home.storedResources where area["type"] == "entertainment_configuration" {
            guard area["status"] == "active" else { continue }
            guard other == id, area["active_streamer"] == streamer else {
                throw .conflict("Entertainment configuration \(other) is streaming already")
            }
        }
        let active = document.merging(["status": "active", "active_streamer": streamer])
        return Decision(
            changes: [.replacing(.stored(id, by: active))]
                + lamps(of: document).map { .updating(.lamp($0, by: [.streaming(.begins)])) }, .data([]))
    }

    /// The sessions that go on, whichever API began them.
    static func active(in home: SimulatedHome) -> Set<ResourceID> {
        Set(home.storedResources.filter { $0.document["status"] == "active" }.map(\.id))
    }

    /// A session ends, and the lamps get back the look that the bridge has of them. Nothing happens where none was.
    static func stopped(_ id: ResourceID, _ document: JSONValue, in home: SimulatedHome) -> Decision {
        guard document["status"] == "active" else { return Decision(.data([])) }
        let lamps = lamps(of: document).filter { home.lamp($0)?.isStreaming == true }
        return Decision(
            changes: [.replacing(.stored(id, by: document.with("status", "inactive").with("active_streamer", nil)))]
                + lamps.map { .updating(.lamp($0, by: [.streaming(.ends)])) },
            radio: lamps.isEmpty ? [] : [.broadcast(lamps, over: .milliseconds(400))], .data([]))
    }

    static func lamps(of document: JSONValue) -> [ResourceID] {
        (document["light_services"]?.array ?? []).compactMap(\.rid)
    }
}

extension V2API.Call {
    fileprivate func configurationType() throws(V2Failure) -> String? {
        try fields.word("configuration_type", EntertainmentArea.kinds)
    }

    /// Where each lamp stands, and the channels that come of it: one for every place of every lamp.
    fileprivate func locations() throws(V2Failure) -> [String: JSONValue]? {
        guard let part = try fields.object("locations") else { return nil }
        var (places, channels, lights): ([JSONValue], [JSONValue], [JSONValue]) = ([], [], [])
        for place in try part.need("service_locations", part.list("service_locations", 1...20)) {
            let service = try place.need("service", place.reference("service", [.entertainment]))
            guard let lamp = home.lamps.first(where: { $0.ids.entertainment == service.rid }), lamp.kind.gamut != nil
            else { throw V2Failure("entertainment \(service.rid) cannot render") }
            let reference = JSONValue.reference(service.rid, .entertainment)
            guard !lights.contains(.reference(lamp.id, .light)) else {
                throw V2Failure("entertainment \(service.rid) is there twice")
            }
            // An old client gives one place, a new one a list.
            var points = try (place.list("positions", 1...20) ?? []).map { fields throws(V2Failure) in
                try fields.position()
            }
            if points.isEmpty { points = [try place.inside("position").position()] }
            let factor = try place.number("equalization_factor", 0...1) ?? 1
            places.append([
                "service": reference, "positions": .array(points), "position": points[0],
                "equalization_factor": .number(factor),
            ])
            for (index, point) in points.enumerated() {
                channels.append([
                    "channel_id": .int(channels.count), "position": point,
                    "members": [["service": reference, "index": .int(index)]],
                ])
            }
            lights.append(.reference(lamp.id, .light))
        }
        guard channels.count <= EntertainmentArea.mostChannels else { throw .full("channel") }
        return [
            "locations": ["service_locations": .array(places)], "channels": .array(channels),
            "light_services": .array(lights),
        ]
    }

    /// With the lamp that passes frames on: the one that the body names, or the first.
    fileprivate func proxied(_ document: JSONValue) throws(V2Failure) -> JSONValue {
        let first = document["channels"]?.array?.first?["members"]?.array?.first?["service"] ?? .null
        guard let part = try fields.object("stream_proxy") else {
            let isManual = document["stream_proxy"]?["mode"] == "manual"
            return isManual ? document : document.with("stream_proxy", ["mode": "auto", "node": first])
        }
        guard try part.need("mode", part.word("mode", ["auto", "manual"])) == "manual" else {
            return document.with("stream_proxy", ["mode": "auto", "node": first])
        }
        let node = try part.need("node", part.reference("node", [.entertainment]))
        guard home.lamps.contains(where: { $0.ids.entertainment == node.rid && $0.kind != .plug }) else {
            throw V2Failure("entertainment \(node.rid) cannot be a proxy")
        }
        return document.with("stream_proxy", ["mode": "manual", "node": .reference(node.rid, .entertainment)])
    }
}

extension V2Body {
    /// `{"x":…,"y":…,"z":…}`, each -1…1.
    fileprivate func position() throws(V2Failure) -> JSONValue {
        var position: [String: JSONValue] = [:]
        for axis in ["x", "y", "z"] { position[axis] = .number(try need(axis, number(axis, -1...1))) }
        return .object(position)
    }
}
