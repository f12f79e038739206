/// What a ``ServiceBrowser`` tells of the network.
public enum DiscoveryEvent: Equatable, Sendable {
    /// A service that is new, with its host, port, text and at least one address. Told once, however many interfaces
    /// it is seen on.
    case found(DiscoveredService)

    /// A service found earlier now has another host, port, text or set of addresses.
    case changed(DiscoveredService)

    /// The last interface that showed the service shows it no more: it said goodbye, or its records ran out.
    case removed(name: String, type: String, domain: String)

    /// Looking is interrupted. Told once for each outage; the browser goes on by itself, and what was found stays as
    /// told until it is seen again, changed, or found to be gone. Only after ``DiscoveryError/badRequest(_:)`` does
    /// the stream end.
    case failed(DiscoveryError)

    /// The daemon that ``failed(_:)`` told of answers again.
    case resumed
}
