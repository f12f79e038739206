/// Where messages go in: a feature, a receiver, or a whole domain. Called on the domain's executor, one message at a
/// time.
public typealias Input<Message> = @DomainActor (Message) -> Void

/// Where messages come out. May be called from any thread: in a running program it is a mailbox's `post`.
public typealias Output<Message> = @Sendable (Message) -> Void
