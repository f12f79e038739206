import HueWire

/// API v1: every response is HTTP 200, errors are in the body. It shows and changes the same home as API v2.
enum V1API {
    struct Request: Sendable {
        let method: String
        /// "api", the key, and the rest; without a slash at the end.
        let path: [String]
        var body: [UInt8] = []
        /// The bridge's address as the client wrote it, without a port.
        var host = "127.0.0.1"
        /// The `ETag` that the client has already (deCONZ only).
        var ifNoneMatch: String?

        /// The address in errors: without "/api" and the key.
        var address: String { "/" + path.dropFirst(2).joined(separator: "/") }
    }

    /// What a request costs: only a lamp's state and a group's action use the radio.
    static func cost(of request: Request) -> Cost {
        guard request.method == "PUT" else { return .nothing }
        if request.path.count == 7, request.path[2] == "groups", request.path[6] == "recall" { return .group }
        guard request.path.count == 5 else { return .nothing }
        return switch (request.path[2], request.path[4]) {
        case ("lights", "state"): .light
        case ("groups", "action"): .group
        default: .nothing
        }
    }

    static func decide(_ request: Request, in context: DecisionContext) -> Decision {
        V1Dialect(context.home.bridge.model).decision(outcome(of: request, in: context), for: request)
    }

    private static func outcome(of request: Request, in context: DecisionContext) -> V1Outcome {
        let path = request.path
        // Any key gets the public part, even an unknown one.
        let asksConfig = path.last == "config" && (path.count == 2 || path.count == 3)
        guard path.count >= 2, context.keys[path[1]] != nil else {
            if request.method == "GET", asksConfig { return .document(.object(context.home.bridge.publicConfig)) }
            return .refused(path.count == 1 ? .method(request.method, "/") : .unknownKey(request.address))
        }
        do throws(V1Failure) {
            return try V1Call(request: request, context: context, key: path[1]).outcome
        } catch {
            return .refused(error.error)
        }
    }
}
