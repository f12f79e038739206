import Curl
import FoundationEssentials
import HueWire
import Lighting

/// Asks an endpoint which bridge it is. The certificate is not checked: the answer is not secret, and is believed only
/// until pairing.
struct Probe: Sendable {
    let client: HTTPClient
    let endpoint: Endpoint
    /// How long the endpoint may take, from the connection to the whole answer.
    let timeout: Duration

    /// In bytes. Whatever answers may send anything, and several are asked at once.
    static let largestAnswer = 1 << 16

    enum Answer: Sendable {
        case bridge(PublicConfig)
        /// Something answered, but not a bridge.
        case notABridge(String)
        /// Nothing answered, or nothing that speaks TLS.
        case silence(String)
    }

    func run() async -> Answer {
        let response: HTTPResponse
        do throws(CurlError) {
            response = try await client.send(request("/api/config"))
        } catch {
            return error.isSilence ? .silence(error.words(after: timeout)) : .notABridge(error.words(after: timeout))
        }
        guard response.status == 200 else {
            return .notABridge("answered, but is not a Hue bridge (HTTP \(response.status))")
        }
        guard let config = try? JSONDecoder().decode(PublicConfig.self, from: Data(response.body)),
            config.bridgeid != nil
        else {
            return .notABridge("answered, but does not say which bridge it is")
        }
        guard Bridge.ID(told: config.bridgeid) != nil else {
            return .notABridge(
                "answered, but the id that it gives itself cannot be used: 16 hexadecimal digits are expected")
        }
        return .bridge(config)
    }

    /// Whether the bridge speaks API v2: it then answers 403 to a client without a key. If the answer is unclear, the
    /// firmware's number decides.
    func speaks(_ config: PublicConfig) async -> Pairing.API {
        guard !endpoint.isPlain else { return .v1 }
        do throws(CurlError) {
            let status = try await client.send(request("/clip/v2/resource")).status
            if status == 403 { return .v2 }
            if status == 404 { return .v1 }
        } catch {
            // It answered a moment ago: what it said of itself must suffice.
        }
        return config.isNewEnough ? .v2 : .v1
    }

    private func request(_ path: String) -> HTTPRequest {
        var request = HTTPRequest(
            .get, endpoint.url(path), trust: .unverified,
            connectTo: HTTPRequest.Endpoint(host: endpoint.address.host, port: endpoint.address.port),
            connectTimeout: timeout, deadline: timeout)
        request.maximumBodySize = Self.largestAnswer
        return request
    }
}

extension PublicConfig {
    /// API v2 came with 1948086000 for the square bridge; the Bridge Pro, which counts separately, always had it.
    var isNewEnough: Bool { modelid == "BSB003" || (swversion.flatMap { Int($0) } ?? 0) >= 1_948_086_000 }
}

extension CurlError {
    /// Whether nothing answered, or nothing that speaks TLS.
    fileprivate var isSilence: Bool {
        switch self {
        case .noConnection, .timedOut, .broken: true
        case .certificateRefused, .tooMuch, .cancelled, .closed, .invalid: false
        }
    }

    /// For a sentence about an endpoint.
    fileprivate func words(after timeout: Duration) -> String {
        switch self {
        case .noConnection("connection refused"): "refused the connection"
        case .noConnection("no answer in time"), .timedOut: "no answer within \(timeout.components.seconds) s"
        case let .noConnection(words) where words.hasPrefix("Could not resolve host"): "no host has that name"
        case .noConnection("it answered without TLS"): "answered without TLS"
        case let .noConnection(words): "cannot be reached: \(words)"
        case .broken: "took the connection, and ended it unanswered"
        case .tooMuch: "answered, but is not a Hue bridge (a long page)"
        default: description
        }
    }
}

/// Lets a few probes run at once. The others wait for their turn, in order: an address that somebody announces costs a
/// connection or two, and anybody may announce any number.
actor ProbeSlots {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameter count: how many may run at once, at least 1.
    init(_ count: Int) { free = count }

    func run<Result: Sendable>(_ probe: @Sendable () async -> Result) async -> Result {
        if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
        defer { if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() } }
        return await probe()
    }
}

extension Bridge.ID {
    /// The id that a bridge, an announcement or a certificate names, however it is written; `nil` if it names none, or one
    /// that cannot be used.
    init?(told text: String?) {
        guard let text, let id = Self(fromOutside: BridgeID.normalized(text)) else { return nil }
        self = id
    }
}
