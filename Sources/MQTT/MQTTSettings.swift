/// How a broker is reached.
public struct MQTTSettings: Equatable, Sendable {
    public var host: String
    public var port: Int
    /// `nil`: without TLS.
    public var tls: TLS?
    /// Which client this is: a broker knows one of each name.
    public var clientID: String
    public var user: String?
    public var password: String?
    /// What the broker publishes once this client is gone without a word.
    public var will: MQTTMessage?
    /// How long the broker waits for a sign of life, in seconds, half as long again.
    public var keepAlive: Int
    /// In bytes. What is longer is not even copied.
    public var longestPayload = 64 * 1024
    /// A broker that acknowledges nothing for so long does not work.
    public var patience = Duration.seconds(60)

    /// Files in PEM.
    public struct TLS: Equatable, Sendable {
        /// With whose certificates the broker's must be signed; `nil`: those that the machine trusts.
        public var authority: String?
        /// What this client shows of itself: both, or neither.
        public var certificate: String?
        public var key: String?

        public init(authority: String? = nil, certificate: String? = nil, key: String? = nil) {
            self.authority = authority
            self.certificate = certificate
            self.key = key
        }
    }

    public init(
        host: String, port: Int, tls: TLS? = nil, clientID: String, user: String? = nil, password: String? = nil,
        will: MQTTMessage? = nil, keepAlive: Int = 60
    ) {
        self.host = host
        self.port = port
        self.tls = tls
        self.clientID = clientID
        self.user = user
        self.password = password
        self.will = will
        self.keepAlive = keepAlive
    }

    /// "broker.lan:1883", "[::1]:8883"
    public var address: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
