import ControlProtocol
import Hummingbird
import Lighting

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
