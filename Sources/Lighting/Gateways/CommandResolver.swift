public import Khipu

/// Reads the commands that automations keep, for a domain that does not know their language.
public struct CommandResolver: Sendable {
    /// The message that a stored command means now: its names are looked up in this state.
    ///
    /// - Throws: ``Failure/invalid(_:)`` with words for a person if a name no longer exists.
    let message:
        @DomainActor @Sendable (StoredCommand, AppState, Timestamp) throws(Failure) -> (@Sendable (Ticket) -> Message)
    /// The same command with other names in the place of its own.
    let renamed: @Sendable (StoredCommand, (NameUse) -> String) -> StoredCommand

    public init(
        message:
            @escaping @DomainActor @Sendable (
                StoredCommand, AppState, Timestamp
            ) throws(Failure) -> (@Sendable (Ticket) -> Message),
        renamed: @escaping @Sendable (StoredCommand, (NameUse) -> String) -> StoredCommand
    ) {
        (self.message, self.renamed) = (message, renamed)
    }
}

/// Makes a ticket for a command that the domain itself sends.
///
/// - Parameters: who sends it, when, and what it has in common with other commands of one step to undo.
public typealias TicketIssuer = @DomainActor @Sendable (String, Timestamp, String?) -> Ticket
