import HueWire

/// `entertainment_configuration`.
extension V2API {
    static let postEntertainment: Operation = { call throws(V2Failure) in
        try call.only(["metadata", "name", "configuration_type", "stream_proxy", "locations"])
        let oldName = try call.fields.text("name")
        let name = try call.fields.need("metadata.name", call.fields.name() ?? oldName)
        let kind = try call.fields.need("configuration_type", call.configurationType())
        let members = try call.fields.need("locations", call.locations())
        let document = EntertainmentArea.document(name, kind: kind, number: call.home.freeGroupNumber)
        return try call.store(call.proxied(document.merging(members)))
    }

    static let putEntertainment: Operation = { call throws(V2Failure) in
        var document = try call.stored()
        try call.only(["metadata", "configuration_type", "stream_proxy", "locations", "action"])
        if let name = try call.fields.name() {
            document = document.merging(["metadata": ["name": .string(name)], "name": .string(name)])
        }
        if let kind = try call.configurationType() { document = document.with("configuration_type", .string(kind)) }
        if let members = try call.locations() { document = document.merging(members) }
        document = try call.proxied(document)
        let own: [SimulatedHome.Change] =
            document == call.home.storedResource(call.id) ? [] : [.replacing(.stored(call.id, by: document))]
        switch try call.fields.word("action", ["start", "stop"]) {
        case "start":
            do throws(EntertainmentArea.IsStreaming) {
                let started = try EntertainmentArea.started(call.id, document, by: call.key ?? "", in: call.context)
                return call.done(started.changes, radio: started.radio)
            } catch {
                throw .conflict("Entertainment configuration \(error.area) is streaming already")
            }
        case "stop":
            let stopped = EntertainmentArea.stopped(call.id, document, in: call.home)
            return call.done(own + stopped.changes, radio: stopped.radio)
        default: return call.done(own)
        }
    }

    static let deleteEntertainment: Operation = { call throws(V2Failure) in
        let stopped = EntertainmentArea.stopped(call.id, try call.stored(), in: call.home)
        return call.done(stopped.changes + [.removing(.stored(call.id))], radio: stopped.radio)
    }
}

extension V2API.Call {
    fileprivate func configurationType() throws(V2Failure) -> String? {
        try fields.word("configuration_type", EntertainmentArea.kinds)
    }

    /// `locations`, checked, and the channels that result from it.
    fileprivate func locations() throws(V2Failure) -> [String: JSONValue]? {
        guard let part = try fields.object("locations") else { return nil }
        var placements: [EntertainmentArea.Placement] = []
        for place in try part.need("service_locations", part.list("service_locations", 1...20)) {
            let service = try place.need("service", place.reference("service", [.entertainment]))
            guard let lamp = home.lamps.first(where: { $0.ids.entertainment == service.rid }),
                EntertainmentArea.canRender(lamp)
            else { throw V2Failure("entertainment \(service.rid) cannot render") }
            guard !placements.contains(where: { $0.lamp.id == lamp.id }) else {
                throw V2Failure("entertainment \(service.rid) is there twice")
            }
            // Old clients send one position, new ones a list.
            var positions = try (place.list("positions", 1...20) ?? []).map { fields throws(V2Failure) in
                try fields.position()
            }
            if positions.isEmpty { positions = [try place.inside("position").position()] }
            placements.append(
                EntertainmentArea.Placement(
                    lamp: lamp, positions: positions,
                    equalizationFactor: try place.number("equalization_factor", 0...1) ?? 1))
        }
        guard placements.reduce(0, { $0 + $1.positions.count }) <= Capacity.entertainmentChannels else {
            throw .full("channel")
        }
        return EntertainmentArea.members(of: placements)
    }

    /// The document with the lamp that forwards frames: the one that the body names, or the first.
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
