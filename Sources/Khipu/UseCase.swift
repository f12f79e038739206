/// Does one thing: a `Request` goes in, a `Response` comes out of the responder that was given at creation, together with
/// everything else the use case depends on.
///
/// A use case may respond at once, later from a gateway's thread, or never: a fire-and-forget request has no answer to give.
public protocol UseCase<Request, Response>: Sendable {
    associatedtype Request
    associatedtype Response

    @DomainActor func request(to request: Request)
}
