public import Khipu

/// The message that a stored command means now: its names are looked up in this state.
///
/// - Throws: ``Failure/invalid(_:)`` with words for a person if a name no longer exists.
public typealias CommandResolver =
    @DomainActor @Sendable (StoredCommand, AppState, Timestamp) throws(Failure) -> (@Sendable (Ticket) -> Message)

/// Makes a ticket for a command that the domain itself sends.
///
/// - Parameters: who sends it, when, and what it has in common with other commands of one step to undo.
public typealias TicketIssuer = @DomainActor @Sendable (String, Timestamp, String?) -> Ticket
