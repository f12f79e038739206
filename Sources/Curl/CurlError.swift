/// Why there is no answer, in words that can be shown to a person.
public enum CurlError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No connection was made, so nothing was sent: refused, no route, an unknown name, no answer in time.
    case noConnection(String)
    /// The certificate does not convince: another name, another root, another key. Nothing but the handshake was sent.
    case certificateRefused(String)
    /// The deadline passed after the request was sent.
    case timedOut
    /// The connection was lost before the answer was complete.
    case broken(String)
    /// The answer is longer than the request allows, or its reader fell too far behind.
    case tooMuch
    case cancelled
    /// The client was shut down.
    case closed
    /// The request cannot be sent as it is.
    case invalid(String)

    public var description: String {
        switch self {
        case let .noConnection(words), let .certificateRefused(words), let .broken(words), let .invalid(words): words
        case .timedOut: "no answer in time"
        case .tooMuch: "the answer is too long"
        case .cancelled: "cancelled"
        case .closed: "the client was shut down"
        }
    }
}
