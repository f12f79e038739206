import NIOCore
import Synchronization

/// One connection of a client. Closes it when the client makes lightd wait too long.
final class ClientConnection: Sendable {
    private struct State {
        var progress: ClientProgress
        /// Who has opened it; `nil` over TCP.
        var peer: SocketPeer?
        /// Who sent the current request.
        var client = ClientProgress.Client.stranger
        var timer: (time: NIODeadline, task: Scheduled<Void>)?
    }

    /// Fulfilled when the client has closed its end, whether of the connection or only for sending.
    let gone = Promise<Void>()
    private let channel: any Channel
    private let limit: ConnectionLimit
    private let state: Mutex<State>

    /// Starts the first timeout. On the channel's event loop.
    init(_ channel: any Channel, _ limit: ConnectionLimit, _ timeouts: ConnectionTimeouts) {
        self.channel = channel
        self.limit = limit
        state = Mutex(State(progress: ClientProgress(timeouts, at: .now())))
        change { _ in }
        limit.track(self)
        let settling = channel.eventLoop.scheduleTask(in: TimeAmount(timeouts.grace)) { [weak self] () -> Void in
            self?.change { $0.settle() }
        }
        channel.closeFuture.whenComplete { _ in
            settling.cancel()
            self.gone.fulfil()
            self.state.withLock { $0.timer.take() }?.task.cancel()
            limit.forget(self)
        }
    }

    var id: ObjectIdentifier { ObjectIdentifier(channel) }

    /// Who has opened it over the unix socket; `nil` over TCP.
    var peer: SocketPeer? { state.withLock(\.peer) }

    var standing: ClientProgress.Standing { state.withLock { $0.progress.standing } }

    /// At once, also over TLS, which would wait for the client's farewell. Idempotent; any thread.
    func close() { close(.all, nil) }

    /// Reads no more from the client. Any thread.
    func endInput(_ promise: EventLoopPromise<Void>?) { close(.input, promise) }

    private func close(_ mode: CloseMode, _ promise: EventLoopPromise<Void>?) {
        channel.eventLoop.execute { [channel] in
            do {
                // Below all others.
                try channel.pipeline.syncOperations.context(handlerType: WriteObserver.self)
                    .close(mode: mode, promise: promise)
            } catch {
                promise?.succeed()  // the connection has ended, and its handlers are gone
            }
        }
    }

    func opened(by peer: SocketPeer?) { state.withLock { $0.peer = peer } }

    /// A whole head was read. On the channel's event loop.
    func requestCame() { change { $0.requestCame() } }

    /// A request is about to be answered, and nobody knows yet who sent it.
    func answerBegins() { state.withLock { $0.client = .stranger } }

    /// - Parameter client: who sent the current request.
    func identified(_ client: ClientProgress.Client) {
        state.withLock { $0.client = client }
        if client == .known { change { $0.becameKnown() } }
    }

    func answered() {
        let client = state.withLock(\.client)
        // After the last piece of the answer, which is on its way to the event loop.
        channel.eventLoop.execute { self.change { $0.answered(client, at: .now()) } }
    }

    func writeBegan() { change { $0.writeBegan(at: .now()) } }

    func writeWasTaken() { change { $0.writeWasTaken(at: .now()) } }

    private func change(_ change: (inout ClientProgress) -> Void) {
        let (before, now) = state.withLock { state in
            let before = state.progress.standing
            change(&state.progress)
            setTimer(&state)
            return (before, state.progress.standing)
        }
        if now != before { limit.update(self) }
    }

    /// Sees to it that the deadline is noticed. A timer that ends earlier is left as it is, and set anew when it ends:
    /// most deadlines are moved by every write.
    private func setTimer(_ state: inout State) {
        guard let deadline = state.progress.deadline, state.timer.map({ deadline < $0.time }) ?? true else { return }
        state.timer?.task.cancel()
        let task = channel.eventLoop.scheduleTask(deadline: deadline) { [weak self] () -> Void in
            self?.expire(deadline)
        }
        state.timer = (deadline, task)
    }

    private func expire(_ time: NIODeadline) {
        let isOver = state.withLock { state in
            // The task may have begun when it was replaced.
            guard state.timer?.time == time else { return false }
            state.timer = nil
            if let deadline = state.progress.deadline, deadline <= .now() { return true }
            setTimer(&state)
            return false
        }
        if isOver { close() }
    }
}

/// Tells a connection which of its writes the client has taken, at least into the small buffer of the system, and when the
/// client has left. The system says that also while nothing is read.
final class WriteObserver: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let connection: ClientConnection

    init(_ connection: ClientConnection) { self.connection = connection }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { connection.gone.fulfil() }
        context.fireUserInboundEventTriggered(event)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let promise = promise ?? context.eventLoop.makePromise()
        connection.writeBegan()
        promise.futureResult.whenComplete { [connection] _ in connection.writeWasTaken() }
        context.write(data, promise: promise)
    }
}
