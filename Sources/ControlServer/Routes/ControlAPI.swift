import ControlProtocol
import ControlSurface
import HTTPTypes
import Hummingbird
import Logging

/// Handles every request of the control API, on the unix socket and on TCP: reads the state, submits commands, streams
/// changes.
final class ControlAPI: Sendable {
    let surface: ControlSurface
    let settings: ControlServerSettings
    let logger: Logger
    let commands: ConcurrencyLimit
    let streams: ConcurrencyLimit
    /// Fulfilled when no new requests are taken and streams end.
    let stopping = Promise<Void>()
    /// Fulfilled when requests that still wait for an outcome are answered without it.
    let abandoning = Promise<Void>()

    init(_ surface: ControlSurface, _ settings: ControlServerSettings, _ logger: Logger) {
        self.surface = surface
        self.settings = settings
        self.logger = logger
        commands = ConcurrencyLimit(settings.maximumInFlight)
        streams = ConcurrencyLimit(settings.maximumStreams)
    }

    /// One path of the API, with the method and the query fields that it takes.
    struct Route: Sendable {
        let path: String
        var method = HTTPRequest.Method.get
        var query: Set<Routes.Query> = []
        var needsToken = true
        let respond: @Sendable (ControlAPI) -> (APIRequest) async throws -> Response
    }

    static let routes = [
        Route(path: Routes.lights, query: [.target], respond: ControlAPI.lights),
        Route(path: Routes.rooms, respond: ControlAPI.rooms),
        Route(path: Routes.scenes, respond: ControlAPI.scenes),
        Route(path: Routes.bridges, respond: ControlAPI.bridges),
        Route(path: Routes.dashboard, respond: ControlAPI.dashboard),
        Route(
            path: Routes.log, query: [.target, .by, .cause, .since, .until, .after, .feature, .limit],
            respond: ControlAPI.log),
        Route(path: Routes.status, respond: ControlAPI.status),
        Route(path: Routes.messages, method: .post, respond: ControlAPI.message),
        Route(path: Routes.events, respond: ControlAPI.events),
        Route(path: Routes.live, needsToken: false, respond: ControlAPI.live),
        Route(path: Routes.ready, needsToken: false, respond: ControlAPI.ready),
        Route(path: Routes.openAPI, respond: ControlAPI.openAPI),
    ]

    static func routes(at path: String) -> [Route] { routes.filter { $0.path == path } }

    /// The API for one listener, whose policy says who may ask.
    func router(_ access: AccessPolicy) -> Router<BasicRequestContext> {
        let router = Router()
        router.addMiddleware {
            ErrorMiddleware(policy: access, logger: logger)
            StoppingMiddleware(stopping: stopping)
            AccessMiddleware(policy: access)
        }
        for route in Self.routes {
            router.on(RouterPath(stringLiteral: route.path), method: route.method) { [self] request, _ in
                // The router ignores a final slash; the API does not.
                guard request.uri.path == route.path else { throw HTTPError(.notFound) }
                let query = try APIRequest.fields(of: request.uri.query, known: route.query)
                return try await route.respond(self)(
                    APIRequest(http: request, query: query, client: access.client(of: request.head)))
            }
        }
        return router
    }
}
