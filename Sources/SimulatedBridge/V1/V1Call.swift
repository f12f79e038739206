import FoundationEssentials
import HueWire

/// A request of API v1 with a known key.
struct V1Call: Sendable {
    let request: V1API.Request
    let context: DecisionContext
    let key: String

    var home: SimulatedHome { context.home }
    var address: String { request.address }

    var outcome: V1Outcome {
        get throws(V1Failure) {
            let rest = Array(request.path.dropFirst(3))
            switch request.path.count > 2 ? request.path[2] : "" {
            case "":
                guard request.method == "GET" else { throw notAllowed }
                return .document(everything)
            case "lights": return try lights(rest)
            case "groups": return try groups(rest)
            case "scenes" where !hasScenesInGroups: return try scenes(rest)
            case "config": return try config(rest)
            case "capabilities": return try capabilities(rest)
            case "sensors": return try sensors(rest)
            case "schedules": return try storedObjects(V1Schedule.self, rest)
            case "rules": return try storedObjects(V1Rule.self, rest)
            case "resourcelinks": return try storedObjects(V1ResourceLink.self, rest)
            default: throw V1Failure(.absent(address))
            }
        }
    }

    /// deCONZ keeps scenes in their groups.
    var hasScenesInGroups: Bool { home.bridge.model == .deconz }

    var absent: V1Failure { V1Failure(.absent(address)) }
    var notAllowed: V1Failure { V1Failure(.method(request.method, address)) }

    /// The body of the request, which must not be empty.
    func body() throws(V1Failure) -> V1Body {
        let body = try V1Body(request.body, at: address)
        if body.members.isEmpty { throw V1Failure(.missing(address)) }
        return body
    }

    private var everything: JSONValue {
        let members: JSONValue = [
            "lights": lightList, "groups": groupList, "config": fullConfig, "schedules": list(of: V1Schedule.self),
            "rules": list(of: V1Rule.self), "sensors": sensorList, "resourcelinks": list(of: V1ResourceLink.self),
        ]
        return hasScenesInGroups ? members : members.merging(["scenes": sceneList])
    }

    /// The last search: "active", "none", or its end.
    var lastScan: JSONValue {
        guard let end = context.searchUntil else { return ["lastscan": "none"] }
        guard context.now >= end else { return ["lastscan": "active"] }
        let ago = (context.now - end) / .seconds(1)
        return ["lastscan": .string(context.date.addingTimeInterval(-ago).stampV1)]
    }

    /// The lamps that the last search has found, and its time.
    var newLights: JSONValue {
        let found = context.foundLamps.compactMap { home.lamp($0) }
        return lastScan.merging(
            Dictionary(found.map { ("\($0.number)", ["name": .string($0.name)] as JSONValue) }) { first, _ in first })
    }
}

extension Date {
    /// The time as API v1 writes it: UTC, whole seconds, no zone.
    var stampV1: String { String(formatted(.iso8601).dropLast()) }
}
