import HueWire

extension V2API {
    static let putDevice: Operation = { call throws(V2Failure) in
        try call.only(["metadata", "identify", "usertest"])
        let metadata = try call.fields.object("metadata")
        let name = try metadata?.text("name")
        let archetype = try metadata?.word("archetype", Archetypes.devices)
        if let identify = try call.fields.object("identify") {
            _ = try identify.need("action", identify.word("action", ["identify"]))
        }
        let part = try call.fields.object("usertest")
        let test = try part.map { part throws(V2Failure) in try part.need("usertest", part.bool("usertest")) }
        if let lamp = call.home.lamp(device: call.id) {
            var changes: [Lamp.Change] = []
            if let name { changes.append(.renaming(.it(to: name))) }
            if let archetype { changes.append(.setting(.archetype(to: archetype))) }
            return call.done(
                changes.isEmpty ? [] : [.updating(.lamp(lamp.id, by: changes))],
                errors: test == nil ? [] : [call.unsupported(".usertest.usertest")])
        }
        if let accessory = call.home.accessory(call.id) {
            return call.put(name, archetype, test, of: accessory)
        }
        guard call.id == call.home.bridgeDevice else { throw .notFound }
        return call.done(
            name.map { [.renaming(.bridge(to: $0))] } ?? [],
            errors: test == nil ? [] : [call.unsupported(".usertest.usertest")])
    }

    static let deleteDevice: Operation = { call throws(V2Failure) in
        if let lamp = call.home.lamp(device: call.id) { return call.done([.removing(.lamp(lamp.id))]) }
        guard call.home.accessory(call.id) != nil else {
            throw call.id == call.home.bridgeDevice ? .conflict("The bridge itself cannot be removed") : .notFound
        }
        return call.done([.removing(.accessory(call.id))])
    }
}

extension V2API.Call {
    func unsupported(_ attribute: String) -> HueError { .unsupported(attribute, by: id) }

    /// `usertest` makes a motion sensor report faster for two minutes.
    fileprivate func put(_ name: String?, _ archetype: String?, _ test: Bool?, of accessory: Accessory) -> Decision {
        var changes: [Accessory.Change] = []
        var errors: [HueError] = []
        if let name { changes.append(.renaming(.it(to: name))) }
        // The archetype of an accessory is fixed.
        if let archetype, archetype != accessory.kind.product.archetype {
            errors.append(unsupported(".metadata.archetype"))
        }
        if let test {
            if accessory.kind == .motion {
                changes.append(.testing(.it(test)))
            } else {
                errors.append(unsupported(".usertest.usertest"))
            }
        }
        var decision = done(changes.isEmpty ? [] : [.updating(.accessory(id, by: changes))], errors: errors)
        if test == true, accessory.kind == .motion {
            decision.timedTasks = [.endTest(of: id, startedAt: context.now)]
        }
        return decision
    }
}

extension V2API {
    /// Switches a sensor on or off, and sets the sensitivity of a motion sensor.
    static let putSensor: Operation = { call throws(V2Failure) in
        guard let accessory = call.home.accessory(service: call.id, call.type) else { throw .notFound }
        try call.only(call.type == .motion ? ["enabled", "sensitivity"] : ["enabled"])
        var changes: [Accessory.Change] = []
        if let isEnabled = try call.fields.bool("enabled") { changes.append(.enabling(.service(call.type, isEnabled))) }
        if let part = try call.fields.object("sensitivity") {
            let value = try part.need(
                "sensitivity", part.integer("sensitivity", 0...Accessory.highestSensitivity))
            changes.append(.setting(.sensitivity(to: value)))
        }
        return call.done(changes.isEmpty ? [] : [.updating(.accessory(accessory.id, by: changes))])
    }
}

extension SimulatedHome {
    /// The accessory that offers a service of that type.
    func accessory(service: ResourceID, _ type: ResourceType) -> Accessory? {
        accessories.first { $0.services.contains { $0.id == service && $0.type == type } }
    }
}
