/// The callers that wait for a response. Issues tickets, posts commands, and gives each caller the response with its
/// own ticket, even if two callers send the same command at once.
@DomainActor
public final class PendingRequests<Message: Ticketed & Sendable> {
    private var next: UInt64
    private var waiting: [UInt64: AsyncStream<Message>.Continuation] = [:]
    private let post: Output<Message>

    /// - Parameter firstNumber: the number of the first ticket, above 0. A daemon with a journal starts above the last
    ///   number in it, so that tickets stay unique across restarts.
    public init(firstNumber: UInt64 = 1, post: @escaping Output<Message>) {
        self.next = Swift.max(firstNumber, 1)
        self.post = post
    }

    /// Posts the command made with a new ticket and waits for its response.
    ///
    /// - Parameter withdrawal: made and posted if the caller leaves before the response.
    /// - Returns: the response; `nil` if the caller's task was cancelled or ``close()`` was called first. Without a
    ///   withdrawal the command runs its course: it was posted.
    public func send(
        holder: String,
        at time: Timestamp,
        gesture: String? = nil,
        withdrawal: ((Ticket) -> Message)? = nil,
        _ command: (Ticket) -> Message
    ) async -> Message? {
        var ticket: Ticket?
        let messages = await self.messages(for: holder, at: time, gesture: gesture, until: { $0.isResponse }) {
            ticket = $0
            return command($0)
        }
        if messages == nil, let ticket, let withdrawal { post(withdrawal(ticket)) }
        return messages?.last
    }

    /// Posts the command made with a new ticket and collects every message with that ticket, for a caller that has to
    /// wait for more than the response.
    ///
    /// - Parameter isLast: whether this message ends the wait. It must return true for every way in which the command
    ///   can end; otherwise the caller waits until it is cancelled or ``close()`` is called.
    /// - Returns: the messages in order, beginning with the command itself; `nil` as for
    ///   ``send(holder:at:gesture:_:)``.
    public func messages(
        for holder: String,
        at time: Timestamp,
        gesture: String? = nil,
        until isLast: (Message) -> Bool,
        _ command: (Ticket) -> Message
    ) async -> [Message]? {
        let ticket = issue(to: holder, at: time, gesture: gesture)
        let (messages, continuation) = AsyncStream<Message>.makeStream()
        waiting[ticket.number] = continuation
        defer { waiting[ticket.number] = nil }
        post(command(ticket))
        var received: [Message] = []
        for await message in messages {
            received.append(message)
            if isLast(message) { return received }
        }
        return nil
    }

    /// A ticket for a caller that does not wait for the response.
    public func issue(to holder: String, at time: Timestamp, gesture: String? = nil) -> Ticket {
        defer { next += 1 }
        return Ticket(number: next, holder: holder, time: time, gesture: gesture)
    }

    /// Passes each message to the caller that waits for its ticket. Belongs at the end of the domain's list.
    public var receiver: Input<Message> {
        { [weak self] message in
            self?.waiting[message.ticket.number]?.yield(message)
        }
    }

    /// How many callers are waiting.
    public var count: Int { waiting.count }

    /// Ends every wait with `nil`.
    public func close() {
        for caller in waiting.values { caller.finish() }
    }
}
