import HummingbirdCore
import Khipu
import Logging
import NIOCore
import NIOHTTP1
import Synchronization

/// Bounds the open connections of one listener, so that its clients leave descriptors for everything else.
///
/// Once the limit is reached, a new connection takes the place of one to which nothing is owed: of one that has not
/// been allowed a request yet, otherwise of one that is idle; of the oldest among them. While lightd owes something to
/// all, or they have only just come, it accepts nobody: the next clients wait in the system's queue, where they need no
/// descriptor. A connection that is closed at once instead would leave a client in doubt whether its command was
/// carried out, and strangers could keep everybody else out.
final class ConnectionLimit: AvailableConnectionsDelegate {
    private struct State {
        /// By their channel.
        var connections: [ObjectIdentifier: ClientConnection] = [:]
        /// Those that may give way.
        var idle: [ObjectIdentifier: Rank] = [:]
        /// Those that have only just come; at first they are counted, and not known here yet.
        var new: Set<ObjectIdentifier> = []
        var arriving = 0
        var nextTurn = 0
        /// Those that were told to close, and have not closed yet.
        var leaving: Set<ObjectIdentifier> = []
        /// How many the listener counts as open.
        var open = 0
        /// The listening socket, and whether it accepts nobody at present.
        var listener: (any Channel)?
        var isHolding = false
        var logged: Timestamp?

        /// The next to give way. A client that was allowed a request does not give way to those that have only just
        /// come: they may be strangers.
        var next: ObjectIdentifier? {
            guard let (id, rank) = idle.min(by: { $0.value < $1.value }) else { return nil }
            return rank.isKnown && (arriving > 0 || !new.isEmpty) ? nil : id
        }

        /// One too many is accepted only if another can give way to it.
        func isFull(_ maximum: Int) -> Bool { open > maximum || (open == maximum && next == nil) }
    }

    /// The lowest gives way first.
    private struct Rank: Comparable {
        let isKnown: Bool
        let turn: Int

        static func < (one: Self, other: Self) -> Bool {
            one.isKnown == other.isKnown ? one.turn < other.turn : other.isKnown
        }
    }

    /// How often the log may say that the limit is reached.
    static let logInterval = Duration.seconds(600)

    private let listener: String
    private let maximum: Int
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameters:
    ///   - listener: its name, for the log.
    ///   - maximum: at least 1.
    init(_ listener: String, _ maximum: Int, now: @escaping @Sendable () -> Timestamp, logger: Logger) {
        self.listener = listener
        self.maximum = maximum
        self.now = now
        self.logger = logger
    }

    // MARK: The listener

    func listens(on channel: any Channel) { state.withLock { $0.listener = channel } }

    func connectionOpened() {
        state.withLock { state in
            state.open += 1
            state.arriving += 1
        }
        makeRoom()
    }

    func connectionClosed() {
        state.withLock { $0.open -= 1 }
    }

    func isAcceptingNewConnections() -> Bool {
        let isHolding = state.withLock { state in
            state.isHolding = state.isFull(maximum)
            return state.isHolding
        }
        if isHolding { log() }
        return !isHolding
    }

    // MARK: Its connections

    func track(_ connection: ClientConnection) {
        state.withLock { state in
            state.connections[connection.id] = connection
            state.arriving -= 1
            state.new.insert(connection.id)
        }
    }

    func connection(of channel: any Channel) -> ClientConnection? {
        state.withLock { $0.connections[ObjectIdentifier(channel)] }
    }

    /// Its standing has changed.
    func update(_ connection: ClientConnection) {
        let id = connection.id
        state.withLock { state in
            guard state.connections[id] != nil else { return }
            state.new.remove(id)
            state.idle[id] = nil
            // Read here, so that of two changes at the same time the newer one counts.
            guard case let .idle(isKnown) = connection.standing else { return }
            state.idle[id] = Rank(isKnown: isKnown, turn: state.nextTurn)
            state.nextTurn += 1
        }
        makeRoom()
        resume()
    }

    func forget(_ connection: ClientConnection) {
        state.withLock { state in
            state.connections[connection.id] = nil
            state.new.remove(connection.id)
            state.idle[connection.id] = nil
            state.leaving.remove(connection.id)
        }
    }

    /// Closes as many as are too many.
    private func makeRoom() {
        let leaving = state.withLock { state in
            var leaving: [ClientConnection] = []
            while state.connections.count + state.arriving - state.leaving.count > maximum, let id = state.next {
                state.idle[id] = nil
                state.leaving.insert(id)
                if let connection = state.connections[id] { leaving.append(connection) }
            }
            return leaving
        }
        guard !leaving.isEmpty else { return }
        for connection in leaving { connection.close() }
        log()
    }

    /// Accepts again, now that another may give way. (When a connection is closed, Hummingbird asks by itself.)
    private func resume() {
        let listener = state.withLock { state in
            guard state.isHolding, !state.isFull(maximum) else { return nil as (any Channel)? }
            state.isHolding = false
            return state.listener
        }
        listener?.read()
    }

    private func log() {
        let now = now()
        let isFirst = state.withLock { state in
            if let last = state.logged, now < last.advanced(by: Self.logInterval) { return false }
            state.logged = now
            return true
        }
        guard isFirst else { return }
        logger.notice(
            "the control API has all the connections that it may have: new clients take the place of idle ones",
            metadata: ["listener": "\(listener)", "limit": "\(maximum)"])
    }
}

/// How long a client may make lightd wait.
struct ConnectionTimeouts: Equatable, Sendable {
    /// How long a new connection has to send a request before it may have to give way to another.
    var grace: Duration = .seconds(1)
    /// From the connection to the first whole request head.
    var firstHead: Duration = .seconds(10)
    /// From an answer to the next whole request head.
    var idle: Duration = .seconds(60)
    /// The same for a client without access that has been given a file of the page.
    var visitor: Duration = .seconds(5)
    /// From the connection to its end, for a client that has never shown a token, however it spends the time: reading
    /// or writing slowly must not keep a place for ever.
    var unknown: Duration = .seconds(20)
    /// For a request's whole body.
    var body: Duration = .seconds(10)
    /// For the few bytes with which a page signs in.
    var signIn: Duration = .seconds(3)
    /// Until the client takes the bytes that wait for it. After this long without progress it reads no more; over TCP,
    /// it is gone if it has not even acknowledged them.
    var write: Duration = .seconds(30)
    /// From the answer to a client without access until its connection is closed. It closes first, if it reads at all:
    /// closing earlier could destroy the answer ("lingering close", RFC 9112, 9.6).
    var lingeringClose: Duration = .seconds(1)
}

/// On a graceful shutdown, leaves a connection that has not brought a request yet the time to do so: its client may have
/// connected just before, and must be told that nothing was carried out.
///
/// Tells the connection of each head as soon as it is read, because only here that is certain to come before the timers of
/// the event loop: after lightd stood still, as on a machine that was paused, the request would be closed unanswered, and
/// carried out, while the task that answers it has yet to begin.
final class FirstRequestGrace: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// A client that is slower finds the connection closed before lightd has read anything.
    private static let grace = TimeAmount.milliseconds(100)

    private let connection: ClientConnection
    private var hasRequest = false
    private var waiting: Scheduled<Void>?

    init(_ connection: ClientConnection) { self.connection = connection }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireChannelRead(data)
        guard case .head = Self.unwrapInboundIn(data) else { return }
        connection.requestCame()
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
