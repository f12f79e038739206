import HueWire

/// Applies faults to commands: to what reaches the lamps, and to the responses. Pure functions.
enum CommandFaultInjector {
    static func apply(_ fault: Fault, to update: HomeUpdate) -> HomeUpdate {
        switch fault.kind {
        case .offTransitionLevel: dimmedOut(update)
        case .popcorn: HomeUpdate(changes: update.changes, radio: update.radio.flatMap(oneByOne))
        default: update
        }
    }

    /// A lamp that fades out keeps the lowest level, at which the fade ended.
    private static func dimmedOut(_ update: HomeUpdate) -> HomeUpdate {
        guard update.radio.contains(where: { $0.duration > .milliseconds(400) }) else { return update }
        let changes = update.changes.map { change in
            guard case let .updating(.lamp(id, by: changes)) = change, changes.contains(.turning(.it(on: false))) else {
                return change
            }
            return .updating(.lamp(id, by: changes + [.setting(.level(to: 1))]))
        }
        return HomeUpdate(changes: changes, radio: update.radio)
    }

    private static func oneByOne(_ message: RadioMessage) -> [RadioMessage] {
        guard case let .broadcast(lamps, over: duration) = message else { return [message] }
        return lamps.map { .unicast($0, over: duration) }
    }

    // MARK: - Error 201 of API v1

    /// Whether a request of API v1 switches a lamp on and sets something else in the same body.
    static func isOnAndMore(_ request: BridgeRequest) -> Bool {
        let path = request.trimmedPath
        guard request.method == "PUT", path.count == 5, path[0] == "api", path[2] == "lights", path[4] == "state"
        else { return false }
        guard let body = JSONValue(wire: request.body) else { return false }
        return body["on"] == true && body.object?.keys.contains { $0 != "on" && $0 != "transitiontime" } == true
    }

    /// Drops everything but switching on and off.
    static func onlySwitching(_ changes: [SimulatedHome.Change]) -> [SimulatedHome.Change] {
        changes.map { change in
            guard case let .updating(.lamp(id, by: changes)) = change else { return change }
            return .updating(.lamp(id, by: changes.filter { if case .turning = $0 { true } else { false } }))
        }
    }

    /// Turns every success but that of `on` into error 201.
    static func refusingAllButOn(_ response: BridgeResponse) -> BridgeResponse {
        guard let rows = JSONValue(wire: response.body)?.array else { return response }
        return .json(
            rows.map { row -> JSONValue in
                guard let address = row["success"]?.object?.keys.first, let name = address.split(separator: "/").last,
                    name != "on", name != "transitiontime"
                else { return row }
                return [
                    "error": [
                        "type": 201, "address": .string(address),
                        "description": .string("parameter, \(name), is not modifiable. Device is set to off."),
                    ]
                ]
            })
    }

    // MARK: - Communication errors of API v2

    static func isCommand(_ request: BridgeRequest) -> Bool {
        let path = request.trimmedPath
        return request.method == "PUT" && path.count == 5 && path[0] == "clip"
            && ["light", "grouped_light", "scene"].contains(path[3])
    }

    static func withoutCommunicationErrors(_ errors: [JSONValue]) -> [JSONValue] {
        errors.filter { $0["error_code"] != "communication_error" }
    }

    /// The response with a communication error for every attribute of the command.
    static func withCommunicationErrors(_ response: BridgeResponse, to request: BridgeRequest) -> BridgeResponse {
        guard response.status == 200,
            let data = JSONValue(wire: response.body)?["data"]?.array, let body = JSONValue(wire: request.body)
        else { return response }
        let attributes = [
            ("on", ".on.on"), ("dimming", ".dimming.brightness"), ("color", ".color.xy"),
            ("color_temperature", ".color_temperature.mirek"), ("recall", ".recall"),
        ].filter { body[$0.0] != nil }.map(\.1)
        let errors = (attributes.isEmpty ? ["."] : attributes).map { attribute in
            HueError.communication(with: request.path[3], request.path[4], attribute)
        }
        return .envelope(207, data: data, errors: errors)
    }
}

extension RadioMessage {
    fileprivate var duration: Duration {
        switch self {
        case let .unicast(_, over: duration), let .broadcast(_, over: duration): duration
        }
    }
}
