import ControlProtocol
import HTTPTypes
import Hummingbird

/// Answers requests for the files of the page, which need no token: without the data that they ask for they tell
/// nothing. `Host` and `Origin` are checked as for everything else.
struct PageFilesMiddleware: RouterMiddleware {
    let audit: AccessAudit

    /// A script that got into the page could neither be run nor ask or tell anybody else.
    static let contentSecurityPolicy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'",
        "manifest-src 'self'", "worker-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")

    func handle(
        _ request: Request, context: APIContext, next: (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        let path = request.uri.path
        guard PageFiles.isServed(at: path) else { return try await next(request, context) }
        try context.admission.check(.none, audit)
        guard let file = PageFiles.embedded.files[path] else {
            throw ErrorReply(
                .noSuchPath, "the page has no file '\(path)'",
                hint: "it is of another version of lightd: reload the page")
        }
        guard [.get, .head].contains(request.method) else {
            throw APIError(
                ErrorReply(.invalid, "\(path) takes GET, HEAD, not \(request.method)"),
                status: .methodNotAllowed, headers: [.allow: "GET, HEAD"])
        }
        return Self.response(file, to: request.head)
    }

    private static func response(_ file: PageFiles.File, to head: HTTPRequest) -> Response {
        var headers: HTTPFields = [
            .eTag: file.tag, .vary: "Accept-Encoding",
            .cacheControl: file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
            .contentSecurityPolicy: contentSecurityPolicy,
        ]
        guard !head.hasCurrent(file.tag) else { return Response(status: .notModified, headers: headers) }
        headers[.contentType] = file.type
        guard let compressed = file.compressed, head.acceptsGzip else {
            return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: file.bytes))
        }
        headers[.contentEncoding] = "gzip"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: compressed))
    }
}

extension HTTPRequest {
    /// Whether the client takes gzip (RFC 9110, 12.5.3).
    var acceptsGzip: Bool {
        let weights = Dictionary(preferences(in: .acceptEncoding).map { ($0.name, $0.weight) }) { $1 }
        return weights["gzip"] ?? weights["*"] ?? 0 > 0
    }
}
