/// A service found on the network, with its address and TXT record.
public struct DiscoveredService: Hashable, Sendable {
    /// The instance's name: `Hue Bridge - A1B2C3`. Any UTF-8, at most 63 bytes.
    public var name: String

    /// `_hue._tcp`
    public var type: String

    /// `local`
    public var domain: String

    /// The SRV record's host without the final dot: `ecb5fa010203.local`.
    public var host: String

    /// 0...65535
    public var port: Int

    /// Never empty, without duplicates, in the order in which to try them (``IPAddress``).
    public var addresses: [IPAddress]

    /// The TXT record: keys in lower case, the empty string for a key without a value, U+FFFD for invalid UTF-8.
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
