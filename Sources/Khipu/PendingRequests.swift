/// Where callers ask and wait: hands out tickets, posts the command, and gives each caller the response that bears its own
/// ticket, also when two of them asked for the same thing at once.
@DomainActor
public final class PendingRequests<Message: Ticketed & Sendable> {
    private var next: UInt64
    private var waiting: [UInt64: AsyncStream<Message>.Continuation] = [:]
    private let post: Output<Message>

    /// - Parameter firstNumber: the first ticket's number, above 0. A daemon that keeps a journal starts above the last
    ///   number in it, so that a ticket stays unique over restarts.
    public init(firstNumber: UInt64 = 1, post: @escaping Output<Message>) {
        self.next = Swift.max(firstNumber, 1)
        self.post = post
    }

    /// Posts the command made around a new ticket and waits for its response.
    ///
    /// - Returns: the response; `nil` when the caller's task was cancelled first, or the object was closed. The command itself
    ///   is not taken back: it was posted and runs its course.
    public func send(
        holder: String,
        at time: Timestamp,
        _ command: (Ticket) -> Message
    ) async -> Message? {
        await follow(holder: holder, at: time, until: { $0.isResponse }, command)?.last
    }

    /// Posts the command made around a new ticket and hears everything that bears this ticket, until the last word: for a caller
    /// to whom the response is not the end of the matter.
    ///
    /// - Parameter isLast: whether the caller has heard enough with this message. It must become so for every way in which the
    ///   command can end, or the caller waits until it is cancelled or the object was closed.
    /// - Returns: all of it in order, beginning with the command itself; `nil` as for ``send(holder:at:_:)``.
    public func follow(
        holder: String,
        at time: Timestamp,
        until isLast: (Message) -> Bool,
        _ command: (Ticket) -> Message
    ) async -> [Message]? {
        let ticket = issue(to: holder, at: time)
        let (words, slot) = AsyncStream<Message>.makeStream()
        waiting[ticket.number] = slot
        defer { waiting[ticket.number] = nil }
        post(command(ticket))
        var heard: [Message] = []
        for await word in words {
            heard.append(word)
            if isLast(word) { return heard }
        }
        return nil
    }

    /// A ticket for somebody who does not wait for the outcome.
    public func issue(to holder: String, at time: Timestamp) -> Ticket {
        defer { next += 1 }
        return Ticket(number: next, holder: holder, time: time)
    }

    /// The receiver to put at the end of the domain's list: hears everything and hands it to the caller whose ticket it bears.
    public var receiver: Input<Message> {
        { [weak self] message in
            self?.waiting[message.ticket.number]?.yield(message)
        }
    }

    /// How many callers wait just now.
    public var count: Int { waiting.count }

    /// Lets every waiting caller go with `nil`.
    public func close() {
        for caller in waiting.values { caller.finish() }
    }
}
