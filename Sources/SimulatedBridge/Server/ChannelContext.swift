import Glibc
import Hummingbird
import NIOCore
import NIOSSL

/// Gives access to the connection, so that a fault can close or reset it.
struct ChannelContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    private let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// The connection. An HTTP/2 stream has a channel of its own, whose parent is the connection.
    var connection: any Channel { channel.parent.flatMap { $0.parent == nil ? nil : $0 } ?? channel }

    private var isStream: Bool { connection !== channel }

    /// Closes the connection.
    func hangUp() { connection.close(promise: nil) }

    /// Returns when the fault ends or the client disconnects.
    func wait(for hang: HangingRequest) async {
        whenDisconnected { hang.end.finish() }
        for await _ in hang.over {}
    }

    /// Runs an action when the client has disconnected or closed its side. HTTP/1.1 closes our side only after a
    /// response, so without this a request that never gets one would hold the connection for hours.
    func whenDisconnected(_ action: @escaping @Sendable () -> Void) {
        channel.closeFuture.whenComplete { _ in action() }
        let connection = connection
        connection.eventLoop.execute {
            // If the connection is closed already, the line above runs the action.
            try? connection.pipeline.syncOperations.addHandler(InputClosedHandler(action), position: .first)
        }
    }

    /// Runs an action when the client closes its side of the connection.
    private final class InputClosedHandler: ChannelInboundHandler {
        typealias InboundIn = NIOAny
        private let action: () -> Void

        init(_ action: @escaping () -> Void) { self.action = action }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case .inputClosed? = event as? ChannelEvent { action() }
            context.fireUserInboundEventTriggered(event)
        }
    }

    /// A response that announces its whole body, sends half of it, and ends with a reset.
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

    /// Ends the connection by TCP RST, without a TLS close notification.
    private func reset() {
        let connection = connection
        // On the event loop, and so after the bytes that are being written.
        connection.eventLoop.execute {
            if let socket = connection as? any SocketOptionProvider {
                socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenFailure { _ in
                    // Fails only if the socket is closed already.
                }
            }
            let tls = try? connection.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
            if let tls { tls.close(mode: .all, promise: nil) } else { connection.close(promise: nil) }
        }
    }

    /// A response after which the connection closes as its protocol provides: HTTP/1.1 by a header, HTTP/2 by GOAWAY,
    /// and then what is under way is still answered.
    ///
    /// - Parameter leaving: called when the connection is about to close.
    func last(_ response: Response, leaving: @escaping @Sendable () -> Void) -> Response {
        var response = response
        if !isStream { response.headers[.connection] = "close" }
        let (connection, isStream) = (connection, isStream)
        response.body = response.body.followed {
            connection.eventLoop.execute {
                if isStream {
                    GoAwaySender.send(on: connection)
                } else {
                    connection.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
                }
                leaving()
            }
        }
        return response
    }

    private struct ResetByFault: Error {}
}

extension ResponseBody {
    /// The same body, and a call when it has been written.
    fileprivate consuming func followed(by next: @escaping @Sendable () -> Void) -> Self {
        let body = self
        return Self(contentLength: body.contentLength) { writer in
            try await body.write(writer)
            next()
        }
    }
}
