import Logging
import NIOCore
import NIOSSL

/// Behind the TLS handler: lets the handlers of HTTP see a connection over TLS as they see one without.
final class TLSGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let connection: ClientConnection
    private let logger: Logger

    init(_ connection: ClientConnection, _ logger: Logger) {
        self.connection = connection
        self.logger = logger
    }

    /// Of what a client does wrong there is one end, and no answer: there is nobody yet to read it.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // HTTP itself says where a message ends, so a farewell that is missing hides nothing.
        if case NIOSSLError.uncleanShutdown = error { return }
        logger.debug(
            "a connection over TLS failed: \(error)",
            metadata: ["client": "\(context.channel.remoteAddress?.ipAddress ?? "unknown")"])
        connection.close()
    }

    /// TLS cannot stop listening and go on talking; the connection below it can. Without this, a client that is silent
    /// would keep the server from ending.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .input else { return context.close(mode: mode, promise: promise) }
        connection.endInput(promise)
    }
}
