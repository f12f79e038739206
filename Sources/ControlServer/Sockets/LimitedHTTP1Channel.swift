import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension NIOBSDSocket.Option {
    /// How long bytes may remain unacknowledged, in milliseconds, until the connection is given up (tcp(7)).
    static let tcp_user_timeout = Self(rawValue: TCP_USER_TIMEOUT)
}

/// HTTP/1.1 over connections that are limited in number, and in how long they make lightd wait.
struct LimitedHTTP1Channel: ServerChildChannel {
    private let base: HTTP1Channel
    private let limit: ConnectionLimit
    private let timeouts: ConnectionTimeouts
    private let certificate: @Sendable () -> ServerCertificate?
    private let logger: Logger

    /// What a request may cost before anybody knows who sends it: all that is done with a head takes time in proportion to
    /// its length. The target counts as a field, and the trailers with the head's.
    private static let longestHead = HTTP1Channel.Configuration.DecoderConfiguration(
        maxHeaderFieldSize: 8 << 10, maxHeaderListSize: 16 << 10, maxHeaderFieldCount: 100)

    /// - Parameters:
    ///   - certificate: asked at each connection; `nil` if it is not over TLS.
    ///   - logger: for what clients do wrong.
    init(
        _ limit: ConnectionLimit, _ timeouts: ConnectionTimeouts,
        certificate: @escaping @Sendable () -> ServerCertificate?, logger: Logger,
        _ responder: @escaping HTTPChannelHandler.Responder
    ) {
        self.limit = limit
        self.timeouts = timeouts
        self.certificate = certificate
        self.logger = logger
        let responder: HTTPChannelHandler.Responder = { request, writer, channel in
            let connection = limit.connection(of: channel)
            connection?.answerBegins()
            defer { connection?.answered() }
            do {
                try await responder(request, writer, channel)
            } catch is HTTPParserError {
                // Thrown on, it would be answered with a second response.
                throw ControlServerError("the request became unreadable while it was answered")
            }
        }
        base = HTTP1Channel(
            responder: responder, configuration: .init(httpDecoderConfiguration: Self.longestHead))
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        let connection = ClientConnection(channel, limit, timeouts)
        // At once, so that the first request finds it.
        SocketPeer.of(channel).whenSuccess(connection.opened)
        do {
            // Before all others: it sees the bytes that go to the system.
            try channel.pipeline.syncOperations.addHandler(WriteObserver(connection))
            // A phone that has left the network closes nothing. Without this, the system would send it its events again
            // and again, for a quarter of an hour, before it gives up.
            if channel.remoteAddress?.ipAddress != nil {
                let milliseconds = Int(timeouts.write / .milliseconds(1))
                try channel.syncOptions?.setOption(.tcpOption(.tcp_user_timeout), value: milliseconds)
            }
            if let certificate = certificate() {
                try channel.pipeline.syncOperations.addHandlers([
                    NIOSSLServerHandler(context: certificate.context), TLSGuard(connection, self.logger),
                ])
            }
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandlers([HTTPConformance(), FirstRequestGrace(connection)], position: .after(decoder))
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}
