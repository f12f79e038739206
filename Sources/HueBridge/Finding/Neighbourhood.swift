import Lighting
import ServiceDiscovery

/// The bridges that announce themselves, as a function, so that tests need no network.
struct Neighbourhood: Sendable {
    /// Looks for so long, or until `enough` says so of what was seen.
    var look: @Sendable (Duration, _ enough: @escaping @Sendable ([Announced]) -> Bool) async -> View

    struct View: Equatable, Sendable {
        var seen: [Announced] = []
        /// Why nobody could look, in plain words.
        var problem: String?
    }

    /// One announced bridge, at each of its addresses.
    struct Announced: Equatable, Sendable {
        let name: String
        let id: Bridge.ID?
        let addresses: [Bridge.Address]
    }

    static let mdns = Neighbourhood { duration, enough in
        await withTaskGroup(of: View?.self) { group in
            group.addTask {
                var services: [String: DiscoveredService] = [:]
                for await event in ServiceBrowser().browse("_hue._tcp") {
                    switch event {
                    case let .found(service), let .changed(service): services[service.name] = service
                    case let .removed(name, _, _): services[name] = nil
                    case let .failed(error): return View(seen: announced(services), problem: "\(error)")
                    }
                    if enough(announced(services)) || Task.isCancelled { break }
                }
                return View(seen: announced(services))
            }
            group.addTask {
                try? await Task.sleep(for: duration)  // cancelled: the view is there
                return nil
            }
            // The first to end ends the other; a cancelled browse still tells what it saw.
            let first = await group.next() ?? nil
            group.cancelAll()
            if let first { return first }
            return await group.next().flatMap { $0 } ?? View()
        }
    }

    /// Looks at nothing: where mDNS is switched off.
    static let blind = Neighbourhood { _, _ in View() }

    private static func announced(_ services: [String: DiscoveredService]) -> [Announced] {
        services.values.sorted { $0.name < $1.name }.map { service in
            Announced(
                name: service.name,
                id: service.text["bridgeid"].map { Bridge.ID($0) },
                addresses: service.addresses.map { Bridge.Address(host: "\($0)", port: service.port) }
            )
        }
    }
}
