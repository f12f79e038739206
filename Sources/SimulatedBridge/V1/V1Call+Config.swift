import FoundationEssentials
import HueWire

/// `/config` and the list of keys in it.
extension V1Call {
    var fullConfig: JSONValue {
        var config = home.bridge.publicConfig
        config.merge(home.bridge.privateConfig(at: context.date, host: request.host)) { $1 }
        config["whitelist"] = .object(
            context.keys.mapValues { key in
                [
                    "name": .string(key.name), "create date": .string(key.created.stampV1),
                    "last use date": .string((key.lastUse ?? key.created).stampV1),
                ]
            })
        return .object(config)
    }

    func config(_ path: [String]) throws(V1Failure) -> V1Outcome {
        switch (request.method, path.first, path.count) {
        case ("GET", nil, 0): return .document(fullConfig)
        case ("PUT", nil, 0): return try changeConfig()
        case ("DELETE", "whitelist", 2):
            guard context.keys[path[1]] != nil else { throw absent }
            var outcome = V1Outcome.done([.deleted(address)])
            outcome.revoked = [path[1]]
            return outcome
        case (_, nil, 0), (_, "whitelist", 1...2): throw notAllowed
        default: throw absent
        }
    }

    private func changeConfig() throws(V1Failure) -> V1Outcome {
        let reader = V1BodyReader(address)
        var changes: [SimulatedHome.Change] = []
        var extras: [String: JSONValue] = [:]
        let items = reader.items(of: try body()) { name, value throws(V1Failure) in
            switch name {
            case "name": changes.append(.renaming(.bridge(to: try reader.text(value, name))))
            case "timezone":
                guard let zone = value.string, TimeZones.all.contains(zone) else { throw reader.invalid(value, name) }
                changes.append(.setting(.timeZone(to: zone)))
            case "dhcp", "touchlink", "analyticsconsent": extras[name] = .bool(try reader.bool(value, name))
            case "ipaddress", "netmask", "gateway":
                let address = try reader.text(value, name, 7...15)
                let numbers = address.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
                guard numbers.count == 4, !numbers.contains(nil) else { throw reader.invalid(value, name) }
                extras[name] = value
            case "proxyaddress": extras[name] = .string(try reader.text(value, name, 0...40))
            case "proxyport": extras[name] = .int(try reader.int(value, name, 0...65535))
            case "zigbeechannel":
                guard [11, 15, 20, 25].contains(value.int) else { throw reader.invalid(value, name) }
                extras[name] = value
            default:
                // The button is on the bridge, not in the network (Foddy/node-red-contrib-huemagic#111).
                throw fullConfig[name] == nil ? reader.unknown(name) : reader.fixed(name)
            }
            return value
        }
        if !extras.isEmpty { changes.append(.setting(.extras(to: home.bridge.extras.merging(extras)))) }
        return .done(items, changes)
    }
}
