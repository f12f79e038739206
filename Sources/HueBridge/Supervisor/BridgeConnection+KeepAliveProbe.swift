import Curl
import FoundationEssentials
import HueWire
import Lighting
import Synchronization

/// A bridge made to say something by its event stream, without any lamp knowing: a geofence client of our own is
/// renamed, as aiohue does every minute (home-assistant-libs/aiohue, `v2/controllers/events.py`).
extension BridgeConnection {
    /// - Returns: whether there is something to be heard now; `false` where the bridge has no geofence clients.
    func sendKeepAliveProbe() async throws(Failure) -> Bool {
        guard dialect == .v2, let client = try await geofence() else { return false }
        let isOdd = desk.withLock { desk in
            desk.isProbeNameOdd.toggle()
            return desk.isProbeNameOdd
        }
        let answer = try await ask(.put, "/\(client)", ClientBody(name: clientName + (isOdd ? "." : "")))
        if answer.isTaken { return true }
        // It was deleted in another app, or never stays: the next question makes it anew.
        desk.withLock { $0.geofence = nil }
        return false
    }

    /// Takes our geofence client off the bridge.
    func clearUp() async {
        guard let client = desk.withLock({ $0.geofence }) else { return }
        // The line is being forgotten: what stays behind is a name in a list.
        _ = try? await ask(.delete, "/\(client)")
    }

    /// At most 32 characters, as all names; one of them is the dot.
    private var clientName: String { String("lightd \(settings.instance)".prefix(31)) }

    private func geofence() async throws(Failure) -> ResourceID? {
        if let known = desk.withLock({ $0.geofence }) { return known }
        let clients = try await ask(.get, "").decoded(as: Envelope<NamedResource>.self)?.data ?? []
        var found = clients.first { $0.name?.hasPrefix(clientName) == true }?.id
        if found == nil {
            let answer = try await ask(.post, "", ClientBody(name: clientName, isAtHome: false))
            found = answer.isTaken ? answer.decoded(as: Envelope<ResourceReference>.self)?.data.first?.rid : nil
        }
        desk.withLock { $0.geofence = found }
        return found
    }

    private func ask(_ method: HTTPRequest.Method, _ path: String, _ body: ClientBody? = nil) async throws(Failure)
        -> HTTPResponse
    {
        let bytes: [UInt8]?
        do {
            bytes = try body.map { Array(try JSONEncoder().encode($0)) }
        } catch {
            throw .invalid("a name cannot be written: \(error)")
        }
        var backoff = Backoff()
        while true {
            let response: HTTPResponse
            do throws(CurlError) {
                response = try await client.send(
                    call.request(
                        method, "/clip/v2/resource/\(ResourceType.geofenceClient)\(path)", body: bytes,
                        deadline: settings.answerPatience))
            } catch {
                throw error.failure(of: id)
            }
            if response.status == 401 || response.status == 403 { throw .keyRefused(by: id) }
            guard response.isBusy, backoff.attempt < 5 else { return response }
            do {
                try await clock.sleep(backoff.next())
            } catch {
                throw stopping
            }
        }
    }

    private struct ClientBody: Encodable {
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
