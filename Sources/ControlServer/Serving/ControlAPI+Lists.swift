import ControlProtocol
import Hummingbird
import Khipu
import Lighting

/// What is there, read from the state as it is now.
extension ControlAPI {
    func lights(_ request: APIRequest) async throws -> Response {
        let directory = await directory
        guard let text = request.query[.target] else { return try .json(directory.lightBodies) }
        let target = try directory.seeing(directory.target(text)).found("light or room", text)
        return try .json(directory.bodies(of: directory.lights(of: target)))
    }

    func rooms(_: APIRequest) async throws -> Response { try .json(await directory.roomBodies) }
    func scenes(_: APIRequest) async throws -> Response { try .json(await directory.sceneBodies) }
    func bridges(_: APIRequest) async throws -> Response { try .json(await directory.bridgeBodies) }
    func dashboard(_: APIRequest) async throws -> Response { try .json(await directory.pinBodies) }

    func status(_: APIRequest) async throws -> Response {
        let directory = await directory
        let lights = directory.lights
        let uptime = home.clock.now().milliseconds - home.started.milliseconds
        return try .json(
            StatusBody(
                version: home.version,
                started: home.started.iso8601,
                uptimeSeconds: Double(uptime) / 1000,
                bridges: directory.bridgeBodies,
                lights: lights.count,
                lightsOn: lights.count { $0.power == .on },
                lightsInDoubt: lights.count { $0.freshness.isInDoubt },
                journal: home.journalIsOn
            )
        )
    }

    /// The process answers.
    func live(_: APIRequest) async throws -> Response { try .json(["status": "live"]) }

    /// The domain answers. No bridge is asked: one that is away is no reason to restart the daemon.
    func ready(_: APIRequest) async throws -> Response {
        _ = await directory
        return try .json(["status": "ready"])
    }

    func openAPI(_: APIRequest) async throws -> Response { .text(OpenAPI.document, type: "application/json") }
}
