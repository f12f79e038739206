import Curl
import FoundationEssentials
import HueWire
import Lighting
import Synchronization

/// Makes a bridge send an event that no lamp notices: renames a geofence client of our own, as aiohue does every minute
/// (home-assistant-libs/aiohue, `v2/controllers/events.py`). Bridges with API v2 only.
final class GeofenceClient: Sendable {
    private let client: BridgeClient
    /// At most 32 characters, as all names; one of them is the dot.
    private let name: String
    private let known = Mutex<Known?>(nil)

    private struct Known: Sendable {
        let id: ResourceID
        /// Whether its name on the bridge ends with a dot.
        var hasDot: Bool
    }

    init(_ client: BridgeClient, instance: String) {
        self.client = client
        name = String("lightd \(instance)".prefix(31))
    }

    /// - Returns: whether the event stream will report it; `false` if the bridge has no geofence clients.
    func rename() async throws(Failure) -> Bool {
        guard client.dialect == .v2, let ours = try await find() else { return false }
        // The same name again would change nothing, and no event would come.
        let answer = try await send(.put, "/\(ours.id)", Body(name: ours.hasDot ? name : name + "."))
        // If it was deleted in another app, or the bridge drops it, the next probe creates it anew.
        known.withLock { $0 = answer.isAccepted ? Known(id: ours.id, hasDot: !ours.hasDot) : nil }
        return answer.isAccepted
    }

    /// Removes it from the bridge. If that fails, a name stays in a list.
    func remove() async {
        guard let ours = known.withLock({ $0 }) else { return }
        _ = try? await send(.delete, "/\(ours.id)")
    }

    /// Finds the one that we created earlier, or creates one.
    private func find() async throws(Failure) -> Known? {
        if let ours = known.withLock({ $0 }) { return ours }
        let clients = try await send(.get, "").decoded(as: Envelope<NamedResource>.self)?.data ?? []
        // Only our own name, with the dot or without: another host's may begin with it.
        if let client = clients.first(where: { $0.name == name || $0.name == name + "." }) {
            return Known(id: client.id, hasDot: client.name != name)
        }
        let answer = try await send(.post, "", Body(name: name, isAtHome: false))
        guard answer.isAccepted else { return nil }
        return answer.decoded(as: Envelope<ResourceReference>.self)?.data.first.map { Known(id: $0.rid, hasDot: false) }
    }

    private func send(_ method: HTTPRequest.Method, _ path: String, _ body: Body? = nil) async throws(Failure)
        -> HTTPResponse
    {
        let bytes: [UInt8]?
        do {
            bytes = try body.map { Array(try JSONEncoder().encode($0)) }
        } catch {
            throw .invalid("a name cannot be encoded: \(error)")
        }
        return try await client.send(method, "\(ResourceType.geofenceClient)\(path)", body: bytes)
    }

    private struct Body: Encodable {
        let name: String
        var isAtHome: Bool?

        enum CodingKeys: String, CodingKey {
            case name, type
            case isAtHome = "is_at_home"
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            guard let isAtHome else { return }
            try container.encode(isAtHome, forKey: .isAtHome)
            try container.encode(ResourceType.geofenceClient, forKey: .type)
        }
    }

    private struct NamedResource: Decodable {
        let id: ResourceID
        let name: String?
    }
}
