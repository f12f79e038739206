/// Messages waiting for their turn. Anyone may post from any thread; one loop delivers, one message at a time, in order of
/// arrival.
///
/// A feature that answers while a message is being delivered therefore never overtakes it: a listener late in the list hears
/// the question before the answer. The queue has no bound, because a command is never dropped; those who accept commands
/// from outside limit how many they let in at once.
public final class Mailbox<Message: Sendable>: Sendable {
    private let messages: AsyncStream<Message>
    private let slot: AsyncStream<Message>.Continuation

    public init() {
        (messages, slot) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
    }

    /// Puts a message at the end of the queue. Never waits. After ``close()`` messages are no longer taken.
    public var post: Output<Message> {
        { [slot] in slot.yield($0) }
    }

    /// Hands every message to `input` until the mailbox is closed and empty, or the task is cancelled.
    /// One mailbox has one delivery loop; a second one would share the messages out between the two.
    @DomainActor
    public func deliver(to input: @escaping Input<Message>) async {
        for await message in messages { input(message) }
    }

    /// Takes no more messages; those already posted are still delivered. Idempotent.
    public func close() {
        slot.finish()
    }
}
