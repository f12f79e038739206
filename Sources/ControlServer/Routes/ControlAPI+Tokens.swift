import ControlProtocol
import FoundationEssentials
import Hummingbird

/// `/v1/tokens`: makes, lists and revokes access tokens.
extension ControlAPI {
    func listTokens(_: APIRequest) async throws -> Response { try .json(tokens.list) }

    func createToken(_ request: APIRequest) async throws -> Response {
        let body = try await request.body(within: settings.timeouts.body)
        // A misspelt "access" must not make a token that allows everything.
        guard let fields = try? JSONDecoder().decode([String: String].self, from: body),
            let name = fields["name"], fields.keys.allSatisfy(["name", "access"].contains),
            repeatedName(in: body) == nil,
            case let access = fields["access"].map(TokenAccess.init), access != .some(nil)
        else {
            throw ErrorReply(
                .invalid, "the body must be {\"name\": TEXT} or {\"name\": TEXT, \"access\": \"read_only\" or \"full\"}"
            )
        }
        let wanted = TokenRequest(name: name, access: access ?? nil)
        var made = try await tokens.create(wanted)
        if settings.tcp == nil {
            made.warning = "TCP is off, and tokens are for TCP: set 'tcp.enabled' in lightd.yaml and restart lightd"
        }
        return try .json(made, status: .created)
    }

    func revokeToken(_ request: APIRequest) async throws -> Response {
        guard let name = request.query[.name] else {
            throw ErrorReply(.invalid, "the query field 'name' is missing: it says which token to revoke")
        }
        return try .json(try await tokens.revoke(name))
    }
}
