/// The event stream of one client.
struct EventReader: Sendable {
    let pieces: AsyncStream<[UInt8]>
    /// Ends the stream because the client has disconnected. Idempotent; any thread.
    let close: @Sendable () -> Void
}
