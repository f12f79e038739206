public import ControlProtocol
public import ControlSurface
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

extension ControlServer {
    /// Answers a request that came over none of this server's listeners, but that another surface has brought.
    ///
    /// - Parameters:
    ///   - allowed: what whoever asks may do at most.
    ///   - client: what whoever asks calls itself.
    ///   - submitted: called when the next request may be answered without overtaking this one, perhaps again later.
    public func answer(
        _ request: RelayedRequest, allowing allowed: TokenAccess, as client: ClientName?,
        submitted: @escaping @Sendable () -> Void = {}
    ) async -> RelayedAnswer {
        let isCommand = request.path == Routes.messages
        if !isCommand { submitted() }
        defer { if isCommand { submitted() } }
        // So that requests from there delay only others from there, as those over TCP.
        return await withTaskExecutorPreference(api.network) {
            do {
                let admission = Admission(SenderName(overMQTT: client), AccessLevel(allowed), isOverMQTT: true)
                let context = APIContext(admission, logger: api.logger, submitted: submitted)
                let response = try await relayed.respond(to: Request(request), context: context)
                return try await RelayedAnswer(response)
            } catch {
                // The router's middleware words all that a route throws; only the request itself can be refused here.
                let error = error as? APIError ?? APIError(ErrorReply(.internalError, "\(error)"))
                var answer = RelayedAnswer(error.reply)
                answer.status = error.status.code
                return answer
            }
        }
    }
}

extension Request {
    /// - Throws: if nobody could have sent it by HTTP, or it asks for what only a connection has.
    fileprivate init(_ request: RelayedRequest) throws(APIError) {
        let path = request.path
        guard path.hasPrefix("/"), path.isVisibleASCII, path.utf8.count <= 16 << 10,
            let method = HTTPRequest.Method(request.method)
        else {
            throw APIError(
                ErrorReply(
                    .invalid, "'\(request.method.prefix(40)) \(path.prefix(80))' is no request",
                    hint: "set the properties 'method' and 'path' as for HTTP: GET, /v1/lights"))
        }
        guard request.body.count <= APIRequest.largestBody else {
            throw APIError(
                ErrorReply(.invalid, "the payload is longer than \(APIRequest.largestBody >> 20) MiB"),
                status: .contentTooLarge)
        }
        var fields = HTTPFields()
        for (name, value) in request.fields where RelayedRequest.fields.contains(name) {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        let routes = ControlAPI.routes(at: String(path.prefix { $0 != "?" }))
        guard !routes.contains(where: \.isDirect),
            fields[.accept]?.lowercased().contains("text/event-stream") != true
        else {
            throw APIError(
                ErrorReply(
                    .invalid, "a stream, or the session of a page, cannot be had over MQTT",
                    hint: "subscribe to the topics of what changes (docs/mqtt.md)"))
        }
        self.init(
            head: HTTPRequest(method: method, scheme: nil, authority: "lightd", path: path, headerFields: fields),
            body: RequestBody(buffer: ByteBuffer(bytes: request.body)))
    }
}

extension RelayedAnswer {
    fileprivate init(_ response: Response) async throws {
        let collected = CollectedBody()
        try await response.body.write(collected)
        var fields: [String: String] = [:]
        for name in Self.fields { fields[name] = HTTPField.Name(name).flatMap { response.headers[$0] } }
        self.init(status: response.status.code, fields: fields, body: collected.taken)
    }
}

/// The bytes of a body that is written.
private final class CollectedBody: ResponseBodyWriter, Sendable {
    private let bytes = Mutex<[UInt8]>([])

    var taken: [UInt8] { bytes.withLock(\.self) }

    func write(_ buffer: ByteBuffer) async throws { bytes.withLock { $0 += buffer.readableBytesView } }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
