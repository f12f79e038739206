/// The way to the bridges themselves: finding, pairing, and keeping the line to those we are paired with.
public struct BridgeStack: Sendable {
    /// Looks for bridges on every way there is, for about so long; tells which way tried what.
    public var discover: @Sendable (Duration, @escaping Reply<[Discovery]>) -> Void
    /// Pairs with a bridge (`nil`: the only one in reach) once its link button is pressed, waiting at most so long.
    public var pair: @Sendable (Bridge.ID?, Duration, @escaping Reply<Result<Pairing, Failure>>) -> Void
    /// Begins to keep the line to a paired bridge; takes the place of a line under another key or pin.
    public var connect: @Sendable (Pairing) -> Void
    /// Ends the line, and takes our key off the bridge where it can be reached and allows it.
    public var forget: @Sendable (Bridge.ID, @escaping Reply<Outcome>) -> Void
    /// Names the one who hears how the lines are. Called once, before anything else.
    public var listen: @Sendable (@escaping @Sendable (ConnectionEvent) -> Void) -> Void

    public init(
        discover: @escaping @Sendable (Duration, @escaping Reply<[Discovery]>) -> Void,
        pair: @escaping @Sendable (Bridge.ID?, Duration, @escaping Reply<Result<Pairing, Failure>>) -> Void,
        connect: @escaping @Sendable (Pairing) -> Void,
        forget: @escaping @Sendable (Bridge.ID, @escaping Reply<Outcome>) -> Void,
        listen: @escaping @Sendable (@escaping @Sendable (ConnectionEvent) -> Void) -> Void
    ) {
        self.discover = discover
        self.pair = pair
        self.connect = connect
        self.forget = forget
        self.listen = listen
    }
}

/// News of the line to a bridge.
public enum ConnectionEvent: Equatable, Codable, Sendable {
    /// Everything was fetched, and what changes is heard so from now on.
    case connected(Bridge.ID, by: Bridge.UpdateMode)
    case lost(Bridge.ID, because: Failure)
    /// Seen at another address, name or model than before.
    case seen(Bridge.ID, at: Bridge.Address, name: String, model: String)
}

/// A bridge that was found, or an attempt that found none.
public struct Discovery: Equatable, Codable, Sendable {
    /// `nil` for a way that led to no bridge: its attempts say why.
    public let id: Bridge.ID?
    public let name: String
    public let model: String
    public let address: Bridge.Address?
    public let attempts: [Attempt]

    /// One way that was tried.
    public struct Attempt: Equatable, Codable, Sendable {
        public let way: Way
        /// What was asked: an address, a service type.
        public let asked: String
        /// What came of it, in plain words.
        public let result: String
        public let succeeded: Bool

        public init(way: Way, asked: String, result: String, succeeded: Bool) {
            self.way = way
            self.asked = asked
            self.result = result
            self.succeeded = succeeded
        }
    }

    public enum Way: String, Codable, Sendable { case mdns, configured, lastKnown, cloud }

    public init(id: Bridge.ID?, name: String, model: String, address: Bridge.Address?, attempts: [Attempt]) {
        self.id = id
        self.name = name
        self.model = model
        self.address = address
        self.attempts = attempts
    }
}

/// What pairing won: the secrets of one bridge. Goes from the gateway to the archive and back, and never into a message.
public struct Pairing: Equatable, Sendable {
    public let bridge: Bridge
    public let key: Secret
    /// For entertainment streaming; bridges give it only once.
    public let clientKey: Secret?
    public let trust: Trust
    public let api: API

    /// Which of its APIs is spoken with it. What it is called in one it is not in the other, so this stays until it is paired anew.
    public enum API: Int, Codable, Sendable, CaseIterable {
        /// Round bridges, deCONZ and others that know no better: lights have numbers, and nothing is told unasked.
        case v1 = 1
        /// With an event stream.
        case v2
    }

    /// How its certificate is checked from now on.
    public enum Trust: Hashable, Codable, Sendable {
        /// By the maker's roots, and CN = bridge id.
        case maker
        /// Self-signed: by its public key as seen at pairing, "sha256//BASE64".
        case pinned(String)
        /// Not at all, over plain HTTP: for a bridge that has no HTTPS, and never showed any.
        case plain
    }

    public init(bridge: Bridge, key: Secret, clientKey: Secret?, trust: Trust, api: API = .v2) {
        self.bridge = bridge
        self.key = key
        self.clientKey = clientKey
        self.trust = trust
        self.api = api
    }

    /// The same secrets, of a bridge that was seen elsewhere or under another name.
    public func with(_ bridge: Bridge) -> Self {
        Self(bridge: bridge, key: key, clientKey: clientKey, trust: trust, api: api)
    }
}

/// A text that does not print itself.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public let revealed: String

    public init(_ text: String) {
        revealed = text
    }

    public var description: String { "(secret)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
