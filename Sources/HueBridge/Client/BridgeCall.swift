import Curl
import FoundationEssentials
import HueWire
import Lighting

/// How to call one bridge: its address, how its certificate is checked, and our key. The URL's host is the bridge's id,
/// so that the certificate's name is checked against it wherever the bridge is.
struct BridgeCall: Sendable {
    let bridge: Bridge.ID
    var address: Bridge.Address
    var trust: ServerTrust
    var key: Secret?
    /// Whether it goes over plain HTTP, because the bridge has nothing else.
    var isPlain = false
    var timeouts: Timeouts

    /// - Parameter deadline: how long it may take; `nil` is as long as any answer may.
    func request(
        _ method: HTTPRequest.Method = .get, _ path: String, body: [UInt8]? = nil, deadline: Duration? = nil
    ) -> HTTPRequest {
        var request = HTTPRequest(
            method, "\(isPlain ? "http" : "https")://\(bridge)\(path)", body: body, trust: trust,
            connectTo: HTTPRequest.Endpoint(host: address.host, port: address.port),
            connectTimeout: timeouts.connection, deadline: deadline ?? timeouts.answer)
        // A home of sixty lights and its scenes is some hundred KiB; much more than that does not come from a bridge.
        request.maximumBodySize = 64 << 20
        // API v1 has the key in its paths, and only API v1 goes over plain HTTP.
        if let key, !isPlain { request.headers.append(HTTPRequest.Header("hue-application-key", key.revealed)) }
        if body != nil { request.headers.append(HTTPRequest.Header("Content-Type", "application/json")) }
        return request
    }

    /// The event stream. It has no deadline, because an idle home is silent.
    func stream() -> HTTPRequest {
        var request = request(.get, "/eventstream/clip/v2")
        request.deadline = nil
        request.headers.append(HTTPRequest.Header("Accept", "text/event-stream"))
        // A dead connection must not be used for the next stream: the attempt would wait on it until TCP gives up.
        request.bringsConnection = true
        return request
    }
}

extension BridgeCall {
    /// Deletes our key on the bridge.
    ///
    /// - Throws: if the bridge cannot be reached, or does not allow it.
    func removeKey(over client: HTTPClient) async throws(Failure) {
        guard let key else { return }
        let response: HTTPResponse
        do throws(CurlError) {
            response = try await client.send(request(.delete, Dialect.keyPath(key)))
        } catch {
            throw error.failure(of: bridge)
        }
        // Not in the bridge's words, which may contain the key.
        guard Dialect.v1Delivery(response).isAccepted else { throw .refused(by: bridge, words: "it keeps the key") }
    }

    init(_ pairing: Pairing, _ settings: GatewaySettings) {
        self.init(
            bridge: pairing.bridge.id, address: pairing.bridge.address,
            trust: ServerTrust(pairing.trust, makerRoots: settings.makerRoots), key: pairing.key,
            isPlain: pairing.trust == .plain, timeouts: settings.timeouts)
    }
}

extension ServerTrust {
    init(_ trust: Pairing.Trust, makerRoots: String) {
        switch trust {
        case .maker: self = .roots(makerRoots)
        case let .pinned(pin): self = .pinned(pin)
        // Never checked, because plain HTTP shows no certificate; and no bridge would pass it.
        case .plain: self = .system
        }
    }
}

extension CurlError {
    /// What it means for a command to this bridge.
    func failure(of bridge: Bridge.ID) -> Failure {
        switch self {
        case let .certificateRefused(words): .certificateRefused(of: bridge, because: words)
        // libcurl's own words are about streams and frames.
        case .broken: .unreachable(bridge, because: "the connection broke")
        default: .unreachable(bridge, because: description)
        }
    }
}
