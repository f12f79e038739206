import HueWire

/// One route of the control port: what it matches, its line in the help text, and its action.
struct ControlRoute: Sendable {
    typealias Action = @Sendable (ControlResponder, Call) async throws(ControlError) -> BridgeResponse

    /// A request that has matched a route.
    struct Call: Sendable {
        /// The parts of the path that stand for `{…}`.
        let arguments: [String]
        let query: String?
        let body: [UInt8]

        /// The body as an object; an empty body is an empty object.
        func object() throws(ControlError) -> JSONValue {
            guard !body.isEmpty else { return [:] }
            guard let value = JSONValue(wire: body), value.object != nil else { throw .malformed }
            return value
        }
    }

    let method: String
    /// "{id}" stands for any part.
    let path: String
    /// The path in the help text, if it has an example instead of the plain path.
    var example: String?
    let about: String
    let action: Action

    /// The parts of a path that stand for `{…}`; `nil` if the path does not match.
    func arguments(in parts: [String]) -> [String]? {
        let pattern = path.split(separator: "/")
        guard pattern.count == parts.count else { return nil }
        var arguments: [String] = []
        for (expected, part) in zip(pattern, parts) {
            if expected.hasPrefix("{") { arguments.append(part) } else if expected != part { return nil }
        }
        return arguments
    }

    var usage: String { "\(method) \(path)" }

    // MARK: - The table

    // One row, one route. The help text of lightsim and the 404 of the control port come from here.
    // swift-format-ignore
    static let all: [Self] = [
        Self(method: "POST"  , path: "/button"              , about: "press the link button") { port, _ in await port.pressButton() },
        Self(method: "POST"  , path: "/lights/{id}/switch"  , example: "/lights/Desk/switch"                      , about: "switch a lamp at the wall") { port, call throws(ControlError) in try await port.switchLamp(call.arguments[0], try call.object()) },
        Self(method: "POST"  , path: "/lights/{id}/mains"   , example: #"/lights/Desk/mains {"on":false}"#        , about: "cut or restore a lamp's mains") { port, call throws(ControlError) in try await port.setMains(call.arguments[0], try call.object()) },
        Self(method: "POST"  , path: "/lights"              , example: #"/lights {"name":"Porch","kind":"color"}"#, about: "add a lamp for the next search") { port, call throws(ControlError) in try await port.addLamp(try call.object()) },
        Self(method: "GET"   , path: "/lights/{id}"         , example: "/lights/Desk"                             , about: "a lamp's real and target state") { port, call throws(ControlError) in try await port.lamp(call.arguments[0]) },
        Self(method: "POST"  , path: "/sensors/{id}/{what}" , example: "/sensors/Hall/motion"                     , about: "make a sensor or switch report") { port, call throws(ControlError) in try await port.sensor(call.arguments[0], call.arguments[1], try call.object()) },
        Self(method: "POST"  , path: "/update"              , example: #"/update {"state":"ready_to_install"}"#  , about: "set its own firmware update") { port, call throws(ControlError) in try await port.setUpdate(try call.object()) },
        Self(method: "POST"  , path: "/reboot"              , example: #"/reboot {"seconds":5}"#                  , about: "reboot the bridge") { port, call throws(ControlError) in try port.reboot(try call.object()) },
        Self(method: "POST"  , path: "/move"                , example: #"/move {"port":8443}"#                    , about: "move to another port or address") { port, call throws(ControlError) in try port.move(try call.object()) },
        Self(method: "POST"  , path: "/certificate"         , about: "renew the certificate") { port, _ in port.renewCertificate() },
        Self(method: "DELETE", path: "/keys"                , about: "revoke all keys") { port, _ in await port.revokeKeys() },
        Self(method: "POST"  , path: "/faults"              , example: #"/faults {"name":"busy","count":3}"#      , about: "begin a fault") { port, call throws(ControlError) in try await port.beginFault(try call.object()) },
        Self(method: "GET"   , path: "/faults"              , about: "list active faults; all: ?known") { port, call in await port.faults(call.query) },
        Self(method: "DELETE", path: "/faults"              , about: "end all faults") { port, _ in await port.endFaults() },
        Self(method: "DELETE", path: "/faults/{name}"       , example: "/faults/busy"                             , about: "end one fault") { port, call throws(ControlError) in try await port.endFault(call.arguments[0]) },
        Self(method: "GET"   , path: "/requests"            , about: "list requests and responses") { port, _ in await port.requests() },
        Self(method: "DELETE", path: "/requests"            , about: "clear the list of requests") { port, _ in await port.forgetRequests() },
        Self(method: "GET"   , path: "/assertions"          , example: "/assertions?most_in_flight=3"             , about: "status 417 if there were more") { port, call throws(ControlError) in try await port.assertions(call.query) },
        Self(method: "GET"   , path: "/home"                , about: "every resource of API v2") { port, _ in await port.home() },
    ]
}

/// The control port, described for people.
public enum ControlPort {
    /// One line for each route, indented, in two columns and at most 80 characters.
    public static var help: String {
        let lines = ControlRoute.all.map { (request: "\($0.method) \($0.example ?? $0.path)", about: $0.about) }
        let width = lines.map(\.request.count).max() ?? 0
        return lines.map { line in
            "  \(line.request)\(String(repeating: " ", count: width + 2 - line.request.count))\(line.about)"
        }.joined(separator: "\n")
    }
}
