import Glibc
import NIOCore

/// Puts the faults of the network on one connection, as the handler next to its socket.
final class NetworkFaultHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Route {
        case open
        /// Not accepted yet: what the client sends waits, as its SYN would.
        case closed(waiting: [ByteBuffer])
        case lost(BridgeNetwork.Loss)
    }

    /// What the bridge does on a slow connection while its earlier bytes are still on their way.
    private enum Step {
        case write(ByteBuffer, EventLoopPromise<Void>?)
        case close(CloseMode, EventLoopPromise<Void>?)
    }

    private var route: Route
    private var isSlow: Bool
    private var steps: [Step] = []
    private var nextByte: Scheduled<Void>?

    init(_ condition: BridgeNetwork.Condition) {
        route = condition.isClosed ? .closed(waiting: []) : .open
        isSlow = condition.isSlow
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        nextByte?.cancel()
        nextByte = nil
        discardSteps(context) { $0?.fail(ChannelError.ioOnClosedChannel) }
    }

    // MARK: - From the client

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch route {
        case .open: context.fireChannelRead(data)
        case let .closed(waiting: waiting): route = .closed(waiting: waiting + [unwrapInboundIn(data)])
        case .lost(.blackHole): break
        case .lost(.halfOpen): reset(context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let change = event as? BridgeNetwork.Change { return apply(change, context) }
        switch (route, event as? ChannelEvent) {
        // The client gives up a connection that the bridge does not have.
        case (.closed, .inputClosed), (.lost, .inputClosed): context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    private func reset(_ context: ChannelHandlerContext) {
        if let socket = context.channel as? any SocketOptionProvider {
            socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenFailure { _ in
                // Fails only if the socket is closed already.
            }
        }
        context.close(promise: nil)
    }

    // MARK: - From the bridge

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .lost = route {
            promise?.succeed()
        } else if isSlow || !steps.isEmpty {
            steps.append(.write(unwrapOutboundIn(data), promise))
            scheduleByte(context)
        } else {
            context.write(data, promise: promise)
        }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if case .lost = route {
            // Its end does not reach the client either.
            context.channel.closeFuture.cascade(to: promise)
        } else if steps.isEmpty {
            context.close(mode: mode, promise: promise)
        } else {
            steps.append(.close(mode, promise))
        }
    }

    // MARK: - Changes

    private func apply(_ change: BridgeNetwork.Change, _ context: ChannelHandlerContext) {
        switch (change, route) {
        case let (.condition(condition), _):
            isSlow = condition.isSlow
            if !isSlow { finishSteps(context) }
            if !condition.isClosed { accept(context) }
        case let (.loss(loss), .open):
            route = .lost(loss)
            discardSteps(context) { $0?.succeed() }
        // It was not open, or is lost already.
        case (.loss, _): break
        case (.cut, .open):
            isSlow = false
            finishSteps(context)
        case (.cut, _): context.close(promise: nil)
        }
    }

    private func accept(_ context: ChannelHandlerContext) {
        guard case let .closed(waiting: waiting) = route else { return }
        route = .open
        for bytes in waiting { context.fireChannelRead(wrapInboundOut(bytes)) }
        if !waiting.isEmpty { context.fireChannelReadComplete() }
    }

    // MARK: - One byte a second

    private func scheduleByte(_ context: ChannelHandlerContext) {
        guard nextByte == nil else { return }
        nextByte = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) { [self] in
            nextByte = nil
            sendByte(context)
            if !steps.isEmpty { scheduleByte(context) }
        }
    }

    private func sendByte(_ context: ChannelHandlerContext) {
        guard case .write(var bytes, let promise)? = steps.first else { return finishSteps(context) }
        let byte = bytes.readSlice(length: min(1, bytes.readableBytes)) ?? ByteBuffer()
        let isLast = bytes.readableBytes == 0
        if isLast { steps.removeFirst() } else { steps[0] = .write(bytes, promise) }
        context.writeAndFlush(wrapOutboundOut(byte), promise: isLast ? promise : nil)
        if case .close? = steps.first { finishSteps(context) }
    }

    private func finishSteps(_ context: ChannelHandlerContext) {
        let rest = steps
        steps = []
        for step in rest {
            switch step {
            case let .write(bytes, promise): context.write(wrapOutboundOut(bytes), promise: promise)
            case let .close(mode, promise):
                context.flush()
                context.close(mode: mode, promise: promise)
            }
        }
        if !rest.isEmpty { context.flush() }
    }

    private func discardSteps(_ context: ChannelHandlerContext, end: (EventLoopPromise<Void>?) -> Void) {
        let rest = steps
        steps = []
        for step in rest {
            switch step {
            case let .write(_, promise): end(promise)
            case let .close(_, promise): context.channel.closeFuture.cascade(to: promise)
            }
        }
    }
}
