import ControlProtocol
import HTTPTypes
import Hummingbird
import Logging

/// Decides what a request may do, once, before anything else. Says which answer is the last on its connection.
struct AdmissionMiddleware: RouterMiddleware {
    let policy: AccessPolicy
    let connections: ConnectionLimit
    let users: UserNames

    func handle(
        _ request: Request, context: APIContext, next: (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        let channel = context.channel
        let connection = channel.flatMap(connections.connection)
        var user: SocketUser?
        if let peer = connection?.peer { user = SocketUser(peer: peer, name: await users.name(of: peer.uid)) }
        context.admission = policy.admission(
            of: request.head, from: channel?.remoteAddress, at: channel?.localAddress, by: user)
        let client = client(of: request, context.admission)
        connection?.identified(client)
        var response = try await next(request, context)
        if client == .stranger { response.headers[.connection] = "close" }
        return response
    }

    private func client(of request: Request, _ admission: Admission) -> ClientProgress.Client {
        if admission.isKnown { return .known }
        // The page is a dozen files, which a browser fetches before it can sign in.
        return !admission.isRefused && PageFiles.isServed(at: request.uri.path) ? .visitor : .stranger
    }
}

/// Tells browsers not to make anything else of an answer than what it says it is: JSON that is opened in a tab runs
/// nothing, and nobody learns from where a link was followed. The page's files have a policy of their own.
struct BrowserMiddleware: RouterMiddleware {
    /// Over TLS of lightd's own a browser never again asks this name without it. The promise counts for all ports of
    /// the name, also for those of other programs, and each answer renews it: a week is longer than most people are
    /// away, and no longer than a home that gives up TLS can wait. What a proxy promises is the proxy's business.
    static let strictTransportSecurity = "max-age=604800"

    let policy: AccessPolicy

    private static let headers: [(HTTPField.Name?, String)] = [
        (.xContentTypeOptions, "nosniff"),
        (.contentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'"),
        (HTTPField.Name("Referrer-Policy"), "no-referrer"),
    ]

    func handle(
        _ request: Request, context: APIContext, next: (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        if policy.certificate != nil { response.headers[.strictTransportSecurity] = Self.strictTransportSecurity }
        for case let (name?, value) in Self.headers where response.headers[name] == nil {
            response.headers[name] = value
        }
        return response
    }
}

/// Answers every error in the one form of the API.
struct ErrorMiddleware: RouterMiddleware {
    let logger: Logger

    func handle(
        _ request: Request, context: APIContext, next: (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        let response = try await response(to: request, context: context, next: next)
        // A body after the answer to HEAD would be taken for the next answer (RFC 9110, 9.3.2).
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func response(
        to request: Request, context: APIContext, next: (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as APIError {
            return .error(error)
        } catch let reply as ErrorReply {
            return .error(APIError(reply))
        } catch let error as HTTPError where error.status == .notFound {
            return .error(Self.noRoute(for: request))
        } catch {
            logger.error("a request failed: \(error)", metadata: ["path": "\(request.uri.path)"])
            return .error(
                APIError(ErrorReply(.internalError, "lightd made a mistake: \(error)", hint: "see its log")))
        }
    }

    private static func noRoute(for request: Request) -> APIError {
        let path = request.uri.path
        let allowed = ControlAPI.routes(at: path).flatMap(\.methods).map(\.rawValue).joined(separator: ", ")
        guard !allowed.isEmpty else {
            return APIError(
                ErrorReply(.noSuchPath, "there is no path '\(path)'", hint: "\(Routes.openAPI) lists all paths"))
        }
        return APIError(
            ErrorReply(.invalid, "\(path) takes \(allowed), not \(request.method)"),
            status: .methodNotAllowed,
            headers: [.allow: allowed]
        )
    }
}

/// Refuses new requests once the daemon is stopping.
struct StoppingMiddleware: RouterMiddleware {
    let stopping: Promise<Void>

    func handle(
        _ request: Request, context: APIContext, next: (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        guard !stopping.isFulfilled else { throw APIError.stopping }
        return try await next(request, context)
    }
}

/// Refuses requests that their client is not allowed; also those for unknown paths and methods, so that a stranger
/// cannot find out which exist.
struct AccessMiddleware: RouterMiddleware {
    let audit: AccessAudit

    func handle(
        _ request: Request, context: APIContext, next: (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        let routes = ControlAPI.routes(at: request.uri.path)
        let route = routes.first { $0.methods.contains(request.method) }
        // Whoever may read the API's description may be told that a path does not exist, or what methods it takes.
        try context.admission.check(route?.access ?? min(routes.map(\.access).max() ?? .look, .look), audit)
        return try await next(request, context)
    }
}
