import FoundationEssentials
import HTTPTypes
import HueWire
import Hummingbird
import NIOCore
import ServiceLifecycle

/// What a bridge's own ports answer: one mind behind HTTPS and plain HTTP.
struct BridgeResponder: HTTPResponder {
    let core: BridgeCore
    let isSecure: Bool
    private let connections = ConnectionCounter()

    init(core: BridgeCore, isSecure: Bool) {
        self.core = core
        self.isSecure = isSecure
    }

    func respond(to request: Request, context: ChannelContext) async throws -> Response {
        guard let body = await request.wholeBody() else { return BridgeResponse.page(413).httpResponse }
        let bridgeRequest = BridgeRequest(
            method: request.method.rawValue,
            path: request.uri.path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
                .map { $0.percentDecoded }.withoutEmptyRoot,
            query: request.uri.query,
            key: request.headers.value("hue-application-key"),
            accept: request.headers[.accept],
            lastEventID: request.headers.value("Last-Event-ID"),
            body: Array(buffer: body),
            isSecure: isSecure,
            authority: request.head.authority ?? "127.0.0.1",
            ifNoneMatch: request.headers[.ifNoneMatch],
            place: connections.count(on: context.connection)
        )
        let handling = await core.begin(bridgeRequest)
        if handling.delay > .zero {
            // Ends early only when the bridge goes down, and then nobody waits for the answer.
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: handling.delay) }
        }
        if case let .hang(hang) = handling.reaction {
            await context.wait(for: hang)
            await core.ended(hang)
        }
        await core.end()
        switch handling.reaction {
        case let .response(response) where request.method == .head: return response.headers(of: response.httpResponse)
        case let .response(response):
            if handling.isReset { return context.halved(response) }
            return handling.isLast ? context.last(response.httpResponse) : response.httpResponse
        case let .stream(reader):
            context.whenGone(reader.leave)
            return Self.stream(reader.pieces)
        case let .poll(frames): return await Self.poll(frames)
        case .hangUp, .hang:
            context.hangUp()
            return BridgeResponse.page(500).httpResponse
        }
    }

    /// Answers when there is something to tell; with nothing when the bridge goes down before.
    private static func poll(_ frames: AsyncStream<EventFrame>) async -> Response {
        for await frame in frames {
            var response = BridgeResponse(status: 200, type: "application/json", body: Array(frame.data.utf8))
            response.headers = [("ETag", frame.id ?? "")]
            return response.httpResponse
        }
        return BridgeResponse(status: 200, type: "application/json", body: Array("[]".utf8)).httpResponse
    }

    private static func stream(_ pieces: AsyncStream<[UInt8]>) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-cache"],
            body: ResponseBody { writer in
                for await piece in pieces { try await writer.write(ByteBuffer(bytes: piece)) }
                try await writer.finish(nil)
            }
        )
    }
}

extension BridgeResponse {
    var httpResponse: Response {
        var fields = HTTPFields()
        fields[.contentType] = type
        for header in headers {
            if let name = HTTPField.Name(header.name) { fields[name] = header.value }
        }
        return Response(
            status: HTTPResponse.Status(code: status), headers: fields,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }
}

extension BridgeResponse {
    /// What a HEAD is answered: the length of the body, and none.
    fileprivate func headers(of response: Response) -> Response {
        var response = response
        response.headers[.contentLength] = "\(body.count)"
        response.body = ResponseBody()
        return response
    }
}

extension [String] {
    /// "/" is the root, and no path of one empty part.
    fileprivate var withoutEmptyRoot: [String] { self == [""] ? [] : self }
}

extension HTTPFields {
    fileprivate func value(_ name: String) -> String? { HTTPField.Name(name).flatMap { self[$0] } }
}
