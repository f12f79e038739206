import Curl
import FoundationEssentials
import HueWire
import Khipu
import Lighting

/// Finds bridges: by mDNS, by the configured addresses, at their last known addresses, and by the maker's list.
/// Whatever answers must say which bridge it is; no secret is sent to it.
struct BridgeFinder: Sendable {
    let client: HTTPClient
    private let live: Live<GatewaySettings>
    let browser: MDNSBrowser
    let cloud: CloudLookUp
    /// For all searches together.
    private let slots = ProbeSlots(BridgeFinder.atOnce)

    /// How many addresses that anybody may have announced are probed at once.
    static let atOnce = 8

    init(client: HTTPClient, settings: Live<GatewaySettings>, browser: MDNSBrowser) {
        self.client = client
        live = settings
        self.browser = browser
        cloud = CloudLookUp(client: client, url: settings.value.cloudURL, clock: settings.value.clock)
    }

    var settings: GatewaySettings { live.value }

    /// A bridge that answered.
    struct Sighting: Equatable, Sendable {
        let id: Bridge.ID
        let name: String
        let model: String
        let address: Bridge.Address
        /// The newest API that it speaks.
        let speaks: Pairing.API
        /// Whether it answered without TLS, because nothing answered with TLS.
        let isPlain: Bool
    }

    /// The result of a search.
    struct Survey: Sendable {
        /// One for each bridge: with TLS rather than without, then the first to answer.
        let sightings: [Sighting]
        /// The same bridges, with every way that was tried; the ways that led nowhere come last.
        let discoveries: [Discovery]
    }

    /// Searches in every way at once, and reports what came of each.
    func survey(for duration: Duration, known: [Bridge.ID: Bridge.Address]) async -> Survey {
        async let named = probes(
            settings.hosts.map { Candidate(way: .configured, address: $0) }
                + known.sorted { $0.key < $1.key }.map { Candidate(way: .lastKnown, address: $0.value) })
        async let listed = askCloud()
        let announced = await browseMDNS(for: duration)
        return Self.merged(await announced + named + listed)
    }

    /// What came of one candidate: the endpoints tried, and the bridge at one of them.
    private struct Report: Sendable {
        var sighting: Sighting?
        var attempts: [Discovery.Attempt]
        let time: Duration
    }

    /// Probes bridges that are announced already while others still have time to announce themselves.
    private func browseMDNS(for duration: Duration) async -> [Report] {
        func words(_ words: String, isOff: Bool = false) -> [Report] {
            let attempt = Discovery.Attempt(
                way: .mdns, asked: "_hue._tcp", result: words, succeeded: false, isOff: isOff)
            return [Report(attempts: [attempt], time: settings.clock.now())]
        }
        guard settings.usesMDNS else { return words("mDNS is off (discovery.mdns)", isOff: true) }
        return await withTaskGroup(of: [Report].self) { group in
            let end = settings.clock.now() + duration
            var asked = Asked()
            var view = MDNSBrowser.View()
            repeat {
                let before = asked
                view = await browser.wait(end - settings.clock.now(), on: settings.clock) { seen in
                    !seen.flatMap(\.addresses).allSatisfy(before.contains)
                }
                for address in asked.insert(view.seen) {
                    group.addTask { await probeInTurn(Candidate(way: .mdns, address: address), until: end) }
                }
            } while settings.clock.now() < end && view.problem == nil && !Task.isCancelled
            var reports: [Report] = []
            for await some in group { reports += some }
            if asked.count > reports.count {
                reports += words(
                    "\(asked.count - reports.count) announced addresses were not tried: too many for one search; name "
                        + "the bridge under discovery.hosts")
            }
            if let problem = view.problem {
                return reports + words("\(problem) or name the bridge under discovery.hosts")
            }
            guard asked.count == 0 else { return reports }
            return words("no bridge announced itself within \(duration.components.seconds) s")
        }
    }

    private func askCloud() async -> [Report] {
        func report(_ words: String, _ succeeded: Bool = false, isOff: Bool = false) -> [Report] {
            let attempt = Discovery.Attempt(
                way: .cloud, asked: settings.cloudURL, result: words, succeeded: succeeded, isOff: isOff)
            return [Report(attempts: [attempt], time: settings.clock.now())]
        }
        guard settings.usesCloud else { return report("cloud look-up is off (discovery.cloud)", isOff: true) }
        await cloud.use(settings.cloudURL)
        let answer = await cloud.fetch()
        return report(answer.words, answer.succeeded)
            + (await probes(answer.addresses.prefix(Self.atOnce).map { Candidate(way: .cloud, address: $0) }))
    }

