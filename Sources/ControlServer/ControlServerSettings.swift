/// Where the control API listens, and how much it lets in at once.
public struct ControlServerSettings: Sendable {
    /// The path of the unix socket; at most 107 bytes, as the kernel's `sun_path` holds 108 with its final zero (unix(7)).
    public var socket: String
    /// `nil`: not over TCP at all.
    public var tcp: TCP?
    /// Commands that wait for their outcome; one more is answered 503.
    public var maximumInFlight: Int
    /// Streams of events and of the log; one more is answered 503.
    public var maximumStreams: Int

    public struct TCP: Sendable {
        /// The address to listen on.
        public var host: String
        /// 0: the system chooses one.
        public var port: Int
        /// Every request but the health paths' must bear it as `Authorization: Bearer TOKEN`.
        public var token: String
        /// Names under which this machine may be asked, beside the loopback ones and `host`.
        public var names: [String]

        public init(host: String = "127.0.0.1", port: Int, token: String, names: [String] = []) {
            self.host = host
            self.port = port
            self.token = token
            self.names = names
        }
    }

    public init(socket: String, tcp: TCP? = nil, maximumInFlight: Int = 256, maximumStreams: Int = 64) {
        self.socket = socket
        self.tcp = tcp
        self.maximumInFlight = maximumInFlight
        self.maximumStreams = maximumStreams
    }
}
