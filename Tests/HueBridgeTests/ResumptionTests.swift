import CCurl
import Curl
import Foundation
import Lighting
import SimulatedBridge
import Testing

@testable import HueBridge

/// A resumed TLS session shows no certificate, so ours are never resumed. The tests read each handshake on the wire.
@Suite(.timeLimit(.minutes(5)))
struct ResumptionTests {
    @Test(arguments: [Settings.TLSVersion.v12, .v13])
    func `no request offers the session of another, whatever their trust`(version: Settings.TLSVersion)
        async throws
    {
        try await withBridge(.flat, { ($0.newestTLS, $0.host) = (version, "127.0.0.1") }) { fixture in
            let recorder = try HandshakeRecorder(before: fixture.ready.httpsPort)
            defer { recorder.stop() }
            let client = HTTPClient()
            defer { client.shutdown() }
            var request = HTTPRequest(
                .get, "https://\(fixture.id)/api/config", trust: .unverified,
                connectTo: HTTPRequest.Endpoint(host: "127.0.0.1", port: recorder.port))
            request.version = .http1
            request.headers = [HTTPRequest.Header("Connection", "close")]
            // As discovery does, twice: the second session could be a resumed one.
            for _ in 1...2 { #expect(try await client.send(request).status == 200) }
            let before = await fixture.bridge.controls.requests.count
            for trust in [ServerTrust.pinned(Self.wrongPin), .roots(MakerRoots.pem), .system] {
                request.trust = trust
                await #expect(throws: CurlError.self, "\(trust)") { try await client.send(request) }
            }
            #expect(await fixture.bridge.controls.requests.count == before)
            request.trust = .pinned(fixture.ready.pin)
            for _ in 1...2 { #expect(try await client.send(request).status == 200) }
            request.trust = .pinned(Self.wrongPin)
            await #expect(throws: CurlError.self) { try await client.send(request) }
            #expect(await fixture.bridge.controls.requests.count == before + 2)

            let handshakes = recorder.handshakes
            #expect(handshakes.count == 8)
            #expect(handshakes.allSatisfy { $0.isV13 == (version == .v13) && !$0.isOffered && !$0.isResumed })
        }
    }

    /// The control for the test above: this server does resume sessions, and the recorder sees it.
    @Test(arguments: [Settings.TLSVersion.v12, .v13])
    func `the bridge resumes sessions for a libcurl handle that keeps them, and a wrong pin is refused there too`(
        version: Settings.TLSVersion
    ) async throws {
        try await withBridge(.flat, { ($0.newestTLS, $0.host) = (version, "127.0.0.1") }) { fixture in
            let recorder = try HandshakeRecorder(before: fixture.ready.httpsPort)
            defer { recorder.stop() }
            let (id, port, pin) = (fixture.id.description, recorder.port, fixture.ready.pin)
            let codes = await withCheckedContinuation { continuation in
                // libcurl's easy interface blocks, which a thread of Swift's pool must not.
                Thread.detachNewThread { continuation.resume(returning: Self.ask(id, port, pin)) }
            }
            #expect(codes == [CURLE_OK, CURLE_OK, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_OK, CURLE_OK])
            let handshakes = recorder.handshakes
            #expect(handshakes.map(\.isResumed) == [false, true, false, false, true], "\(handshakes)")
            #expect(handshakes.allSatisfy { $0.isV13 == (version == .v13) })
        }
    }

    private static let wrongPin = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    /// Requests on one handle, which keeps its sessions: two unverified, one with another pin, two with the right pin.
    private static func ask(_ id: String, _ port: Int, _ pin: String) -> [CURLcode] {
        guard let easy = curl_easy_init() else { return [] }
        defer { curl_easy_cleanup(easy) }
        let list = curl_slist_append(nil, "::127.0.0.1:\(port)")
        defer { curl_slist_free_all(list) }
        _ = ccurl_set_string(easy, CURLOPT_URL, "https://\(id)/api/config")
        _ = ccurl_set_list(easy, CURLOPT_CONNECT_TO, list)
        _ = ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        // The bridge closes each connection: if libcurl closes one, it drops the session too.
        _ = ccurl_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        let header = curl_slist_append(nil, "Connection: close")
        defer { curl_slist_free_all(header) }
        _ = ccurl_set_list(easy, CURLOPT_HTTPHEADER, header)
        _ = ccurl_set_long(easy, CURLOPT_TIMEOUT, 10)
        _ = ccurl_set_callback(easy, CURLOPT_WRITEFUNCTION) { _, size, count, _ in size * count }
        _ = ccurl_set_long(easy, CURLOPT_SSL_VERIFYPEER, 0)
        _ = ccurl_set_long(easy, CURLOPT_SSL_VERIFYHOST, 0)
        var codes = [curl_easy_perform(easy), curl_easy_perform(easy)]
        _ = ccurl_set_long(easy, CURLOPT_SSL_VERIFYHOST, 2)
        _ = ccurl_set_string(easy, CURLOPT_PINNEDPUBLICKEY, wrongPin)
        codes.append(curl_easy_perform(easy))
        _ = ccurl_set_string(easy, CURLOPT_PINNEDPUBLICKEY, pin)
        codes += [curl_easy_perform(easy), curl_easy_perform(easy)]
        return codes
    }
}
