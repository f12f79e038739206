/// Receives the response to one request. Called on the engine's thread; each handler ends exactly once.
enum ResponseHandler: Sendable {
    case buffered(@Sendable (Result<HTTPResponse, CurlError>) -> Void)
    case streamed(
        head: @Sendable (Result<HTTPHead, CurlError>) -> Void, AsyncThrowingStream<[UInt8], any Error>.Continuation)

    func fail(_ error: CurlError) {
        switch self {
        case let .buffered(complete): complete(.failure(error))
        case let .streamed(head, body):
            head(.failure(error))
            body.finish(throwing: error)
        }
    }
}
