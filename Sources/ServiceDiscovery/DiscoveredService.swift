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

/// What a ``ServiceBrowser`` reports.
public enum DiscoveryEvent: Equatable, Sendable {
    /// A new service, with its host, port, text and at least one address. Reported once, however many interfaces show
    /// it.
    case found(DiscoveredService)

    /// A known service has a new host, port, text or set of addresses.
    case changed(DiscoveredService)

    /// No interface shows the service any more: it said goodbye, or its records expired.
    case removed(name: String, type: String, domain: String)

    /// Browsing is interrupted. Reported once per outage. The browser retries by itself, and known services stay until
    /// they are reported again, changed or removed. Only ``DiscoveryError/badRequest(_:)`` ends the stream.
    case failed(DiscoveryError)

    /// The daemon answers again after ``failed(_:)``.
    case resumed
}

/// Identifies a service by its instance, type and domain, without final dots.
struct ServiceName: Hashable {
    var name: String
    var type: String
    var domain: String

    init(name: String, type: String, domain: String) {
        self.name = name
        self.type = type.withoutLastDot
        self.domain = domain.withoutLastDot
    }
}

extension String {
    /// dns_sd ends every domain name with a dot.
    var withoutLastDot: String { hasSuffix(".") ? String(dropLast()) : self }
}

/// The parameters of a registration, checked and in dns_sd's terms.
struct ServiceOffer: Sendable {
    var name: String
    var type: String
    var port: Int

    /// `nil` is this machine.
    var host: String?

    /// An interface index; 0 is every interface.
    var interface: UInt32

    /// The whole TXT record in wire format.
    var text: [UInt8]
}

/// The next name to try if one is taken: `Lamp`, `Lamp #2`, `Lamp #3`, as avahi itself counts.
///
/// Avahi's dns_sd renames a service if another machine has its name, but fails if another program on this machine has
/// it.
func alternativeName(after name: String) -> String {
    var stem = name[...]
    var number = 2
    if let mark = name.lastIndex(of: "#"), let last = Int(name[name.index(after: mark)...]), last > 1, last < .max,
        name[..<mark].hasSuffix(" ")
    {
        stem = name[..<mark].dropLast()
        number = last + 1
    }
    let suffix = " #\(number)"
    // A DNS label holds 63 bytes. Drops whole characters, never half of one.
    while stem.utf8.count + suffix.utf8.count > 63 { stem = stem.dropLast() }
    return stem + suffix
}
