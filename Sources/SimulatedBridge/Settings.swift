/// How a simulated bridge is made.
public struct Settings: Sendable {
    public var home: HomeFile
    /// Another model than the home file says.
    public var model: BridgeModel?
    /// Where it listens.
    public var host = "127.0.0.1"
    /// 0 chooses a free port.
    public var httpsPort = 0
    public var httpPort = 0
    public var controlPort = 0
    /// Whether it announces itself by mDNS.
    public var advertises = false
    /// What is otherwise than usual, or goes wrong, from the start.
    public var quirks: [Fault] = []
    /// From it and the names come all ids, keys and the certificate's private key.
    public var seed: UInt64 = 1
    /// How many times as fast as ours the bridge's time goes: its button's window, transitions, limits, the minute until it misses
    /// a lamp.
    public var timeScale = 1.0
    /// How long pairing is open after the button was pressed.
    public var buttonWindow: Duration = .seconds(30)
    /// What it shows instead of its own certificate until that is renewed, made for its id (16 hex digits, lower case).
    public var certificate: (@Sendable (_ bridgeID: String) throws -> Certificate)?
    /// The newest TLS it speaks.
    public var newestTLS = TLSVersion.v13
    /// Where keys and lamps are kept over a restart; nothing is kept without.
    public var stateDirectory: String?

    public init(home: HomeFile) { self.home = home }

    /// A certificate from outside, as a maker's authority would give it.
    public struct Certificate: Sendable {
        /// PEM: its own first, then those between it and the root.
        public var chain: String
        /// PEM, EC P-256.
        public var privateKey: String

        public init(chain: String, privateKey: String) {
            self.chain = chain
            self.privateKey = privateKey
        }
    }

    public enum TLSVersion: Sendable { case v12, v13 }

    /// The home file, with the model that was asked for.
    var file: HomeFile {
        var file = home
        if let model { file.bridge = HomeFile.Bridge(name: file.bridge?.name, model: model) }
        return file
    }
}
