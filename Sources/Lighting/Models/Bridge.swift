public import Khipu

/// A bridge that we are paired with. It is its id; an address is only where it was last seen.
public struct Bridge: Identifiable, Equatable, Codable, Sendable {
    /// The id printed on the bridge and in its certificate: 16 hex digits, lower case. Opaque to us.
    public struct ID: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
        public let description: String

        public init(_ id: String) {
            description = id.lowercased()
        }

        public init(from decoder: any Decoder) throws {
            self.init(try decoder.singleValueContainer().decode(String.self))
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(description)
        }

        public static func < (one: Self, other: Self) -> Bool { one.description < other.description }
    }

    public let id: ID
    public let name: String
    /// "BSB002", "BSB003"…; opaque, an unknown one is fine.
    public let model: String
    public let address: Address
    public let connection: Connection

    /// Where the bridge was last seen.
    public struct Address: Hashable, Codable, Sendable, CustomStringConvertible {
        /// A host name or a literal address, without brackets.
        public let host: String
        public let port: Int

        public init(host: String, port: Int) {
            self.host = host
            self.port = port
        }

        public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    }

    public enum Connection: Hashable, Codable, Sendable {
        /// Everything was fetched, and what changes is heard.
        case connected(since: Timestamp, by: UpdateMode)
        /// Not connected, and why: what is known of its lights is stale.
        case lost(since: Timestamp, because: Failure)
    }

    /// How a bridge is heard.
    public enum UpdateMode: Hashable, Codable, Sendable {
        /// By its event stream: a change is known at once.
        case stream
        /// It has none and is asked this often: a change is known this much later at most.
        case polling(every: Duration)
    }

    // swift-format-ignore
    public enum Change: Equatable, Sendable {
        case renaming  (Renaming  ); public enum Renaming  : Equatable, Sendable { case it(to: String) }
        case moving    (Moving    ); public enum Moving    : Equatable, Sendable { case it(to: Address) }
        case connecting(Connecting); public enum Connecting: Equatable, Sendable { case it(at: Timestamp, by: UpdateMode) }
        case losing    (Losing    ); public enum Losing    : Equatable, Sendable { case it(at: Timestamp, because: Failure) }
    }

    public init(id: ID, name: String, model: String, address: Address, connection: Connection) {
        self.init(id, name, model, address, connection)
    }

    private init(_ id: ID, _ name: String, _ model: String, _ address: Address, _ connection: Connection) {
        self.id = id
        self.name = name
        self.model = model
        self.address = address
        self.connection = connection
    }

    public func alter(by changes: Change...) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .renaming  (.it(to: n)             ): Self(id, n   , model, address, connection                     )
        case let .moving    (.it(to: a)             ): Self(id, name, model, a      , connection                     )
        case let .connecting(.it(at: t, by: h)      ): Self(id, name, model, address, .connected(since: t, by: h)    )
        case let .losing    (.it(at: t, because: b) ): Self(id, name, model, address, .lost(since: t, because: b)    )
        }
    }
}
