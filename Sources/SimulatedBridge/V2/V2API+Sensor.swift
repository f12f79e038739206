import HueWire

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
