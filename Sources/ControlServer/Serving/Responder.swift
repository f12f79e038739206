import ControlProtocol
import HTTPTypes
import Hummingbird
import Logging

/// One listener's answer to a request: who may ask, which path it is, and every error in its one form.
struct Responder: HTTPResponder {
    typealias Context = BasicRequestContext

    let api: ControlAPI
    let access: AccessPolicy

    func respond(to request: Request, context: Context) async throws -> Response {
        do {
            return try await answer(request)
        } catch let refusal as APIError {
            return .refusal(refusal)
        } catch let reply as ErrorReply {
            return .refusal(APIError(reply))
        } catch {
            api.logger.error("a request failed: \(error)", metadata: ["path": "\(request.uri.path)"])
            return .refusal(
                APIError(ErrorReply(.internalError, "lightd made a mistake: \(error)", hint: "its log tells more")))
        }
    }

    private func answer(_ request: Request) async throws -> Response {
        guard !api.isStopping else { throw APIError.stopping }
        let path = Route.all[request.uri.path]
        try access.check(request.head, needsToken: path?.needsToken ?? true)
        guard let path else {
            throw ErrorReply(
                .noSuchPath, "there is no path '\(request.uri.path)'", hint: "\(Routes.openAPI) lists all paths")
        }
        guard request.method == path.method else {
            throw APIError(
                ErrorReply(.invalid, "\(request.uri.path) takes \(path.method), not \(request.method)"),
                status: .methodNotAllowed,
                headers: [.allow: path.method.rawValue]
            )
        }
        let query = try APIRequest.fields(of: request.uri.query.map { Substring($0) }, known: path.query)
        return try await path.answer(api)(
            APIRequest(http: request, query: query, holder: access.holder(request.head)))
    }
}

/// One path of the API.
struct Route: Sendable {
    let method: HTTPRequest.Method
    var query: Set<Routes.Query> = []
    var needsToken = true
    let answer: @Sendable (ControlAPI) -> (APIRequest) async throws -> Response

    static let all: [String: Route] = [
        Routes.lights: Route(method: .get, query: [.target], answer: ControlAPI.lights),
        Routes.rooms: Route(method: .get, answer: ControlAPI.rooms),
        Routes.scenes: Route(method: .get, answer: ControlAPI.scenes),
        Routes.bridges: Route(method: .get, answer: ControlAPI.bridges),
        Routes.dashboard: Route(method: .get, answer: ControlAPI.dashboard),
        Routes.log: Route(method: .get, query: [.since, .after, .feature, .limit], answer: ControlAPI.log),
        Routes.status: Route(method: .get, answer: ControlAPI.status),
        Routes.messages: Route(method: .post, answer: ControlAPI.message),
        Routes.events: Route(method: .get, answer: ControlAPI.events),
        Routes.live: Route(method: .get, needsToken: false, answer: ControlAPI.live),
        Routes.ready: Route(method: .get, needsToken: false, answer: ControlAPI.ready),
        Routes.openAPI: Route(method: .get, answer: ControlAPI.openAPI),
    ]
}
