public import Logging

/// How a daemon runs: every key of `lightd.yaml`, with its default. `Config/lightd.yaml` explains each to the person who sets it.
public struct Configuration: Equatable, Sendable {
    /// The unix socket of the control API.
    public var socket: String
    /// Where bridges with their keys, scenes, the dashboard and the journal are kept.
    public var stateDirectory: String
    public var logLevel: Logger.Level = .info
    public var discovery = Discovery()
    public var limits = Limits()
    public var polling = Polling()
    public var returning = Returning()
    public var journal = Journal()
    public var tcp = TCP()

    public struct Discovery: Equatable, Sendable {
        public var mdns = true
        /// Bridges to try besides those that announce themselves.
        public var hosts: [Host] = []
        /// Whether the maker's list is asked as well, and where it is.
        public var cloud = false
        public var cloudURL = "https://discovery.meethue.com/"
    }

    public struct Host: Equatable, Sendable {
        public var host: String
        public var port: Int

        public init(host: String, port: Int = 443) {
            self.host = host
            self.port = port
        }
    }

    /// What a bridge is asked at most.
    public struct Limits: Equatable, Sendable {
        public var lightsPerSecond = 10
        public var groupsPerSecond = 1
        public var inFlight = 3
        public var commandDeadline: Duration = .seconds(10)
    }

    /// Of bridges that tell nothing unasked.
    public struct Polling: Equatable, Sendable {
        public var interval: Duration = .seconds(5)
    }

    /// What becomes of a command to a lamp that is out of reach.
    public struct Returning: Equatable, Sendable {
        public var policy = Policy.apply
        /// How long it is kept.
        public var keep: Duration = .seconds(600)

        public enum Policy: String, Equatable, Sendable, CaseIterable {
            /// The lamp is told when it is back.
            case apply
            /// The lamp is left as it comes back.
            case leave
        }
    }

    public struct Journal: Equatable, Sendable {
        public var enabled = true
        public var entries = 100_000
        public var flush: Duration = .seconds(2)
    }

    public struct TCP: Equatable, Sendable {
        public var enabled = false
        public var host = "127.0.0.1"
        public var port = 8377
        /// A file with the bearer token, readable by its owner only.
        public var tokenFile = ""
        /// Names under which it may be asked besides its address (`Host` and `Origin`).
        public var names: [String] = []
    }

    public init(socket: String, stateDirectory: String) {
        self.socket = socket
        self.stateDirectory = stateDirectory
    }
}
