import HueWire

/// Resources that every home has once.
extension V2API {
    /// Sets the bridge's location, which it never shows again.
    static let putGeolocation: Operation = { call throws(V2Failure) in
        guard call.id == call.home.geolocation else { throw .notFound }
        try call.only(["latitude", "longitude"])
        _ = try call.fields.need("latitude", call.fields.number("latitude", -90...90))
        _ = try call.fields.need("longitude", call.fields.number("longitude", -180...180))
        return call.done([.setting(.located(true))])
    }

    /// Begins a search for new lamps.
    static let putDiscovery: Operation = { call throws(V2Failure) in
        guard call.id == call.home.discovery else { throw .notFound }
        try call.only(["action", "add_install_codes"])
        var decision = call.done([])
        if let action = try call.fields.object("action") {
            _ = try action.need(
                "action_type", action.word("action_type", ["search", "search_allow_default_link_key"]))
            if let codes = try action.value("search_codes") {
                guard let codes = codes.array, codes.count <= 10, codes.allSatisfy({ $0.string != nil }) else {
                    throw V2Failure("action.search_codes is not a list of at most 10 codes")
                }
            }
            decision.searches = true
        }
        return decision
    }

    /// Resets `homekit` or `matter`: nothing is paired with them, so nothing changes.
    static let putFabric: Operation = { call throws(V2Failure) in
        guard call.home.fabric == (call.type, call.id) else { throw .notFound }
        try call.only(["action"])
        _ = try call.fields.word("action", ["", "reset", "\(call.type)_reset"])
        return call.done([])
    }
}
