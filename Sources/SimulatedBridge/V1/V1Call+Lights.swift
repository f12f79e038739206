import HueWire

/// `/lights`.
extension V1Call {
    var lightList: JSONValue {
        .object(Dictionary(home.lamps.map { ("\($0.number)", $0.documentV1) }) { first, _ in first })
    }

    func lights(_ path: [String]) throws(V1Failure) -> V1Outcome {
        switch (request.method, path.first, path.dropFirst().first, path.count) {
        case ("GET", nil, _, _): return .document(lightList)
        case ("POST", nil, _, _): return try search("/lights")
        case ("GET", "new", _, 1): return .document(newLights)
        case (_, nil, _, _), (_, "new", _, 1): throw notAllowed
        case let (method, number?, part, count):
            guard count <= 2, let lamp = lamp(number) else { throw absent }
            switch (method, part) {
            case ("GET", nil): return .document(lamp.documentV1)
            case ("PUT", nil): return try attributes(of: lamp)
            case ("DELETE", nil): return .done([.deleted(address)], [.removing(.lamp(lamp.id))])
            case ("PUT", "state"): return try state(of: lamp)
            case ("PUT", "config"): return try config(of: lamp)
            case (_, nil), (_, "state"), (_, "config"): throw notAllowed
            default: throw absent
            }
        }
    }

    /// The lamp of that number; "01" is not a number.
    func lamp(_ number: String) -> Lamp? {
        Int(number).flatMap { "\($0)" == number ? home.lamp(number: $0) : nil }
    }

    /// Starts a search for new devices. The body may name serial numbers.
    func search(_ address: String) throws(V1Failure) -> V1Outcome {
        if !request.body.isEmpty {
            let body = try V1Body(request.body, at: address)
            for (name, value) in body.members {
                let reader = V1BodyReader(address)
                guard name == "deviceid" else { throw reader.unknown(name) }
                guard let serials = value.array, serials.allSatisfy({ $0.string?.count == 6 }), serials.count <= 10
                else { throw reader.invalid(value, name) }
            }
        }
        var outcome = V1Outcome.done([.success(address, "Searching for new devices")])
        outcome.searches = true
        return outcome
    }

    private func attributes(of lamp: Lamp) throws(V1Failure) -> V1Outcome {
        let reader = V1BodyReader(address)
        var changes: [Lamp.Change] = []
        let items = reader.items(of: try body()) { name, value throws(V1Failure) in
            guard name == "name" else {
                throw lamp.documentV1[name] == nil ? reader.unknown(name) : reader.fixed(name)
            }
            changes.append(.renaming(.it(to: try reader.text(value, name))))
            return value
        }
        return .done(items, changes.isEmpty ? [] : [.updating(.lamp(lamp.id, by: changes))])
    }

    private func config(of lamp: Lamp) throws(V1Failure) -> V1Outcome {
        let reader = V1BodyReader(address)
        var changes: [Lamp.Change] = []
        let items = reader.items(of: try body()) { name, value throws(V1Failure) in
            switch name {
            case "startup":
                guard let powerup = Powerup(startup: value, for: lamp.kind) else {
                    throw reader.invalid(value["mode"] ?? value, name)
                }
                changes.append(.setting(.powerup(to: powerup)))
                return value
            case "archetype", "function", "direction": throw reader.fixed(name)
            default: throw reader.unknown(name)
            }
        }
        return .done(items, changes.isEmpty ? [] : [.updating(.lamp(lamp.id, by: changes))])
    }

    private func state(of lamp: Lamp) throws(V1Failure) -> V1Outcome {
        let body = try body()
        let capabilities = V1StateUpdate.Capabilities(lamp.kind)
        let isDark = !lamp.isOn && body["on"] != .bool(true)
        let range = lamp.kind.whites?.range ?? 153...500
        let update = V1StateUpdate(
            body, at: address, whites: min(range.lowerBound, 153)...max(range.upperBound, 500)
        ) { name in
            guard capabilities.has(name) else { return .unknown(name, address) }
            return isDark && name != "on" && name != "transitiontime" ? .off(name, address) : nil
        }
        let shown = context.mesh.lightState(of: lamp.id, at: context.now)
        var changes = update.changes(of: lamp.lightState, capabilities, shown: shown).ofLamp
        if let alert = update.alert { changes.append(.setting(.alert(to: alert))) }
        guard !changes.isEmpty else { return .done(update.items) }
        // An alert alone does not end a fade that is running.
        let isSent = update.changesLightState || shown == lamp.lightState
        return .done(
            update.items, [.updating(.lamp(lamp.id, by: changes))],
            isSent ? [.unicast(lamp.id, over: update.changesLightState ? update.duration : .zero)] : [])
    }
}
