public import Khipu

/// A paired bridge. It is identified by its id; its address may change.
public struct Bridge: Identifiable, Equatable, Codable, Sendable, ChangeTable {
    /// The id printed on the bridge and in its certificate: 16 hexadecimal digits, in lower case here.
    public struct ID: TextID {
        public let description: String

        public init(_ id: String) {
            description = id.lowercased()
        }

        /// An id that somebody else says: 16 hexadecimal digits or, as some emulators have, another word of at most 64
        /// letters and digits of ASCII with ".", "_", ":" and "-" between them. It becomes a key of many things, and stands
        /// in lines that people paste into a shell; `nil` if it is anything else.
        public init?(fromOutside id: String) {
            func isAlphanumeric(_ byte: UInt8) -> Bool {
                let scalar = Unicode.Scalar(byte)
                return ("0"..."9").contains(scalar) || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
            }
            let (bytes, signs) = (id.utf8, Array("._:-".utf8))
            guard let first = bytes.first, isAlphanumeric(first), bytes.count <= 64,
                bytes.allSatisfy({ isAlphanumeric($0) || signs.contains($0) })
            else { return nil }
            self.init(id)
        }
    }

    public let id: ID
    public private(set) var name: String
    /// "BSB002", "BSB003"…; unknown models are fine.
    public let model: String
    public private(set) var address: Address
    public private(set) var connection: Connection
    /// As last reported; `nil` as long as nothing was. It stays while the connection is lost.
    public private(set) var firmware: Firmware?

    /// Where the bridge was last seen.
    public struct Address: Hashable, Codable, Sendable, CustomStringConvertible {
        /// A host name or an IP address, without brackets.
        public let host: String
        public let port: Int

        public init(host: String, port: Int) {
            self.host = host
            self.port = port
        }

        public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    }

    /// The bridge's own firmware.
    public struct Firmware: Hashable, Codable, Sendable {
        /// The installed one; `nil` if the bridge does not say. Opaque: "1.78.1978293000", of API v1 "1978293000".
        public var version: String?
        /// `nil` if the bridge does not say, or in words that nobody knows.
        public var update: FirmwareUpdate?

        public init(version: String? = nil, update: FirmwareUpdate? = nil) {
            (self.version, self.update) = (version, update)
        }

        var hasUpdate: Bool { update.map { $0 != .upToDate } ?? false }
    }

    public enum Connection: Hashable, Codable, Sendable {
        /// Everything was read, and changes are received.
        case connected(since: Timestamp, by: UpdateMode)
        /// Not connected: what is known of its lights is stale.
        case lost(since: Timestamp, because: Failure)
    }

    /// How changes on a bridge become known.
    public enum UpdateMode: Hashable, Codable, Sendable {
        /// By its event stream, at once.
        case stream
        /// By reading it at this interval, because it has no event stream.
        case polling(every: Duration)
    }

    // swift-format-ignore
    public enum Change: Equatable, Sendable {
        case renaming  (Renaming  ); public enum Renaming  : Equatable, Sendable { case it(to: String) }
        case moving    (Moving    ); public enum Moving    : Equatable, Sendable { case it(to: Address) }
        case connecting(Connecting); public enum Connecting: Equatable, Sendable { case it(at: Timestamp, by: UpdateMode) }
        case losing    (Losing    ); public enum Losing    : Equatable, Sendable { case it(at: Timestamp, because: Failure) }
        case reporting (Reporting ); public enum Reporting : Equatable, Sendable { case firmware(Firmware) }
    }

    public init(
        id: ID, name: String, model: String, address: Address, connection: Connection, firmware: Firmware? = nil
    ) {
        self.id = id
        self.name = name
        self.model = model
        self.address = address
        self.connection = connection
        self.firmware = firmware
    }

    public func alter(by changes: Change...) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    /// Another reason does not make it lost later.
    private var lostSince: Timestamp? {
        guard case let .lost(since: time, because: _) = connection else { return nil }
        return time
    }

    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .renaming  (.it(to: n)            ): with { $0.name = n }
        case let .moving    (.it(to: a)            ): with { $0.address = a }
        case let .connecting(.it(at: t, by: mode)  ): with { $0.connection = .connected(since: t, by: mode) }
        case let .losing    (.it(at: t, because: f)): with { $0.connection = .lost(since: lostSince ?? t, because: f) }
        case let .reporting (.firmware(f)          ): with { $0.firmware = f }
        }
    }
}

/// A change in the connection to a bridge.
public enum ConnectionEvent: Equatable, Codable, Sendable {
    /// Everything was read, and changes are received in this way from now on.
    case connected(Bridge.ID, by: Bridge.UpdateMode)
    case lost(Bridge.ID, because: Failure)
    /// Seen at another address, or with another name or model than before.
    case seen(Bridge.ID, at: Bridge.Address, name: String, model: String)
}
