import ControlProtocol
import ServerSentEvents

/// The events of one stream, read when they are asked for.
final class EventStream {
    enum Next: Equatable {
        case event(ServerSentEvent)
        /// The time is over, or a signal came in between.
        case nothing
        /// lightd has ended the stream.
        case end
    }

    private let stream: Transport.Stream
    private let reply: (TransportError) -> ErrorReply
    private var parser = ServerSentEvent.Parser()
    private var decoded: ArraySlice<ServerSentEvent> = []

    init(_ stream: Transport.Stream, reply: @escaping (TransportError) -> ErrorReply) {
        (self.stream, self.reply) = (stream, reply)
    }

    /// - Parameter wait: at most so long; `nil` waits for as long as it takes.
    func next(atMost wait: Duration? = nil) throws(ErrorReply) -> Next {
        do throws(TransportError) {
            while decoded.isEmpty {
                switch try stream.next(wait) {
                case let .bytes(bytes): decoded = parser.read(bytes)[...]
                case .nothing where wait == nil: break
                case .nothing: return .nothing
                case .end: return .end
                }
            }
        } catch {
            throw reply(error)
        }
        return .event(decoded.removeFirst())
    }
}
