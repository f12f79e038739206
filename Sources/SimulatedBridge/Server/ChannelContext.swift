import Glibc
import Hummingbird
import NIOCore
import NIOSSL

/// Keeps the channel, so that a fault can do with the connection what no answer can.
struct ChannelContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    private let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// The connection: for an HTTP/2 stream, whose channel is a child of the connection's, the connection itself.
    var connection: any Channel { channel.parent.flatMap { $0.parent == nil ? nil : $0 } ?? channel }

    private var isStream: Bool { connection !== channel }

    /// Closes the connection.
    func hangUp() { connection.close(promise: nil) }

    /// Returns when the fault ends, or the client has given up.
    func wait(for hang: HangingRequest) async {
        whenGone { hang.end.finish() }
        for await _ in hang.over {}
    }

    /// Tells when the client has gone, or said that it will send no more: a goodbye closes our side of HTTP/1.1 only when we answer,
    /// and who is silent for hours would hold the connection for hours.
    func whenGone(_ tell: @escaping @Sendable () -> Void) {
        channel.closeFuture.whenComplete { _ in tell() }
        let connection = connection
        connection.eventLoop.execute {
            // Where the connection has gone already, the line above says so.
            try? connection.pipeline.syncOperations.addHandler(InputClosedHandler(tell), position: .first)
        }
    }

    /// Hears that the client will send no more.
    private final class InputClosedHandler: ChannelInboundHandler {
        typealias InboundIn = NIOAny
        private let heard: () -> Void

        init(_ heard: @escaping () -> Void) { self.heard = heard }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case .inputClosed? = event as? ChannelEvent { heard() }
            context.fireUserInboundEventTriggered(event)
        }
    }

    /// An answer that promises its whole body, gives half of it, and is cut by a reset.
    func halved(_ whole: BridgeResponse) -> Response {
        var response = whole.httpResponse
        let half = ByteBuffer(bytes: whole.body.prefix(whole.body.count / 2))
        response.body = ResponseBody(contentLength: whole.body.count) { writer in
            try await writer.write(half)
            reset()
            throw ResetByFault()
        }
        return response
    }

    /// Ends the connection by TCP RST, without TLS's goodbye.
    private func reset() {
        let connection = connection
        // Behind what is on its way to the socket: all of it goes over this loop.
        connection.eventLoop.execute {
            if let socket = connection as? any SocketOptionProvider {
                socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenFailure { _ in
                    // The socket has gone already, which is as good.
                }
            }
            let tls = try? connection.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
            if let tls { tls.close(mode: .all, promise: nil) } else { connection.close(promise: nil) }
        }
    }

    /// An answer after which the connection says goodbye: HTTP/2 by GOAWAY, HTTP/1.1 by its header; what is still on it a moment
    /// later is cut.
    func last(_ response: Response) -> Response {
        var response = response
        if !isStream { response.headers[.connection] = "close" }
        let connection = connection
        response.body = response.body.followed {
            connection.eventLoop.execute {
                connection.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
                connection.eventLoop.scheduleTask(in: .milliseconds(200)) { connection.close(promise: nil) }
            }
        }
        return response
    }

    private struct ResetByFault: Error {}
}

extension ResponseBody {
    /// The same body, and something when it is out.
    fileprivate consuming func followed(by next: @escaping @Sendable () -> Void) -> Self {
        let body = self
        return Self(contentLength: body.contentLength) { writer in
            try await body.write(writer)
            next()
        }
    }
}