    // MARK: - Probing

    private func probes(_ candidates: [Candidate]) async -> [Report] {
        await withTaskGroup(of: Report.self) { group in
            for candidate in candidates { group.addTask { await probe(candidate) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// The announced addresses of one search.
    private struct Asked: Sendable {
        private var addresses: Set<Bridge.Address> = []

        var count: Int { addresses.count }

        @Sendable func contains(_ address: Bridge.Address) -> Bool { addresses.contains(address) }

        /// Returns those that are new: the first of each service, then the second. The usual bridge has one.
        mutating func insert(_ seen: [MDNSBrowser.Announced]) -> [Bridge.Address] {
            let inTurns = (0..<(seen.map(\.addresses.count).max() ?? 0)).flatMap { place in
                seen.compactMap { $0.addresses.dropFirst(place).first }
            }
            return inTurns.filter { addresses.insert($0).inserted }
        }
    }

    /// Probes an address when its turn comes; nothing, if the search has ended by then.
    private func probeInTurn(_ candidate: Candidate, until end: Duration) async -> [Report] {
        await slots.run {
            let isLate = settings.clock.now() >= end + Self.grace
            return isLate ? [] : [await probe(candidate)]
        }
    }

    /// For those announced just before the end of a search.
    private static let grace = Duration.seconds(1)

    /// Tries TLS first, and plain HTTP only if nothing speaks TLS.
    private func probe(_ candidate: Candidate) async -> Report {
        let secure = await probeAll(candidate.secure)
        var all = secure
        if !secure.contains(where: { $0.1.config != nil }) {
            all += await probeAll(secure.filter { $0.1.isSilence }.map { candidate.plain(for: $0.0) })
        }
        var attempts: [Discovery.Attempt] = []
        var sighting: Sighting?
        for (endpoint, answer) in all {
            attempts.append(
                Discovery.Attempt(
                    way: candidate.way, asked: candidate.words(for: endpoint), result: answer.words,
                    succeeded: answer.config != nil))
            guard sighting == nil, let config = answer.config, let id = config.id else { continue }
            sighting = Sighting(
                id: id, name: config.name ?? "Hue Bridge", model: config.modelid ?? "", address: endpoint.address,
                speaks: await asking(endpoint).speaks(config), isPlain: endpoint.isPlain)
        }
        return Report(sighting: sighting, attempts: attempts, time: settings.clock.now())
    }

    private func asking(_ endpoint: Endpoint) -> Probe {
        Probe(client: client, endpoint: endpoint, timeout: settings.timeouts.discovery)
    }

    private func probeAll(_ endpoints: [Endpoint]) async -> [(Endpoint, Probe.Answer)] {
        await withTaskGroup(of: (Int, Endpoint, Probe.Answer).self) { group in
            for (place, endpoint) in endpoints.enumerated() {
                group.addTask { (place, endpoint, await asking(endpoint).run()) }
            }
            let answers = await group.reduce(into: [(Int, Endpoint, Probe.Answer)]()) { $0.append($1) }
            return answers.sorted { $0.0 < $1.0 }.map { ($0.1, $0.2) }
        }
    }

    private static func merged(_ reports: [Report]) -> Survey {
        var found: [Bridge.ID: (sighting: Sighting, attempts: [Discovery.Attempt])] = [:]
        var order: [Bridge.ID] = []
        var lost: [Discovery.Attempt] = []
        // The first to answer, and those with TLS before those without.
        let sorted = reports.sorted { one, other in
            let (plain, otherPlain) = (one.sighting?.isPlain ?? false, other.sighting?.isPlain ?? false)
            return plain == otherPlain ? one.time < other.time : !plain
        }
        for report in sorted {
            guard let sighting = report.sighting else {
                lost += report.attempts
                continue
            }
            if found[sighting.id] == nil { order.append(sighting.id) }
            found[sighting.id, default: (sighting, [])].attempts += report.attempts
        }
        let bridges = order.compactMap { found[$0] }
        return Survey(
            sightings: bridges.map(\.sighting),
            discoveries: bridges.map { sighting, attempts in
                Discovery(
                    id: sighting.id, name: sighting.name, model: sighting.model, address: sighting.address,
                    attempts: attempts)
            } + (lost.isEmpty ? [] : [Discovery(id: nil, name: "", model: "", address: nil, attempts: lost)]))
    }

    // MARK: - One that is ours

    /// Finds a bridge somewhere other than at its current address; `nil` if it is nowhere. Ends as soon as it is found.
    /// The bridge must show the certificate that the connection trusts; the key is not sent.
    func find(_ call: BridgeCall, for duration: Duration) async -> Bridge.Address? {
        let end = settings.clock.now() + duration
        // Avahi reports the cached old address first, and the new addresses one by one.
        var tried: Set = [call.address]
        if let address = await first(of: settings.hosts.filter { tried.insert($0).inserted }, call) { return address }
        while settings.clock.now() < end, !Task.isCancelled {
            let known = tried
            let view = await browser.wait(end - settings.clock.now(), on: settings.clock) { seen in
                !MDNSBrowser.addresses(of: call.bridge, in: seen).isSubset(of: known)
            }
            let fresh = MDNSBrowser.addresses(of: call.bridge, in: view.seen).subtracting(known)
            // Nothing new came in time, or nothing browses.
            guard !fresh.isEmpty else { return nil }
            tried.formUnion(fresh)
            // In any order, so that no announcement can hide the bridge for ever; those that name it come first.
            let named = Set(view.seen.filter { $0.id == call.bridge }.flatMap(\.addresses))
            let likely = fresh.filter(named.contains).shuffled() + fresh.subtracting(named).shuffled()
            for start in stride(from: 0, to: likely.count, by: Self.atOnce) where settings.clock.now() < end {
                if let address = await first(of: Array(likely[start...].prefix(Self.atOnce)), call) { return address }
            }
        }
        return nil
    }

    private func first(of addresses: [Bridge.Address], _ call: BridgeCall) async -> Bridge.Address? {
        // The announced port, and the usual one as well.
        let usual = call.isPlain ? 80 : 443
        let endpoints = Set(addresses + addresses.map { Bridge.Address(host: $0.host, port: usual) })
            .subtracting([call.address])
        return await withTaskGroup(of: Bridge.Address?.self) { group in
            for address in endpoints {
                group.addTask {
                    var call = call
                    call.address = address
                    return await isThere(call) ? address : nil
                }
            }
            for await address in group {
                guard let address else { continue }
                group.cancelAll()
                return address
            }
            return nil
        }
    }

    /// Whether the bridge answers at the call's address, over a new connection that the call's trust accepts. The key
    /// is not sent.
    ///
    /// - Parameter evenBusy: whether it need not say who it is if it is overloaded: where it was until now, nobody else
    ///   is.
    func isThere(_ call: BridgeCall, evenBusy: Bool = false) async -> Bool {
        var call = call
        call.key = nil
        var request = call.request(.get, "/api/config", deadline: settings.timeouts.discovery)
        request.connectTimeout = settings.timeouts.discovery
        request.maximumBodySize = Probe.largestAnswer
        request.bringsConnection = true
        guard let response = try? await client.send(request) else { return false }
        return evenBusy && response.isBusy || Self.config(response)?.id == call.bridge
    }

    /// What a bridge that is trusted says of itself; `nil` if it does not answer.
    func identity(of call: BridgeCall) async -> PublicConfig? {
        guard let response = try? await client.send(call.request(.get, "/api/config")) else {
            return nil
        }
        return Self.config(response)
    }

    private static func config(_ response: HTTPResponse) -> PublicConfig? {
        guard response.status == 200 else { return nil }
        return try? JSONDecoder().decode(PublicConfig.self, from: Data(response.body))
    }
}

extension PublicConfig {
    fileprivate var id: Bridge.ID? { Bridge.ID(told: bridgeid) }
}

extension Probe.Answer {
    fileprivate var config: PublicConfig? { if case let .bridge(config) = self { config } else { nil } }
    fileprivate var isSilence: Bool { if case .silence = self { true } else { false } }

    fileprivate var words: String {
        switch self {
        case let .bridge(config):
            [config.name ?? "Hue Bridge", config.id?.description, config.modelid].compactMap { $0 }
                .joined(separator: ", ")
        case let .notABridge(words), let .silence(words): words
        }
    }
}
