/// Where the control API listens, and how many requests it handles at once.
public struct ControlServerSettings: Sendable {
    /// The unix socket, which stays when the server ends.
    public var socket: ControlSocket
    /// `nil`: TCP is off.
    public var tcp: TCP?
    /// The most connections of the unix socket, at least 1. ``TCP`` has its own.
    public var maximumConnections: Int
    /// Not public: only tests use shorter values.
    var timeouts = ConnectionTimeouts()
    /// Not public: only tests have other machines.
    var machineAddresses: @Sendable () -> [String] = PageAddresses.machine
    /// Not public: only tests have another clock.
    var uptime: @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    /// The most commands that wait for their outcome; one more is answered with 503.
    public var maximumInFlight: Int
    /// The most streams of events and of the log over the unix socket; one more is answered with 503. ``TCP`` has its
    /// own: pages that leave their streams open must not lock out those who sit at the machine.
    public var maximumStreams: Int

    public struct TCP: Sendable {
        /// The address to listen on.
        public var host: String
        /// 0: the system chooses a port.
        public var port: Int
        /// A token that allows everything but to make others, sent as `Authorization: Bearer TOKEN`. `nil`: only those
        /// of the archive exist.
        public var token: String?
        /// Names that a request may address, besides the loopback names, `host` and the address that it came to: each a
        /// name, or the whole address of the page, such as "https://lights.example.org".
        public var names: [String]
        /// Addresses of reverse proxies, whose `X-Forwarded-For`, `-Host` and `-Proto` are believed.
        public var proxies: [AddressRange]
        /// With which the listener speaks TLS; `nil`: it speaks none.
        public var certificate: ServerCertificate?
        /// The most connections, at least 1.
        public var maximumConnections: Int
        /// The most streams of events and of the log; one more is answered with 503.
        public var maximumStreams: Int

        public init(
            host: String, port: Int, token: String? = nil, names: [String] = [],
            proxies: [AddressRange] = [], certificate: ServerCertificate? = nil, maximumConnections: Int = 128,
            maximumStreams: Int = 96
        ) {
            self.host = host
            self.port = port
            self.token = token
            self.names = names
            self.proxies = proxies
            self.certificate = certificate
            self.maximumConnections = maximumConnections
            self.maximumStreams = maximumStreams
        }
    }

    public init(
        socket: ControlSocket, tcp: TCP? = nil, maximumConnections: Int = 512, maximumInFlight: Int = 256,
        maximumStreams: Int = 64
    ) {
        self.socket = socket
        self.tcp = tcp
        self.maximumConnections = maximumConnections
        self.maximumInFlight = maximumInFlight
        self.maximumStreams = maximumStreams
    }
}

/// Why the control API cannot listen, for the person who started the daemon.
public struct ControlServerError: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
