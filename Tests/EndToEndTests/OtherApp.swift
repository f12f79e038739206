import ControlProtocol
import Curl
import Foundation
import LightDaemon
import SimulatedBridge
import TestSupport

/// Another app with a key of its own on a bridge, as people have beside lightd.
struct OtherApp: Sendable {
    let bridge: SimulatedBridge.ConnectionDetails
    let http: HTTPClient
    let key: String

    /// Pairs it, while somebody presses the link button.
    init(pairedWith bridge: SimulatedBridge.ConnectionDetails, over http: HTTPClient) async throws {
        struct Success: Decodable {
            struct Key: Decodable { let username: String }
            let success: Key?
        }
        let answer = try await Self.ask(
            bridge, http, .post, "/api", #"{"devicetype":"other#app","generateclientkey":true}"#)
        guard let key = try JSONDecoder().decode([Success].self, from: Data(answer.body)).first?.success else {
            throw TestError(String(decoding: answer.body, as: UTF8.self))
        }
        (self.bridge, self.http, self.key) = (bridge, http, key.username)
    }

    /// - Throws: if the bridge refuses it, or does not answer within the deadline.
    func put(_ type: String, _ id: String, _ body: String, deadline: Duration = .seconds(60)) async throws {
        let answer = try await Self.ask(bridge, http, .put, "/clip/v2/resource/\(type)/\(id)", body, key, deadline)
        guard [200, 207].contains(answer.status) else {
            throw TestError("HTTP \(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
        }
    }

    /// Creates a resource.
    ///
    /// - Returns: its id.
    /// - Throws: if the bridge refuses it.
    func post(_ type: String, _ body: String) async throws -> String {
        struct Created: Decodable {
            struct Reference: Decodable { let rid: String }
            let data: [Reference]
        }
        let answer = try await Self.ask(bridge, http, .post, "/clip/v2/resource/\(type)", body, key)
        guard [200, 201].contains(answer.status),
            let created = try JSONDecoder().decode(Created.self, from: Data(answer.body)).data.first
        else { throw TestError("HTTP \(answer.status): \(String(decoding: answer.body, as: UTF8.self))") }
        return created.rid
    }

    /// - Throws: if the bridge refuses it.
    func delete(_ type: String, _ id: String) async throws {
        let answer = try await Self.ask(bridge, http, .delete, "/clip/v2/resource/\(type)/\(id)", "", key)
        guard answer.status == 200 else {
            throw TestError("HTTP \(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
        }
    }

    /// The one resource, its members in order.
    func get(_ type: String, _ id: String) async throws -> String {
        let answer = try await Self.ask(bridge, http, .get, "/clip/v2/resource/\(type)/\(id)", "", key)
        let all = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        guard answer.status == 200, let resource = (all?["data"] as? [Any])?.first else {
            throw TestError("HTTP \(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
        }
        return String(
            decoding: try JSONSerialization.data(withJSONObject: resource, options: [.sortedKeys]), as: UTF8.self)
    }

    private static func ask(
        _ bridge: SimulatedBridge.ConnectionDetails, _ http: HTTPClient, _ method: HTTPRequest.Method, _ path: String,
        _ body: String, _ key: String? = nil, _ deadline: Duration = .seconds(60)
    ) async throws -> HTTPResponse {
        let isPlain = bridge.httpsPort == 0
        var request = HTTPRequest(
            method, "\(isPlain ? "http" : "https")://\(bridge.bridgeID)\(path)",
            headers: [HTTPRequest.Header("Content-Type", "application/json")], body: Array(body.utf8),
            trust: isPlain ? .system : .pinned(bridge.pin),
            connectTo: HTTPRequest.Endpoint(host: bridge.host, port: bridge.place.port), deadline: deadline)
        if let key { request.headers.append(HTTPRequest.Header("hue-application-key", key)) }
        return try await http.send(request)
    }
}

extension SimulatedBridge.ConnectionDetails {
    var place: Configuration.Host { Configuration.Host(host: host, port: httpsPort == 0 ? httpPort : httpsPort) }
}
