public import ControlProtocol
public import ControlServer
import HueBridge
public import Logging
public import MQTTSurface

/// The daemon's settings: every key of `lightd.yaml` with its default. `Config/lightd.yaml` explains them to the user.
///
/// The gateway's defaults are those of ``GatewaySettings``.
public struct Configuration: Equatable, Sendable {
    /// The unix socket of the control API.
    public var socket: String
    /// The group that may use it; `nil`: that of the process.
    public var socketGroup: String?
    /// The directory of the database: bridges with their keys, scenes, the dashboard and the journal.
    public var stateDirectory: String
    public var logLevel: Logger.Level = .info
    public var discovery = Discovery()
    public var limits = Limits()
    public var polling = Polling()
    public var returning = Returning()
    public var journal = Journal()
    public var tcp = TCP()
    public var home = Home()
    public var mqtt = MQTT()
    /// Where systemd passes secrets, as `$CREDENTIALS_DIRECTORY` says. Not a key of the file.
    var credentialsDirectory: String?
    /// The file that was read; `nil` if there is none. Not a key of it.
    var file: String?
    /// Where settings were made, by their keys: "lightd.yaml:7", "environment variable LIGHTD_SOCKET", "argument --socket".
    /// Those that are not here are defaults. Not a key of the file.
    var origins: [String: String] = [:]
    /// The machine's time zone, as `$TZ` says it. Not a key of the file.
    var zoneVariable: String?
    /// For tests of whole days. Not a key of the file.
    var timeLapse: TimeLapse?

    public struct Discovery: Equatable, Sendable {
        public var mdns = GatewaySettings().usesMDNS
        /// Bridges to try in addition to those found by mDNS.
        public var hosts: [Host] = []
        /// Whether to query the maker's discovery service too.
        public var cloud = GatewaySettings().usesCloud
        public var cloudURL = GatewaySettings().cloudURL
    }

    public struct Host: Equatable, Sendable {
        public var host: String
        public var port: Int

        public init(host: String, port: Int = 443) {
            self.host = host
            self.port = port
        }
    }

    /// Rate limits towards each bridge.
    public struct Limits: Equatable, Sendable {
        public var lightsPerSecond = GatewaySettings().lightsPerSecond
        public var groupsPerSecond = GatewaySettings().groupsPerSecond
        public var inFlight = GatewaySettings().requestsInFlight
        public var commandDeadline = GatewaySettings().commandDeadline
    }

    /// For bridges without an event stream.
    public struct Polling: Equatable, Sendable {
        public var interval = GatewaySettings().pollInterval
    }

    /// What happens to a command for a lamp that is unreachable.
    public struct Returning: Equatable, Sendable {
        public var policy = GatewaySettings().appliesOnReturn ? Policy.apply : .leave
        /// How long the command stays pending.
        public var keep = GatewaySettings().offlineCommandLifetime

        public enum Policy: String, Equatable, Sendable, CaseIterable {
            /// Apply the command when the lamp returns.
            case apply
            /// Leave the lamp as it returns.
            case leave
        }
    }

    public struct Journal: Equatable, Sendable {
        public var enabled = true
        public var entries = 100_000
        /// The maximum size of the database.
        public var megabytes = 32
        public var flush: Duration = .seconds(2)
    }

    public struct TCP: Equatable, Sendable {
        public var enabled = false
        public var host = "127.0.0.1"
        public var port = 8377
        /// A file with a bearer token, readable only by its owner, or passed by systemd. Empty: only the tokens that
        /// `lightctl token` has made exist.
        public var tokenFile = ""
        /// Names accepted in `Host` and `Origin` besides the address.
        public var names: [String] = []
        /// Addresses of reverse proxies whose `X-Forwarded-` headers are believed.
        public var proxies: [AddressRange] = []
        public var tls = TLS()
    }

    /// Files in PEM with which TCP speaks TLS: both, or neither.
    public struct TLS: Equatable, Sendable {
        /// A chain of certificates, lightd's own first.
        public var certificate = ""
        /// The key of that one.
        public var key = ""

        public init(certificate: String = "", key: String = "") {
            self.certificate = certificate
            self.key = key
        }
    }

    /// Where the home is, and what its clocks show.
    public struct Home: Equatable, Sendable {
        /// Degrees north and east: both, or neither.
        public var latitude: Double?
        public var longitude: Double?
        /// As in `/usr/share/zoneinfo`; `nil`: the machine's.
        public var timeZone: String?

        public init(latitude: Double? = nil, longitude: Double? = nil, timeZone: String? = nil) {
            self.latitude = latitude
            self.longitude = longitude
            self.timeZone = timeZone
        }
    }

    /// A broker on which the home is shown.
    public struct MQTT: Equatable, Sendable {
        /// `nil`: off.
        public var broker: Broker?
        public var site = "home"
        public var tags: [String] = []
        public var user = ""
        /// A file with the password, or one that systemd passes.
        public var passwordFile = ""
        /// Files in PEM.
        public var authority = ""
        public var certificate = ""
        public var key = ""
        public var allow = TokenAccess.control
        public var discovery = MQTTSurfaceSettings.DiscoverySettings()

        public struct Broker: Equatable, Sendable {
            public var host: String
            public var port: Int
            public var usesTLS: Bool

            /// "mqtt://broker.lan", "mqtts://broker.lan:8883".
            init?(_ text: String) {
                guard let scheme = ["mqtt", "mqtts"].first(where: { text.hasPrefix("\($0)://") }) else { return nil }
                usesTLS = scheme == "mqtts"
                let rest = String(text.dropFirst("\(scheme)://".count))
                guard let place = Host(text: rest, port: usesTLS ? 8883 : 1883) else { return nil }
                (host, port) = (place.host, place.port)
            }

            var setting: String { "\(usesTLS ? "mqtts" : "mqtt")://\(Host(host: host, port: port).setting)" }
        }
    }

    public init(socket: String, stateDirectory: String) {
        self.socket = socket
        self.stateDirectory = stateDirectory
    }
}
