import ControlProtocol
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    static func json(
        _ body: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) throws -> Response {
        .text(try JSON.text(body) + "\n", type: "application/json", status: status, headers: headers)
    }

    static func text(
        _ text: String, type: String, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        var headers = headers
        headers[.contentType] = type
        headers[.cacheControl] = "no-store"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// Every error, in its one form.
    static func refusal(_ refusal: APIError) -> Response {
        do {
            return try .json(refusal.reply, status: refusal.status, headers: refusal.headers)
        } catch {
            // Texts and arrays of texts: JSON has a form for all of them, so this is never reached. If it were, the status
            // would still be true.
            return Response(status: refusal.status, headers: refusal.headers)
        }
    }
}
