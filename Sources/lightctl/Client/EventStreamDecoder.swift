import ControlProtocol

/// Turns the pieces of one stream into events.
actor EventStreamDecoder {
    private let stream: Transport.Stream
    private var parser = ServerSentEvent.Parser()
    private var ready: [ServerSentEvent] = []

    init(_ stream: Transport.Stream) {
        self.stream = stream
    }

    /// The next event; `nil` when lightd has ended the stream.
    func next() async throws(TransportError) -> ServerSentEvent? {
        while ready.isEmpty {
            guard let piece = try await stream.next() else { return nil }
            ready = parser.read(piece)
        }
        return ready.removeFirst()
    }
}
