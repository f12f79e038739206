public import Khipu

/// A receiver that collects every message.
@DomainActor
public final class MessageRecorder<Message: Sendable> {
    public private(set) var messages: [Message] = []

    public init() {}

    public var receiver: Input<Message> {
        { self.messages.append($0) }
    }
}
