import NIOCore

/// What a connection waits for, and until when. A value without a clock.
struct ClientProgress: Equatable {
    /// What the client may claim if there are too many connections.
    enum Standing: Equatable {
        /// Time for a first request that it is allowed.
        case new
        /// An answer, or the rest of one.
        case busy
        /// Nothing. Known is a client whose last request was allowed.
        case idle(isKnown: Bool)
    }

    /// Who sent a request.
    enum Client: Equatable {
        /// It has shown no token, and gets one answer, so that strangers cannot keep connections.
        case stranger
        /// It has shown no token, and asks for a file of the page: it may ask for more, for a moment.
        case visitor
        /// It may use its connection for other requests.
        case known
    }

    private enum Phase: Equatable {
        /// For a request's head, or first for the rest of a body that nobody asked for.
        case request(until: NIODeadline)
        /// For lightd's answer; a stream is one long answer.
        case answer
        /// For the client to close its end.
        case lingeringClose(until: NIODeadline)
    }

    private let timeouts: ConnectionTimeouts
    private var phase: Phase
    /// How many requests have no whole answer yet. A client may send the next as soon as it has read an answer, which is
    /// before lightd has noted that it was answered.
    private var unanswered = 0
    /// How many writes the client has not taken yet, and since when it has taken none.
    private var untaken = 0
    private var stuckSince: NIODeadline
    /// Whether it has only just come, and was not allowed a request yet: a stranger's must take nobody's place.
    private var isNew = true
    private var isKnown = false
    /// When it ends, unless the client is known by then; `nil` once it was.
    private var unknownEnd: NIODeadline?

    init(_ timeouts: ConnectionTimeouts, at now: NIODeadline) {
        self.timeouts = timeouts
        phase = .request(until: now + TimeAmount(timeouts.firstHead))
        stuckSince = now
        unknownEnd = now + TimeAmount(timeouts.unknown)
    }

    /// When to close the connection, unless something happens before.
    var deadline: NIODeadline? {
        let end: NIODeadline? =
            switch phase {
            case let .request(until), let .lingeringClose(until): until
            case .answer: nil
            }
        let writeEnd = untaken > 0 ? stuckSince + TimeAmount(timeouts.write) : nil
        return [end, writeEnd, unknownEnd].compactMap { $0 }.min()
    }

    var standing: Standing { isNew ? .new : phase == .answer || untaken > 0 ? .busy : .idle(isKnown: isKnown) }

    /// It has had ``ConnectionTimeouts/grace``.
    mutating func settle() { isNew = false }

    /// It was allowed a request.
    mutating func becameKnown() {
        settle()
        unknownEnd = nil
    }

    /// A whole head was read.
    mutating func requestCame() {
        unanswered += 1
        if case .request = phase { phase = .answer }
    }

    /// The oldest of the requests was answered.
    mutating func answered(_ client: Client, at now: NIODeadline) {
        unanswered -= 1
        guard phase == .answer else { return }
        isKnown = client == .known
        isNew = false
        switch client {
        case .stranger: phase = .lingeringClose(until: now + TimeAmount(timeouts.lingeringClose))
        case .visitor where unanswered == 0: phase = .request(until: now + TimeAmount(timeouts.visitor))
        case .known where unanswered == 0: phase = .request(until: now + TimeAmount(timeouts.idle))
        case .visitor, .known: break
        }
    }

    mutating func writeBegan(at now: NIODeadline) {
        if untaken == 0 { stuckSince = now }
        untaken += 1
    }

    mutating func writeWasTaken(at now: NIODeadline) {
        untaken -= 1
        stuckSince = now
    }
}
