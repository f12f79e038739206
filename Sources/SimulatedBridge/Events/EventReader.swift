/// An event stream on its way to one client.
struct EventReader: Sendable {
    let pieces: AsyncStream<[UInt8]>
    /// Ends it, because the client has gone. Idempotent; any thread.
    let leave: @Sendable () -> Void
}
