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
