public import Khipu

/// A receiver that collects every message it hears.
@DomainActor
public final class MessageRecorder<Message: Sendable> {
    public private(set) var heard: [Message] = []

    public init() {}

    public var receiver: Input<Message> {
        { self.heard.append($0) }
    }
}
