/// A queue of messages: posted from any thread, delivered by one loop, one at a time, in order of arrival.
///
/// A feature that responds while a message is being delivered never overtakes that message: a receiver late in the list
/// gets the command before the response. The queue has no bound, because a command is never dropped. Those who post
/// limit themselves: surfaces that accept commands limit how many they let in at once, and a gateway that others can flood posts
/// more only when what it has posted was delivered (``untilDelivered()``).
public final class Mailbox<Message: Sendable>: Sendable {
    private enum Item: Sendable {
        case message(Message)
        /// Ends when everything before it has been delivered.
        case mark(AsyncStream<Never>.Continuation)
    }

    private let items: AsyncStream<Item>
    private let continuation: AsyncStream<Item>.Continuation

    public init() {
        (items, continuation) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
    }

    /// Puts a message at the end of the queue. Never waits. Does nothing after ``close()``.
    public var post: Output<Message> {
        { [continuation] in continuation.yield(.message($0)) }
    }

    /// Waits until everything that was posted before this call has been delivered. Returns at once after ``close()``, and
    /// when the task is cancelled.
    public func untilDelivered() async {
        let (delivered, mark) = AsyncStream<Never>.makeStream()
        guard case .enqueued = continuation.yield(.mark(mark)) else { return }
        for await _ in delivered {}
    }

    /// Hands every message to `input` until the mailbox is closed and empty, or the task is cancelled. Start it once:
    /// two loops would each get only some of the messages.
    @DomainActor
    public func deliver(to input: @escaping Input<Message>) async {
        for await item in items {
            switch item {
            case let .message(message): input(message)
            case let .mark(mark): mark.finish()
            }
        }
    }

    /// Accepts no more messages; those already posted are still delivered. Can be called again.
    public func close() {
        continuation.finish()
    }
}
