import ControlProtocol
import HTTPTypes
import Hummingbird
import Logging

/// One listener's answer to a request: who may ask, which path it is, and every error in its one form.
struct Door: HTTPResponder {
    typealias Context = BasicRequestContext

    let desk: Desk
    let entry: Entry

    func respond(to request: Request, context: Context) async throws -> Response {
        do {
            return try await answer(request)
        } catch let refusal as Refusal {
            return .refusal(refusal)
        } catch let reply as ErrorReply {
            return .refusal(Refusal(reply))
        } catch {
            desk.logger.error("a request failed: \(error)", metadata: ["path": "\(request.uri.path)"])
            return .refusal(
                Refusal(ErrorReply(.internalError, "lightd made a mistake: \(error)", hint: "its log tells more")))
        }
    }

    private func answer(_ request: Request) async throws -> Response {
        guard !desk.isStopping else { throw Refusal.stopping }
        let path = Path.all[request.uri.path]
        try entry.check(request.head, needsToken: path?.needsToken ?? true)
        guard let path else {
            throw ErrorReply(
                .noSuchPath, "there is no path '\(request.uri.path)'", hint: "\(Routes.openAPI) lists all paths")
        }
        guard request.method == path.method else {
            throw Refusal(
                ErrorReply(.invalid, "\(request.uri.path) takes \(path.method), not \(request.method)"),
                status: .methodNotAllowed,
                headers: [.allow: path.method.rawValue]
            )
        }
        let query = try Asking.fields(of: request.uri.query.map { Substring($0) }, known: path.query)
        return try await path.answer(desk)(
            Asking(request: request, query: query, holder: entry.holder(request.head)))
    }
}

/// One path of the API.
struct Path: Sendable {
    let method: HTTPRequest.Method
    var query: Set<Routes.Query> = []
    var needsToken = true
    let answer: @Sendable (Desk) -> (Asking) async throws -> Response

    static let all: [String: Path] = [
        Routes.lights: Path(method: .get, query: [.target], answer: Desk.lights),
        Routes.rooms: Path(method: .get, answer: Desk.rooms),
        Routes.scenes: Path(method: .get, answer: Desk.scenes),
        Routes.bridges: Path(method: .get, answer: Desk.bridges),
        Routes.dashboard: Path(method: .get, answer: Desk.dashboard),
        Routes.log: Path(method: .get, query: [.since, .after, .feature, .limit], answer: Desk.log),
        Routes.status: Path(method: .get, answer: Desk.status),
        Routes.messages: Path(method: .post, answer: Desk.message),
        Routes.events: Path(method: .get, answer: Desk.events),
        Routes.live: Path(method: .get, needsToken: false, answer: Desk.live),
        Routes.ready: Path(method: .get, needsToken: false, answer: Desk.ready),
        Routes.openAPI: Path(method: .get, answer: Desk.openAPI),
    ]
}
