import Curl
import FoundationEssentials
import HueWire
import Lighting

/// Finds bridges: those that announce themselves, those that the configuration names, those at their last known addresses. Whoever
/// answers must say who it is; nothing of worth is told to it.
struct Finder: Sendable {
    let client: HTTPClient
    let settings: GatewaySettings
    let neighbourhood: Neighbourhood

    /// A bridge that answered.
    struct Sighting: Equatable, Sendable {
        let id: Bridge.ID
        let name: String
        let model: String
        let address: Bridge.Address
    }

    /// Every way there is; each with what came of it.
    func discover(for duration: Duration, known: [Bridge.ID: Bridge.Address]) async -> [Discovery] {
        // Asked while the others have their time to announce themselves.
        async let told = attempts(
            settings.hosts.map { (.configured, $0) } + known.sorted { $0.key < $1.key }.map { (.lastKnown, $0.value) })
        let view = await neighbourhood.look(duration) { _ in false }
        var results = await attempts(view.seen.flatMap { one in one.addresses.map { (.mdns, $0) } }) + told
        if let problem = view.problem {
            results.append((nil, Discovery.Attempt(way: .mdns, asked: "_hue._tcp", result: problem, succeeded: false)))
        } else if view.seen.isEmpty, settings.usesMDNS {
            let words = "nobody announced a bridge within \(duration.components.seconds) s"
            results.append((nil, Discovery.Attempt(way: .mdns, asked: "_hue._tcp", result: words, succeeded: false)))
        }
        return Self.folded(results)
    }

    /// Where a bridge is, other than at an address where it no longer answers; `nil` where it is nowhere. Ends as soon as it is found.
    func find(_ id: Bridge.ID, otherThan lost: Bridge.Address, for duration: Duration) async -> Bridge.Address? {
        let clock = ContinuousClock()
        let end = clock.now + duration
        // What avahi remembers of the old place is told first, and of the new one address by address.
        var tried: Set = [lost]
        for address in settings.hosts {
            if tried.insert(address).inserted, await attempt(.configured, address).0?.id == id { return address }
        }
        while clock.now < end, !Task.isCancelled {
            let known = tried
            let view = await neighbourhood.look(end - clock.now) { seen in
                !Self.addresses(of: id, in: seen).allSatisfy(known.contains)
            }
            let fresh = Self.addresses(of: id, in: view.seen).filter { !known.contains($0) }
            // Nothing new until the end, or nobody to look.
            guard !fresh.isEmpty else { return nil }
            for address in fresh {
                tried.insert(address)
                if await attempt(.mdns, address).0?.id == id { return address }
            }
        }
        return nil
    }

    /// Emulators do not always say who they are: those are asked as well.
    private static func addresses(of id: Bridge.ID, in seen: [Neighbourhood.Announced]) -> [Bridge.Address] {
        seen.filter { $0.id == nil || $0.id == id }.flatMap(\.addresses)
    }

    /// Who answers at an address. The certificate is not checked: what is told here is no secret, and is believed only until pairing.
    private func attempt(_ way: Discovery.Way, _ address: Bridge.Address) async -> (Sighting?, Discovery.Attempt) {
        func result(_ sighting: Sighting?, _ words: String) -> (Sighting?, Discovery.Attempt) {
            (sighting, Discovery.Attempt(way: way, asked: "\(address)", result: words, succeeded: sighting != nil))
        }
        var request = HTTPRequest(
            .get, "https://\(address)/api/config", trust: .unverified, connectTimeout: .seconds(3),
            deadline: .seconds(4))
        request.maximumBodySize = 1 << 16
        let response: HTTPResponse
        do throws(CurlError) {
            response = try await client.send(request)
        } catch {
            return result(nil, error.description)
        }
        guard response.status == 200 else { return result(nil, "HTTP \(response.status); that is no Hue bridge") }
        guard let config = Self.config(response), let id = config.bridgeid else {
            return result(nil, "it does not say who it is; that is no Hue bridge")
        }
        let bridge = Bridge.ID(BridgeID.normalized(id))
        let name = config.name ?? "Hue Bridge"
        return result(
            Sighting(id: bridge, name: name, model: config.modelid ?? "", address: address),
            "\(name), \(bridge)\(config.modelid.map { ", \($0)" } ?? "")")
    }

    private func attempts(_ tries: [(Discovery.Way, Bridge.Address)]) async -> [(Sighting?, Discovery.Attempt)] {
        await withTaskGroup(of: (Int, Sighting?, Discovery.Attempt).self) { group in
            for (place, one) in tries.enumerated() {
                group.addTask {
                    let (sighting, attempt) = await attempt(one.0, one.1)
                    return (place, sighting, attempt)
                }
            }
            var results: [(Int, Sighting?, Discovery.Attempt)] = []
            for await result in group { results.append(result) }
            return results.sorted { $0.0 < $1.0 }.map { ($0.1, $0.2) }
        }
    }

    /// One discovery a bridge, however many ways led to it; the ways that led nowhere after them.
    private static func folded(_ results: [(Sighting?, Discovery.Attempt)]) -> [Discovery] {
        var order: [Bridge.ID] = []
        var found: [Bridge.ID: (Sighting, [Discovery.Attempt])] = [:]
        var lost: [Discovery.Attempt] = []
        for (sighting, attempt) in results {
            guard let sighting else {
                lost.append(attempt)
                continue
            }
            if found[sighting.id] == nil { order.append(sighting.id) }
            found[sighting.id, default: (sighting, [])].1.append(attempt)
        }
        let bridges = order.compactMap { found[$0] }.map { sighting, attempts in
            Discovery(
                id: sighting.id, name: sighting.name, model: sighting.model, address: sighting.address,
                attempts: attempts)
        }
        return bridges
            + (lost.isEmpty ? [] : [Discovery(id: nil, name: "", model: "", address: nil, attempts: lost)])
    }

    /// What a bridge says of itself to somebody who trusts its certificate; `nil` where it does not.
    func identity(of call: BridgeCall) async -> PublicConfig? {
        guard let response = try? await client.send(call.request(.get, "/api/config", deadline: .seconds(5))) else {
            return nil
        }
        return Self.config(response)
    }

    private static func config(_ response: HTTPResponse) -> PublicConfig? {
        guard response.status == 200 else { return nil }
        return try? JSONDecoder().decode(PublicConfig.self, from: Data(response.body))
    }
}
