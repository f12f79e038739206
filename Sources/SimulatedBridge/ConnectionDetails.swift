extension SimulatedBridge {
    /// What a client needs to reach a running bridge: its identity, addresses and certificate.
    public struct ConnectionDetails: Codable, Equatable, Sendable {
        public let name: String
        /// 16 hex digits, lower case.
        public let bridgeID: String
        /// "BSB002" …
        public let model: String
        public let host: String
        /// 0 if the model has no HTTPS.
        public var httpsPort: Int
        public var httpPort: Int
        public var controlPort: Int
        /// The public key's pin, "sha256//…" as curl writes it.
        public var pin: String
        /// The certificate's SHA-256, 64 hex digits, lower case.
        public var fingerprint: String

        enum CodingKeys: String, CodingKey {
            case name, model, host, pin
            case bridgeID = "bridge_id"
            case httpsPort = "https_port"
            case httpPort = "http_port"
            case controlPort = "control_port"
            case fingerprint = "certificate_sha256"
        }
    }
}
