import ControlProtocol
import ControlSurface
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    static func json(
        _ body: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) throws -> Response {
        .json(text: try JSON.text(body) + "\n", status: status, headers: headers)
    }

    static func json(text: String, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) -> Response {
        .json(bytes: ByteBuffer(string: text), status: status, headers: headers)
    }

    static func json(bytes: ByteBuffer, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) -> Response {
        var headers = headers
        headers[.contentType] = "application/json"
        headers[.cacheControl] = headers[.cacheControl] ?? "no-store"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: bytes))
    }

    static func error(_ error: APIError) -> Response {
        do {
            return try .json(error.reply, status: error.status, headers: error.headers)
        } catch {
            // Never reached: JSON has a form for texts and arrays of texts.
            return Response(status: .internalServerError)
        }
    }
}
