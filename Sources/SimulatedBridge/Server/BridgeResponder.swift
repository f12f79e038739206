import FoundationEssentials
import HTTPServing
import HTTPTypes
import HueWire
import Hummingbird
import NIOCore
import ServerSentEvents
import ServiceLifecycle

/// Serves the bridge's HTTPS and HTTP ports: turns HTTP requests into ``BridgeRequest``s, and replies into responses.
struct BridgeResponder: HTTPResponder {
    let core: BridgeCore
    let isSecure: Bool
    private let connections = OpenConnections()

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
            numberOnConnection: connections.count(on: context.connection)
        )
        let transmission = await core.handle(bridgeRequest)
        if transmission.delay > .zero {
            // Ends early only when the bridge shuts down, and then no client waits for the response.
            try? await cancelWhenGracefulShutdown { try await core.sleep(transmission.delay) }
        }
        if case let .hang(hang) = transmission.reply {
            await context.wait(for: hang)
            await core.ended(hang)
        }
        await core.finish()
        var response = await response(transmission, to: request, context)
        response.headers[.date] = transmission.date.httpHeader
        return response
    }

    private func response(_ transmission: ReplyTransmission, to request: Request, _ context: ChannelContext) async
        -> Response
    {
        switch transmission.reply {
        case let .response(response) where request.method == .head: return response.headers(of: response.httpResponse)
        case let .response(response):
            if transmission.isReset { return context.halved(response) }
            guard transmission.isLast else { return response.httpResponse }
            return context.last(response.httpResponse) { [connections] in
                connections.endStreams(on: context.connection)
            }
        case let .stream(reader):
            context.whenDisconnected(reader.close)
            connections.add(reader, on: context.connection)
            return Self.stream(reader.pieces)
        case let .poll(frames): return await Self.poll(frames)
        case .hangUp, .hang:
            context.hangUp()
            return BridgeResponse.page(500).httpResponse
        }
    }

    /// Responds with the next frame, or with an empty list if the bridge shuts down first.
    private static func poll(_ frames: AsyncStream<ServerSentEvent>) async -> Response {
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
    /// The response to a HEAD: the length of the body, but no body.
    fileprivate func headers(of response: Response) -> Response {
        var response = response
        response.headers[.contentLength] = "\(body.count)"
        response.body = ResponseBody()
        return response
    }
}

extension [String] {
    /// "/" is the root, not a path with one empty part.
    fileprivate var withoutEmptyRoot: [String] { self == [""] ? [] : self }
}

extension HTTPFields {
    fileprivate func value(_ name: String) -> String? { HTTPField.Name(name).flatMap { self[$0] } }
}

extension Request {
    /// The whole body; `nil` if it is longer than a megabyte or the client disconnected.
    ///
    /// A body that is too long is read nevertheless, up to 64 MiB: a client that is still writing would not see the
    /// response.
    func wholeBody() async -> ByteBuffer? {
        let (longest, limit) = (1 << 20, 1 << 26)
        var whole = ByteBuffer()
        var count = 0
        do {
            for try await piece in body {
                count += piece.readableBytes
                if count <= longest { whole.writeImmutableBuffer(piece) }
                if count > limit { break }
            }
        } catch {
            return nil
        }
        return count > longest ? nil : whole
    }
}

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
