import FoundationEssentials
import HueWire

/// A request of somebody with a key, on its way through the resources.
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
            case "scenes": return try scenes(rest)
            case "config": return try config(rest)
            case "capabilities": return try capabilities(rest)
            case "sensors": return try sensors(rest)
            case "schedules", "rules", "resourcelinks": return try v1Objects(request.path[2], rest)
            default: throw V1Failure(.absent(address))
            }
        }
    }

    var absent: V1Failure { V1Failure(.absent(address)) }
    var notAllowed: V1Failure { V1Failure(.method(request.method, address)) }

    /// What the client sent. An object without members asks for nothing.
    func body() throws(V1Failure) -> V1Body {
        let body = try V1Body(request.body, at: address)
        if body.members.isEmpty { throw V1Failure(.missing(address)) }
        return body
    }

    private var everything: JSONValue {
        [
            "lights": lightList, "groups": groupList, "config": fullConfig, "schedules": v1ObjectList("schedules"),
            "scenes": sceneList, "rules": v1ObjectList("rules"), "sensors": sensorList,
            "resourcelinks": v1ObjectList("resourcelinks"),
        ]
    }

    /// When the last search was: "active", "none", or when it ended.
    var lastScan: JSONValue {
        guard let end = context.searchUntil else { return ["lastscan": "none"] }
        guard context.now >= end else { return ["lastscan": "active"] }
        let ago = (context.now - end) / .seconds(1)
        return ["lastscan": .string(context.date.addingTimeInterval(-ago).stampV1)]
    }

    /// The lamps that the last search has found, and when it was.
    var newLights: JSONValue {
        let found = context.found.compactMap { home.lamp($0) }
        return lastScan.merging(
            Dictionary(found.map { ("\($0.number)", ["name": .string($0.name)] as JSONValue) }) { first, _ in first })
    }
}

extension Date {
    /// As API v1 writes a moment: UTC, whole seconds, no zone.
    var stampV1: String { String(formatted(.iso8601).dropLast()) }
}
