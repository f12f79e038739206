/// Combines dns_sd's single reports into services and their events. dns_sd reports once for each interface and
/// protocol, the host before its addresses, and everything again after the daemon was away.
///
/// A service is published once its host, port, text and one address are known. Its last address is kept until another
/// arrives, because on a change the old address disappears first.
struct ServiceTable {
    /// One callback of dns_sd.
    enum Report: Equatable {
        case appeared(ServiceName, interface: UInt32)
        case disappeared(ServiceName, interface: UInt32)
        case resolved(ServiceName, host: String, port: Int, text: [String: String])
        case addressAppeared(ServiceName, IPAddress)
        case addressDisappeared(ServiceName, IPAddress)
        /// The address queries have ended; the next ones will report existing addresses again.
        case addressesUnknown(ServiceName)
    }

    private struct Instance {
        /// How many times each interface shows the instance: dns_sd does not say by which protocol.
        var interfaces: [UInt32: Int] = [:]
        var resolution: Resolution?
        /// How many times each address is reported, for the same reason.
        var addresses: [IPAddress: Int] = [:]
        var published: DiscoveredService?
    }

    private struct Resolution {
        var host: String
        var port: Int
        var text: [String: String]
    }

    private var instances: [ServiceName: Instance] = [:]

    /// The most addresses of one service: a host has two or three, and anybody may announce any number.
    static let mostAddresses = 16

    /// Whether at least one interface shows the service.
    func isPresent(_ name: ServiceName) -> Bool {
        instances[name]?.interfaces.isEmpty == false
    }

    /// The service as it was last published.
    func published(_ name: ServiceName) -> DiscoveredService? { instances[name]?.published }

    mutating func apply(_ report: Report) -> DiscoveryEvent? {
        switch report {
        case let .appeared(name, interface):
            instances[name, default: Instance()].interfaces[interface, default: 0] += 1
            return nil

        case let .disappeared(name, interface):
            guard let count = instances[name]?.interfaces[interface] else { return nil }
            instances[name]?.interfaces[interface] = count > 1 ? count - 1 : nil
            return isPresent(name) ? nil : remove(name)

        case let .resolved(name, host, port, text):
            guard isPresent(name) else { return nil }
            if instances[name]?.resolution?.host != host { instances[name]?.addresses = [:] }
            instances[name]?.resolution = Resolution(host: host, port: port, text: text)
            return publish(name)

        case let .addressAppeared(name, address):
            guard isPresent(name), let known = instances[name]?.addresses,
                known[address] != nil || known.count < Self.mostAddresses
            else { return nil }
            instances[name]?.addresses[address, default: 0] += 1
            return publish(name)

        case let .addressDisappeared(name, address):
            guard let count = instances[name]?.addresses[address] else { return nil }
            instances[name]?.addresses[address] = count > 1 ? count - 1 : nil
            return publish(name)

        case let .addressesUnknown(name):
            instances[name]?.addresses = [:]
            return nil
        }
    }

    /// Forgets all interfaces but keeps the published services until ``removeUnseen()``: the daemon's end says nothing
    /// about them.
    mutating func daemonDisconnected() {
        instances = instances.compactMapValues { $0.published == nil ? nil : Instance(published: $0.published) }
    }

    /// Removes what a daemon that came back has not shown again in time.
    mutating func removeUnseen() -> [DiscoveryEvent] {
        instances.keys.filter { !isPresent($0) }.sorted { $0.name < $1.name }.compactMap { remove($0) }
    }

    private mutating func remove(_ name: ServiceName) -> DiscoveryEvent? {
        guard instances.removeValue(forKey: name)?.published != nil else { return nil }
        return .removed(name: name.name, type: name.type, domain: name.domain)
    }

    private mutating func publish(_ name: ServiceName) -> DiscoveryEvent? {
        guard let instance = instances[name], let resolution = instance.resolution, !instance.addresses.isEmpty else {
            return nil
        }
        let service = DiscoveredService(
            name: name.name, type: name.type, domain: name.domain, host: resolution.host, port: resolution.port,
            addresses: instance.addresses.keys.sorted(), text: resolution.text
        )
        guard service != instance.published else { return nil }
        instances[name]?.published = service
        return instance.published == nil ? .found(service) : .changed(service)
    }
}
