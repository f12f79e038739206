/// A queue of messages: posted from any thread, delivered by one loop, one at a time, in order of arrival.
///
/// A feature that responds while a message is being delivered never overtakes that message: a receiver late in the list
/// gets the command before the response. The queue has no bound, because a command is never dropped; surfaces that
/// accept commands limit how many they let in at once.
public final class Mailbox<Message: Sendable>: Sendable {
    private let messages: AsyncStream<Message>
    private let continuation: AsyncStream<Message>.Continuation

    public init() {
        (messages, continuation) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
    }

    /// Puts a message at the end of the queue. Never waits. Does nothing after ``close()``.
    public var post: Output<Message> {
        { [continuation] in continuation.yield($0) }
    }

    /// Hands every message to `input` until the mailbox is closed and empty, or the task is cancelled. Start it once:
    /// two loops would each get only some of the messages.
    @DomainActor
    public func deliver(to input: @escaping Input<Message>) async {
        for await message in messages { input(message) }
    }

    /// Accepts no more messages; those already posted are still delivered. Can be called again.
    public func close() {
        continuation.finish()
    }
}
