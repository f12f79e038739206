import HTTPTypes
import Hummingbird
import NIOCore

/// Redirects every plain HTTP request to the same path over HTTPS, as the Bridge Pro does (LedFx/LedFx#1855).
struct HTTPSRedirect: HTTPResponder {
    let httpsPort: @Sendable () async throws -> Int

    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        let host = (request.head.authority ?? "localhost").withoutPort
        let port = try await httpsPort()
        let page = "<html><head><title>301 Moved Permanently</title></head><body>nginx</body></html>\n"
        return Response(
            status: .movedPermanently,
            headers: [
                .contentType: "text/html",
                .location: "https://\(host)\(port == 443 ? "" : ":\(port)")\(request.uri.string)",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: page)))
    }
}
