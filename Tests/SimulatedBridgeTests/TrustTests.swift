import Curl
import Foundation
import HueWire
import Testing

@testable import SimulatedBridge

extension OnTheWire {
    /// Whom a client believes, over real TLS. What a refused bridge has seen, it says itself.
    @Suite struct TrustTests {
        private static let wrongPin = "sha256//" + Data(repeating: 7, count: 32).base64EncodedString()

        @Test func `a wrong pin is refused before anything is sent`() async throws {
            try await withBridge { site in
                var request = site.request(.get, "/clip/v2/resource", key: "secret")
                request.trust = .pinned(Self.wrongPin)
                await Self.refused(site, request)
                #expect(await site.controls.requests.isEmpty)
                request.trust = .pinned(site.ready.pin)
                let answer = try await site.client.send(request)
                #expect(answer.status == 403)
                #expect(await site.controls.requests.count == 1)
            }
        }

        @Test(arguments: [HTTPRequest.Version.automatic, .http1])
        func `a connection that nobody checked is not used by those who check`(version: HTTPRequest.Version)
            async throws
        {
            try await withBridge { site in
                var request = site.request(.get, "/api/config")
                request.version = version
                request.trust = .unverified
                let first = try await site.client.send(request)
                #expect(first.status == 200)
                request.trust = .pinned(Self.wrongPin)
                await Self.refused(site, request)
                #expect(await site.controls.requests.count == 1)
                request.trust = .pinned(site.ready.pin)
                #expect(try await site.client.send(request).status == 200)
                // And once more, now that a checked one is warm too.
                request.trust = .pinned(Self.wrongPin)
                await Self.refused(site, request)
                request.trust = .system
                await Self.refused(site, request)
                #expect(await site.controls.requests.count == 2)
            }
        }

        @Test func `roots that did not sign it do not make it believed, its own certificate does`() async throws {
            try await withBridge { site in
                let derive = DerivedID(seed: 99)
                let stranger = try BridgeCertificate(bridgeID: site.ready.bridgeID, seed: derive.certificateSeed(0))
                var request = site.request(.get, "/api/config")
                request.trust = .roots(stranger.certificatePEM)
                await Self.refused(site, request)
                request.trust = .system
                await Self.refused(site, request)
                #expect(await site.controls.requests.isEmpty)
                request.trust = .unverified
                request.wantsCertificate = true
                let certificate = try #require(try await site.client.send(request).certificate)
                request.trust = .roots(certificate)
                #expect(try await site.client.send(request).status == 200)
            }
        }

        @Test func `the certificate's name must be the host's, whatever its key`() async throws {
            try await withBridge { site in
                var request = site.request(.get, "/api/config")
                request.url = "https://ecb5fafffe999999/api/config"
                await Self.refused(site, request)
                request.url = "https://\(site.ready.host):\(site.ready.httpsPort)/api/config"
                await Self.refused(site, request)
                #expect(await site.controls.requests.isEmpty)
            }
        }

        private static func refused(_ site: Site, _ request: HTTPRequest) async {
            do {
                let answer = try await site.client.send(request)
                Issue.record("believed, and answered \(answer.status)")
            } catch {
                guard case .certificateRefused = error else {
                    Issue.record("\(error)")
                    return
                }
            }
        }
    }
}
