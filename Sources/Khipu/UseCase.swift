/// Does one thing: takes a `Request` and hands each `Response` to the responder it was created with, together with
/// everything else it depends on.
///
/// The ticket travels beside the request and comes back beside the response, so that neither has to name it. A use case
/// may respond at once, later from a gateway's thread, or never.
public protocol UseCase<Request, Response>: Sendable {
    associatedtype Request
    associatedtype Response

    @DomainActor func request(to request: Request, ticket: Ticket)
}

/// Where a use case puts its responses, each with the ticket of the request it answers. May be called from any thread.
public typealias Responder<Response> = @Sendable (Response, Ticket) -> Void
