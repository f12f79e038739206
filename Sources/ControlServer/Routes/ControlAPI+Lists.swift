import ControlProtocol
import ControlSurface
import Hummingbird
import Lighting

/// Reads of the state as it is now.
extension ControlAPI {
    func lights(_ request: APIRequest) async throws -> Response {
        let home = await surface.directory
        guard let name = request.query[.target] else { return try .json(home.lightBodies) }
        return try .json(home.bodies(of: home.lights(of: try home.target(named: name))))
    }

    func rooms(_: APIRequest) async throws -> Response { try .json(await surface.directory.roomBodies) }
    func scenes(_: APIRequest) async throws -> Response { try .json(await surface.directory.sceneBodies) }
    func bridges(_: APIRequest) async throws -> Response { try .json(await surface.directory.bridgeBodies) }
    func dashboard(_: APIRequest) async throws -> Response { try .json(await surface.directory.pinBodies) }
    func status(_: APIRequest) async throws -> Response { try .json(await surface.status) }

    /// The process answers.
    func live(_: APIRequest) async throws -> Response { try .json(["status": "live"]) }

    /// The domain answers. No bridge is asked: restarting the daemon would not bring back one that is away.
    func ready(_: APIRequest) async throws -> Response {
        _ = await surface.directory
        return try .json(["status": "ready"])
    }

    func openAPI(_: APIRequest) async throws -> Response { .json(text: try OpenAPI.document) }
}
