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
    private let known = Mutex<ResourceID?>(nil)
    private let hasDot = Mutex(false)

    init(_ client: BridgeClient, instance: String) {
        self.client = client
        name = String("lightd \(instance)".prefix(31))
    }

    /// - Returns: whether the event stream will report it; `false` if the bridge has no geofence clients.
    func rename() async throws(Failure) -> Bool {
        guard client.dialect == .v2, let id = try await find() else { return false }
        let isDotted = hasDot.withLock { hasDot in
            hasDot.toggle()
            return hasDot
        }
        let answer = try await send(.put, "/\(id)", Body(name: name + (isDotted ? "." : "")))
        if answer.isTaken { return true }
        // It was deleted in another app, or the bridge drops it: the next probe creates it anew.
        known.withLock { $0 = nil }
        return false
    }

    /// Removes it from the bridge. If that fails, a name stays in a list.
    func remove() async {
        guard let id = known.withLock({ $0 }) else { return }
        _ = try? await send(.delete, "/\(id)")
    }

    /// Finds the one that we created earlier, or creates one.
    private func find() async throws(Failure) -> ResourceID? {
        if let id = known.withLock({ $0 }) { return id }
        let clients = try await send(.get, "").decoded(as: Envelope<NamedResource>.self)?.data ?? []
        var found = clients.first { $0.name?.hasPrefix(name) == true }?.id
        if found == nil {
            let answer = try await send(.post, "", Body(name: name, isAtHome: false))
            found = answer.isTaken ? answer.decoded(as: Envelope<ResourceReference>.self)?.data.first?.rid : nil
        }
        known.withLock { $0 = found }
        return found
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
