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
            try await withBridge { fixture in
                var request = fixture.request(.get, "/clip/v2/resource", key: "secret")
                request.trust = .pinned(Self.wrongPin)
                await Self.refused(fixture, request)
                #expect(await fixture.controls.requests.isEmpty)
                request.trust = .pinned(fixture.ready.pin)
                let response = try await fixture.client.send(request)
                #expect(response.status == 403)
                #expect(await fixture.controls.requests.count == 1)
            }
        }

        @Test(arguments: [HTTPRequest.Version.automatic, .http1])
        func `a connection that nobody checked is not used by those who check`(version: HTTPRequest.Version)
            async throws
        {
            try await withBridge { fixture in
                var request = fixture.request(.get, "/api/config")
                request.version = version
                request.trust = .unverified
                let first = try await fixture.client.send(request)
                #expect(first.status == 200)
                request.trust = .pinned(Self.wrongPin)
                await Self.refused(fixture, request)
                #expect(await fixture.controls.requests.count == 1)
                request.trust = .pinned(fixture.ready.pin)
                #expect(try await fixture.client.send(request).status == 200)
                // And once more, now that a checked one is warm too.
                request.trust = .pinned(Self.wrongPin)
                await Self.refused(fixture, request)
                request.trust = .system
                await Self.refused(fixture, request)
                #expect(await fixture.controls.requests.count == 2)
            }
        }

        @Test func `roots that did not sign it do not make it believed, its own certificate does`() async throws {
            try await withBridge { fixture in
                let derive = DerivedID(seed: 99)
                let stranger = try BridgeCertificate(bridgeID: fixture.ready.bridgeID, seed: derive.certificateSeed(0))
                var request = fixture.request(.get, "/api/config")
                request.trust = .roots(stranger.certificatePEM)
                await Self.refused(fixture, request)
                request.trust = .system
                await Self.refused(fixture, request)
                #expect(await fixture.controls.requests.isEmpty)
                request.trust = .unverified
                request.wantsCertificate = true
                let certificate = try #require(try await fixture.client.send(request).certificate)
                request.trust = .roots(certificate)
                #expect(try await fixture.client.send(request).status == 200)
            }
        }

        @Test func `the certificate's name must be the host's, whatever its key`() async throws {
            try await withBridge { fixture in
                var request = fixture.request(.get, "/api/config")
                request.url = "https://ecb5fafffe999999/api/config"
                await Self.refused(fixture, request)
                request.url = "https://\(fixture.ready.host):\(fixture.ready.httpsPort)/api/config"
                await Self.refused(fixture, request)
                #expect(await fixture.controls.requests.isEmpty)
            }
        }

        private static func refused(_ fixture: BridgeFixture, _ request: HTTPRequest) async {
            do {
                let response = try await fixture.client.send(request)
                Issue.record("believed, and answered \(response.status)")
            } catch {
                guard case .certificateRefused = error else {
                    Issue.record("\(error)")
                    return
                }
            }
        }
    }
}
