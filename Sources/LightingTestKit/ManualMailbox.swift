public import Khipu
import Synchronization

/// A mailbox emptied by hand, so that a test decides when messages are delivered, and sees when there are none left.
public final class ManualMailbox<Message: Sendable>: Sendable {
    private let queue = Mutex<[Message]>([])

    public init() {}

    public var post: Output<Message> {
        { message in self.queue.withLock { $0.append(message) } }
    }

    /// Delivers, in order of arrival, until nothing is left, including what is posted meanwhile.
    @DomainActor
    public func deliver(to input: @escaping Input<Message>) {
        while let message = queue.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { input(message) }
    }
}
