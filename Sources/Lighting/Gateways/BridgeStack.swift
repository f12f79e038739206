/// The gateway to the bridges themselves: discovers them, pairs with them, and keeps the connection to those that are
/// paired.
public struct BridgeStack: Sendable {
    /// Looks for bridges by every method for about this long, and reports what each method tried.
    public var discover: @Sendable (Duration, @escaping Reply<[Discovery]>) -> Void
    /// Pairs with a bridge (`nil`: the only one in reach) once its link button is pressed; waits at most this long.
    public var pair: @Sendable (Bridge.ID?, Duration, @escaping Reply<Result<Pairing, Failure>>) -> Void
    /// Opens the connection to a paired bridge and keeps it; replaces a connection with another key or pin.
    public var connect: @Sendable (Pairing) -> Void
    /// Deletes on the bridge the key of a pairing that could not be saved, if the bridge can be reached and allows it.
    public var revoke: @Sendable (Pairing) -> Void
    /// Closes the connection, and deletes our key on the bridge if it can be reached and allows it.
    public var forget: @Sendable (Bridge.ID, @escaping Reply<Outcome>) -> Void
    /// Sets the listener for the state of the connections. Called once, before anything else.
    public var listen: @Sendable (@escaping @Sendable (ConnectionEvent) -> Void) -> Void

    public init(
        discover: @escaping @Sendable (Duration, @escaping Reply<[Discovery]>) -> Void,
        pair: @escaping @Sendable (Bridge.ID?, Duration, @escaping Reply<Result<Pairing, Failure>>) -> Void,
        connect: @escaping @Sendable (Pairing) -> Void,
        revoke: @escaping @Sendable (Pairing) -> Void,
        forget: @escaping @Sendable (Bridge.ID, @escaping Reply<Outcome>) -> Void,
        listen: @escaping @Sendable (@escaping @Sendable (ConnectionEvent) -> Void) -> Void
    ) {
        self.discover = discover
        self.pair = pair
        self.connect = connect
        self.revoke = revoke
        self.forget = forget
        self.listen = listen
    }
}
