/// Makes one picture of what dns_sd reports piece by piece: once for each interface and protocol, host before address,
/// and all over again after the daemon was away.
///
/// A service is told of when its host, port, text and an address are known. It keeps its last address until another
/// comes, for an address that changes goes before its successor arrives.
struct ServiceFold {
    /// One raw callback.
    enum Report: Equatable {
        case appeared(ServiceName, interface: UInt32)
        case disappeared(ServiceName, interface: UInt32)
        case resolved(ServiceName, host: String, port: Int, text: [String: String])
        case addressAppeared(ServiceName, IPAddress)
        case addressDisappeared(ServiceName, IPAddress)
        /// Nobody watches the addresses now; those still there will be reported anew.
        case addressesUnknown(ServiceName)
    }

    private struct Sighting {
        /// How often each interface showed it: dns_sd does not say by which protocol.
        var interfaces: [UInt32: Int] = [:]
        var resolution: Resolution?
        /// How often each address was shown, for the same reason.
        var addresses: [IPAddress: Int] = [:]
        var told: DiscoveredService?
    }

    private struct Resolution {
        var host: String
        var port: Int
        var text: [String: String]
    }

    private var sightings: [ServiceName: Sighting] = [:]

    /// Whether an interface shows the service now.
    func isPresent(_ name: ServiceName) -> Bool {
        sightings[name]?.interfaces.isEmpty == false
    }

    mutating func take(_ report: Report) -> DiscoveryEvent? {
        switch report {
        case let .appeared(name, interface):
            sightings[name, default: Sighting()].interfaces[interface, default: 0] += 1
            return nil

        case let .disappeared(name, interface):
            guard let count = sightings[name]?.interfaces[interface] else { return nil }
            sightings[name]?.interfaces[interface] = count > 1 ? count - 1 : nil
            return isPresent(name) ? nil : forget(name)

        case let .resolved(name, host, port, text):
            guard isPresent(name) else { return nil }
            if sightings[name]?.resolution?.host != host { sightings[name]?.addresses = [:] }
            sightings[name]?.resolution = Resolution(host: host, port: port, text: text)
            return tell(name)

        case let .addressAppeared(name, address):
            guard isPresent(name) else { return nil }
            sightings[name]?.addresses[address, default: 0] += 1
            return tell(name)

        case let .addressDisappeared(name, address):
            guard let count = sightings[name]?.addresses[address] else { return nil }
            sightings[name]?.addresses[address] = count > 1 ? count - 1 : nil
            return tell(name)

        case let .addressesUnknown(name):
            sightings[name]?.addresses = [:]
            return nil
        }
    }

    /// No interface shows anything any more, which says nothing of the services: they stay as told, until ``settle()``.
    mutating func daemonLeft() {
        sightings = sightings.compactMapValues { $0.told == nil ? nil : Sighting(told: $0.told) }
    }

    /// The daemon has been back for long enough to have shown what there is; the rest is gone.
    mutating func settle() -> [DiscoveryEvent] {
        sightings.keys.filter { !isPresent($0) }.sorted { $0.name < $1.name }.compactMap { forget($0) }
    }

    private mutating func forget(_ name: ServiceName) -> DiscoveryEvent? {
        guard sightings.removeValue(forKey: name)?.told != nil else { return nil }
        return .removed(name: name.name, type: name.type, domain: name.domain)
    }

    private mutating func tell(_ name: ServiceName) -> DiscoveryEvent? {
        guard let sighting = sightings[name], let resolution = sighting.resolution, !sighting.addresses.isEmpty else {
            return nil
        }
        let service = DiscoveredService(
            name: name.name, type: name.type, domain: name.domain, host: resolution.host, port: resolution.port,
            addresses: sighting.addresses.keys.sorted(), text: resolution.text
        )
        guard service != sighting.told else { return nil }
        sightings[name]?.told = service
        return sighting.told == nil ? .found(service) : .changed(service)
    }
}
