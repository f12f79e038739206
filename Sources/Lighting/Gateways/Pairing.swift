/// The secrets of one paired bridge. They travel between the gateway and the archive, and never in a message.
public struct Pairing: Equatable, Sendable {
    public let bridge: Bridge
    public let key: Secret
    /// For entertainment streaming. A bridge gives it out only once.
    public let clientKey: Secret?
    public let trust: Trust
    public let api: API

    /// The version of the Hue API used with it. Ids differ between the two, so the version stays until the bridge is
    /// paired again.
    public enum API: Int, Codable, Sendable, CaseIterable {
        /// For round bridges, deCONZ and others without version 2: lights have numbers, and there is no event stream.
        case v1 = 1
        /// With an event stream.
        case v2
    }

    /// How its certificate is checked.
    public enum Trust: Hashable, Codable, Sendable {
        /// Signed by the maker, with the bridge's id as the common name.
        case maker
        /// Self-signed: the public key must be the one seen at pairing, "sha256//BASE64".
        case pinned(String)
        /// Not at all, over plain HTTP: for a bridge that has never offered HTTPS.
        case plain
    }

    public init(bridge: Bridge, key: Secret, clientKey: Secret?, trust: Trust, api: API = .v2) {
        self.bridge = bridge
        self.key = key
        self.clientKey = clientKey
        self.trust = trust
        self.api = api
    }

    /// The same secrets for a bridge with another address or name.
    public func with(_ bridge: Bridge) -> Self {
        Self(bridge: bridge, key: key, clientKey: clientKey, trust: trust, api: api)
    }
}

/// A text that is never printed.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public let revealed: String

    public init(_ text: String) {
        revealed = text
    }

    public var description: String { "(secret)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
