import NIOCore
import NIOHTTP1

/// On a graceful shutdown, leaves a connection that has not brought a request yet the time to do so: its client may have
/// connected just before, and must be told that nothing was carried out.
final class FirstRequestGrace: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// A client that is slower finds the connection closed before lightd has read anything.
    private static let grace = TimeAmount.milliseconds(100)

    private var hasRequest = false
    private var waiting: Scheduled<Void>?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireChannelRead(data)
        guard case .head = Self.unwrapInboundIn(data) else { return }
        hasRequest = true
        if waiting != nil { shutDown(context) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ChannelShouldQuiesceEvent, !hasRequest, waiting == nil else {
            return context.fireUserInboundEventTriggered(event)
        }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        waiting = context.eventLoop.scheduleTask(in: Self.grace) {
            let (handler, context) = bound.value
            if handler.waiting != nil { handler.shutDown(context) }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { waiting.take()?.cancel() }

    private func shutDown(_ context: ChannelHandlerContext) {
        waiting.take()?.cancel()
        context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }
}
