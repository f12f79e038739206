import ControlProtocol
import Hummingbird
import Lighting

/// `/v1/tokens`: makes, lists and revokes access tokens.
extension ControlAPI {
    func listTokens(_: APIRequest) async throws -> Response { try .json(tokens.list) }

    func createToken(_ request: APIRequest) async throws -> Response {
        let fields = try BodyFields(
            try await body(of: request), ["name", "access", "ends"],
            form: "{\"name\": TEXT}, and may have \(BodyFields.roleAndEnd)")
        guard let name = try fields.text("name") else { throw fields.wrong }
        let wanted = TokenRequest(name: name, access: try fields.access, ends: try fields.text("ends"))
        var made = try await audit.recording(.tokenCreated, name, by: request.admission.sender) {
            try await tokens.create(wanted)
        }
        if settings.tcp == nil {
            made.warning = "TCP is off, and tokens are for TCP: set 'tcp.enabled' in lightd.yaml and reload lightd"
        }
        return try .json(made, status: .created)
    }

    func revokeToken(_ request: APIRequest) async throws -> Response {
        guard let name = request.query[.name] else {
            throw ErrorReply(.invalid, "the query field 'name' is missing: it says which token to revoke")
        }
        return try .json(
            try await audit.recording(.tokenRevoked, name, by: request.admission.sender) {
                try await tokens.revoke(name)
            })
    }
}

/// `/v1/access-log`: who was let in, and who was not.
extension ControlAPI {
    func accessLog(_ request: APIRequest) async throws -> Response {
        try .json(
            try await audit.list(
                AccessLog.Filter(
                    since: try request.time(.since), until: try request.time(.until), limit: try request.limit)))
    }
}

extension Command {
    /// What the access log says of it, and of which bridge; `nil` if it concerns nobody's access.
    var accessEvent: (kind: AccessEvent.Kind, subject: String?)? {
        switch self {
        case let .pair(bridge, _): (.pairing, bridge)
        case let .forget(bridge): (.forgetting, bridge)
        case let .prune(days): (.pruning, "entries older than \(days) days")
        default: nil
        }
    }
}
