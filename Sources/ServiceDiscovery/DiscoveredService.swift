/// One service as the network tells of it: where it is, and what it says of itself.
public struct DiscoveredService: Hashable, Sendable {
    /// The instance, for people: `Hue Bridge - A1B2C3`. Any UTF-8, at most 63 bytes.
    public var name: String

    /// `_hue._tcp`
    public var type: String

    /// `local`
    public var domain: String

    /// The SRV record's host without its last dot: `ecb5fa010203.local`.
    public var host: String

    /// 0...65535
    public var port: Int

    /// Never empty, each once, the one to try first at the front (``IPAddress``).
    public var addresses: [IPAddress]

    /// The TXT record: keys in lower case; a key without a value has the empty one. Bytes that are no UTF-8 became
    /// U+FFFD.
    public var text: [String: String]

    public init(
        name: String, type: String, domain: String = "local", host: String, port: Int, addresses: [IPAddress],
        text: [String: String] = [:]
    ) {
        self.name = name
        self.type = type
        self.domain = domain
        self.host = host
        self.port = port
        self.addresses = addresses
        self.text = text
    }
}
