import FoundationEssentials
import HueWire

/// Makes of a command what faults have lamps make of it. Pure functions.
enum CommandFaultInjector {
    /// What a decision changes and sends.
    struct CommandEffects: Equatable {
        var changes: [SimulatedHome.Change]
        var radio: [RadioMessage]
    }

    static func bend(_ orders: CommandEffects, by fault: Fault) -> CommandEffects {
        switch fault.kind {
        case .offTransitionLevel: dimmedOut(orders)
        case .popcorn: CommandEffects(changes: orders.changes, radio: orders.radio.flatMap(oneByOne))
        default: orders
        }
    }

    /// Whoever goes out by a transition keeps the lowest level, at which the transition ended.
    private static func dimmedOut(_ orders: CommandEffects) -> CommandEffects {
        let fades = orders.radio.contains { $0.duration > .milliseconds(400) }
        guard fades else { return orders }
        let changes = orders.changes.map { change in
            guard case let .updating(.lamp(id, by: changes)) = change, changes.contains(.turning(.it(on: false))) else {
                return change
            }
            return .updating(.lamp(id, by: changes + [.setting(.level(to: 1))]))
        }
        return CommandEffects(changes: changes, radio: orders.radio)
    }

    private static func oneByOne(_ message: RadioMessage) -> [RadioMessage] {
        guard case let .broadcast(lamps, over: duration) = message else { return [message] }
        return lamps.map { .unicast($0, over: duration) }
    }

    // MARK: - Error 201 of API v1

    /// Whether a request switches a lamp on by API v1 and says more in the same body.
    static func isOnAndMore(_ request: BridgeRequest) -> Bool {
        let path = request.resourcePath
        guard request.method == "PUT", path.count == 5, path[0] == "api", path[2] == "lights", path[4] == "state"
        else { return false }
        // What is no JSON is refused elsewhere.
        guard let body = try? JSONDecoder().decode(JSONValue.self, from: Data(request.body)) else { return false }
        return body["on"] == true && body.object?.keys.contains { $0 != "on" && $0 != "transitiontime" } == true
    }

    /// Nothing is left but switching on and off.
    static func onlySwitched(_ changes: [SimulatedHome.Change]) -> [SimulatedHome.Change] {
        changes.map { change in
            guard case let .updating(.lamp(id, by: changes)) = change else { return change }
            return .updating(.lamp(id, by: changes.filter { if case .turning = $0 { true } else { false } }))
        }
    }

    /// Every success but that of `on` becomes error 201.
    static func refusingAllButOn(_ response: BridgeResponse) -> BridgeResponse {
        guard let rows = try? JSONDecoder().decode([JSONValue].self, from: Data(response.body)) else { return response }
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
        let path = request.resourcePath
        return request.method == "PUT" && path.count == 5 && path[0] == "clip"
            && ["light", "grouped_light", "scene"].contains(path[3])
    }

    /// The answer, with a doubt whether the lamp was reached for everything that was asked of it.
    static func doubting(_ response: BridgeResponse, to request: BridgeRequest) -> BridgeResponse {
        guard response.status == 200,
            let data = (try? JSONDecoder().decode(JSONValue.self, from: Data(response.body)))?["data"]?.array,
            let body = try? JSONDecoder().decode(JSONValue.self, from: Data(request.body))
        else { return response }
        let attributes = [
            ("on", ".on.on"), ("dimming", ".dimming.brightness"), ("color", ".color.xy"),
            ("color_temperature", ".color_temperature.mirek"), ("recall", ".recall"),
        ].filter { body[$0.0] != nil }.map(\.1)
        let errors = (attributes.isEmpty ? ["."] : attributes).map { attribute in
            HueError(
                "device (\(request.path[3])) \(request.path[4]) has communication issues, command (\(attribute)) may not have effect",
                code: "communication_error")
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
