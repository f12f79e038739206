/// Why a request failed. The description can be shown to the user.
public enum CurlError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No connection was made and nothing was sent: refused, no route, unknown name, or timed out.
    case noConnection(String)
    /// The certificate has the wrong name, root or key. Only the TLS handshake was sent.
    case certificateRefused(String)
    /// The deadline passed after the request was sent.
    case timedOut
    /// The connection was lost before the response was complete.
    case broken(String)
    /// The response is longer than the request allows, or its reader fell too far behind.
    case tooMuch
    case cancelled
    /// The client was shut down.
    case closed
    /// The request is malformed.
    case invalid(String)

    public var description: String {
        switch self {
        case let .noConnection(text), let .certificateRefused(text), let .broken(text), let .invalid(text): text
        case .timedOut: "no answer in time"
        case .tooMuch: "the response is too long"
        case .cancelled: "cancelled"
        case .closed: "the client was shut down"
        }
    }
}
