public import Lighting
import ServiceDiscovery

extension HueGateway {
    /// Checks the search by mDNS, and each of these bridges by requests of its own. A bridge that does not answer takes
    /// some seconds; all are asked at once.
    public func checks(of bridges: [Bridge]) async -> [Check] {
        let inspections = bridges.compactMap { bridge in
            connection(bridge.id).map { BridgeInspection(bridge: bridge, connection: $0) }
        }
        let found = await withTaskGroup(of: (Int, [Check]).self) { group in
            for (place, inspection) in inspections.enumerated() {
                group.addTask { (place, await inspection.checks()) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        return [mdnsCheck] + found.sorted { $0.0 < $1.0 }.flatMap(\.1)
    }

    private var mdnsCheck: Check {
        guard settings.usesMDNS else { return Check("mdns", .ok, "off (discovery.mdns)") }
        let view = finder.browser.view
        if let problem = view.problem {
            return Check(
                "mdns", .warning,
                "bridges cannot be found, or followed to another address: \(problem.problem)",
                remedy: problem.remedy.map { .other($0) })
        }
        switch view.seen.count {
        case 0: return Check("mdns", .ok, "avahi-daemon answers; no bridge announces itself")
        case 1: return Check("mdns", .ok, "avahi-daemon answers; 1 bridge announces itself")
        case let count: return Check("mdns", .ok, "avahi-daemon answers; \(count) bridges announce themselves")
        }
    }
}
