import NIOCore
import NIOHTTP2

/// Lets an HTTP/2 connection go as nginx does on a real bridge: one GOAWAY that names the last stream it has seen,
/// answers to that one and all before it, then the end. Requests after it were not carried out, and clients repeat them
/// on another connection (RFC 9113, section 6.8).
///
/// Hummingbird sends two: the first names the highest possible stream, and the second, after a round trip, the true
/// one. swift-nio-http2 treats a request between the two as an error if all others are answered, so the client loses a
/// request of which it was told that it would be answered (seen with hummingbird 2.28 and swift-nio-http2 1.46). This
/// handler drops the first, and answers the PING between the two in the client's place.
final class GoAwaySender: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame
    typealias OutboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private init() {}

    /// Sends the GOAWAY, unless it was sent already or the connection is closed. On the connection's event loop.
    static func send(on connection: any Channel) {
        let pipeline = connection.pipeline.syncOperations
        guard (try? pipeline.handler(type: Self.self)) == nil,
            let http2 = try? pipeline.handler(type: NIOHTTP2Handler.self)
        else { return }
        // Fails only if the connection is closed already.
        try? pipeline.addHandler(Self(), position: .after(http2))
    }

    func handlerAdded(context: ChannelHandlerContext) {
        // To Hummingbird's connection manager only, which comes after this handler: streams go on.
        context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data).payload {
        case .goAway(lastStreamID: .maxID, errorCode: _, opaqueData: _): promise?.succeed()
        case let .ping(ping, ack: false):
            promise?.succeed()
            context.fireChannelRead(
                wrapInboundOut(HTTP2Frame(streamID: .rootStream, payload: .ping(ping, ack: true))))
            context.fireChannelReadComplete()
        default: context.write(data, promise: promise)
        }
    }

    /// Hummingbird closes the connection while its last frame is being written, and bytes that are still on their way
    /// would be lost; so would answers that a busy client has yet to read, when it writes to a connection that is closed.
    /// The connection lingers instead, as nginx lets it; a client that has all its answers closes it.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if let promise { context.channel.closeFuture.cascade(to: promise) }
        let here = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: .seconds(1)) {
            here.value.flush()
            here.value.close(mode: mode, promise: nil)
        }
    }
}
