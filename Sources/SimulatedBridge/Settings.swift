/// The settings of a simulated bridge.
public struct Settings: Sendable {
    public var home: HomeFile
    /// Overrides the model in the home file.
    public var model: BridgeModel?
    /// The address to listen on.
    public var host = "127.0.0.1"
    /// 0 chooses a free port.
    public var httpsPort = 0
    public var httpPort = 0
    public var controlPort = 0
    /// Whether the bridge announces itself by mDNS.
    public var advertises = false
    /// Faults that are active from the start.
    public var quirks: [Fault] = []
    /// Ids, keys and the certificate's private key are derived from it and from names.
    public var seed: UInt64 = 1
    /// How many times faster than real time the bridge's time runs: the pairing window, fades, limits, the minute until
    /// the bridge notices a missing lamp.
    public var timeScale = 1.0
    /// How long pairing stays open after the button was pressed.
    public var buttonWindow: Duration = .seconds(30)
    /// Returns a certificate to use instead of the bridge's own until that is renewed, for the bridge id (16 hex
    /// digits, lower case).
    public var certificate: (@Sendable (_ bridgeID: String) throws -> Certificate)?
    /// The newest TLS version it offers.
    public var newestTLS = TLSVersion.v13
    /// The directory that keeps keys and lamps over a restart; `nil` keeps nothing.
    public var stateDirectory: String?

    /// Where the bridge's tasks run, if not on the default executor. The caller runs `run()` there too.
    public var executor: (any TaskExecutor)?

    public init(home: HomeFile) { self.home = home }

    /// A certificate that an authority has issued.
    public struct Certificate: Sendable {
        /// PEM: the bridge's own first, then the intermediate ones.
        public var chain: String
        /// PEM, EC P-256.
        public var privateKey: String

        public init(chain: String, privateKey: String) {
            self.chain = chain
            self.privateKey = privateKey
        }
    }

    public enum TLSVersion: Sendable { case v12, v13 }

    /// The home file with the model of the settings.
    var file: HomeFile {
        var file = home
        if let model { file.bridge = HomeFile.Bridge(name: file.bridge?.name, model: model) }
        return file
    }
}
