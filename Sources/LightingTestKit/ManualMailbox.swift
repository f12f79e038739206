public import Khipu
import Synchronization

/// A mailbox emptied by hand: a test decides when messages are delivered, and knows when none are left.
public final class ManualMailbox<Message: Sendable>: Sendable {
    private let queue = Mutex<[Message]>([])

    public init() {}

    public var post: Output<Message> {
        { message in self.queue.withLock { $0.append(message) } }
    }

    /// Delivers in order of arrival until none are left, including those posted meanwhile.
    @DomainActor
    public func deliver(to input: @escaping Input<Message>) {
        while let message = queue.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { input(message) }
    }

    public var isEmpty: Bool { queue.withLock(\.isEmpty) }

    /// Delivers the message that arrived first.
    ///
    /// - Returns: whether there was one.
    @DomainActor
    public func deliverOne(to input: @escaping Input<Message>) -> Bool {
        guard let message = queue.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return false }
        input(message)
        return true
    }
}
