/// Where callers ask and wait: hands out tickets, posts the command, and gives each caller the response that bears its own
/// ticket, also when two of them asked for the same thing at once.
@DomainActor
public final class Counter<Message: Ticketed & Sendable> {
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
    /// - Returns: the response; `nil` when the caller's task was cancelled first, or the counter closed. The command itself
    ///   is not taken back: it was posted and runs its course.
    public func ask(
        holder: String,
        at time: Timestamp,
        _ command: (Ticket) -> Message
    ) async -> Message? {
        let ticket = issue(to: holder, at: time)
        let (answers, slot) = AsyncStream<Message>.makeStream(bufferingPolicy: .bufferingNewest(1))
        waiting[ticket.number] = slot
        defer { waiting[ticket.number] = nil }
        post(command(ticket))
        for await answer in answers { return answer }
        return nil
    }

    /// A ticket for somebody who does not wait for the outcome.
    public func issue(to holder: String, at time: Timestamp) -> Ticket {
        defer { next += 1 }
        return Ticket(number: next, holder: holder, time: time)
    }

    /// The receiver to put at the end of the domain's list: hears every response and wakes the caller whose ticket it bears.
    public var receiver: Input<Message> {
        { [weak self] message in
            if message.isResponse { self?.waiting[message.ticket.number]?.yield(message) }
        }
    }

    /// How many callers wait just now.
    public var count: Int { waiting.count }

    /// Lets every waiting caller go with `nil`.
    public func close() {
        for caller in waiting.values { caller.finish() }
    }
}
