import HueWire

/// API v1: every answer is HTTP 200, errors are in the body. What it tells and changes is the same home that API v2 shows.
enum FirstAPI {
    struct Request: Sendable {
        let method: String
        /// "api", the key, and the rest; without a slash at the end.
        let path: [String]
        let body: [UInt8]

        /// As errors name it: without "/api" and the key.
        var address: String { "/" + path.dropFirst(2).joined(separator: "/") }
    }

    static func cost(of request: Request) -> Cost { .nothing }

    static func decide(_ request: Request, in situation: Situation) -> Decision {
        let path = request.path
        switch (request.method, path.count) {
        case ("GET", 1): return refused(4, "/", "method, GET, not available for resource, /")
        case ("GET", 2) where path[1] == "config": return Decision(.json(publicConfig(situation.home)))
        // Any word in the key's place gets the public part: a good answer does not prove a key.
        case ("GET", 3) where path[2] == "config": return Decision(.json(publicConfig(situation.home)))
        default: break
        }
        let address = request.address
        guard path.count >= 2, situation.keys[path[1]] != nil else {
            return refused(V1Error.unauthorized, address, "unauthorized user")
        }
        if request.method == "DELETE", path.count == 5, path[2] == "config", path[3] == "whitelist",
            situation.keys[path[4]] != nil
        {
            var decision = Decision(.json([["success": "\(address) deleted."]]))
            decision.revoked = [path[4]]
            return decision
        }
        return refused(3, address, "resource, \(address), not available")
    }

    private static func refused(_ number: Int, _ address: String, _ words: String) -> Decision {
        Decision(.v1(V1Error(number, address: address, words)))
    }

    static func publicConfig(_ home: SimulatedHome) -> PublicConfig {
        PublicConfig(
            name: home.bridge.name, bridgeid: home.bridge.id.uppercased(), modelid: home.bridge.model.rawValue,
            swversion: home.bridge.model.softwareVersion, apiversion: home.bridge.model.apiVersion,
            mac: BridgeID.mac(of: home.bridge.id))
    }
}
