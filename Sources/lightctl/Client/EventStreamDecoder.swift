import ControlProtocol
import ServerSentEvents

/// Decodes the events of one stream.
actor EventStreamDecoder {
    private let stream: Transport.Stream
    private var parser = ServerSentEvent.Parser()
    private var decoded: [ServerSentEvent] = []

    init(_ stream: Transport.Stream) {
        self.stream = stream
    }

    /// The next event; `nil` after lightd has ended the stream.
    func next() async throws(TransportError) -> ServerSentEvent? {
        while decoded.isEmpty {
            guard let piece = try await stream.next() else { return nil }
            decoded = parser.read(piece)
        }
        return decoded.removeFirst()
    }
}
