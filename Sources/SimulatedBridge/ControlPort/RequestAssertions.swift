import HueWire

/// Checks counts of the request log: `GET /assertions?most_in_flight=3&most_lights_per_second=10`.
struct RequestAssertions: Sendable {
    /// The name of each check and the count that it limits.
    private static let limits: [(name: String, value: @Sendable (RequestLog.Tally) -> Int)] = [
        ("most_requests", { $0.all.total }),
        ("most_requests_per_second", { $0.all.highest }),
        ("most_in_flight", { $0.inFlight }),
        ("most_light_commands", { $0.lights.total }),
        ("most_lights_per_second", { $0.lights.highest }),
        ("most_group_commands", { $0.groups.total }),
        ("most_groups_per_second", { $0.groups.highest }),
        ("most_commands_per_target", { $0.commands.values.max() ?? 0 }),
        ("most_refused", { $0.refused }),
        ("most_unauthorized", { $0.unauthorized }),
        ("most_streams", { $0.streams }),
    ]

    private let checks: [(name: String, most: Int)]

    /// - Parameter query: "name=number&…"
    init(_ query: String?) throws(ControlError) {
        var checks: [(String, Int)] = []
        for part in (query ?? "").split(separator: "&") {
            let sides = part.split(separator: "=", maxSplits: 1).map(String.init)
            guard sides.count == 2, let most = Int(sides[1]), most >= 0,
                Self.limits.contains(where: { $0.name == sides[0] })
            else {
                let known = Self.limits.map(\.name).joined(separator: ", ")
                throw ControlError(400, "unknown check '\(part)'; known checks: \(known), each with =NUMBER, 0 or more")
            }
            checks.append((sides[0], most))
        }
        self.checks = checks
    }

    /// The counts, and the checks that fail.
    func response(_ tally: RequestLog.Tally) -> BridgeResponse {
        let failed: [JSONValue] = checks.compactMap { name, most in
            guard let value = Self.limits.first(where: { $0.name == name })?.value(tally), value > most else {
                return nil
            }
            return ["name": .string(name), "expected_at_most": .int(most), "was": .int(value)]
        }
        return .json(
            // An error status, so that `curl --fail` works as an assertion.
            failed.isEmpty ? 200 : 417,
            ["holds": .bool(failed.isEmpty), "failed": .array(failed), "record": tally.document] as JSONValue)
    }
}

extension RequestLog.Tally {
    fileprivate var document: JSONValue {
        [
            "requests": .int(all.total), "requests_per_second": .int(all.highest), "in_flight": .int(inFlight),
            "light_commands": .int(lights.total), "lights_per_second": .int(lights.highest),
            "group_commands": .int(groups.total), "groups_per_second": .int(groups.highest),
            "refused": .int(refused), "unauthorized": .int(unauthorized), "streams": .int(streams),
            "commands": .object(commands.mapValues { .int($0) }),
            "statuses": .object(Dictionary(uniqueKeysWithValues: statuses.map { ("\($0.key)", .int($0.value)) })),
            "keys": .object(keys.mapValues { .int($0) }),
        ]
    }
}
