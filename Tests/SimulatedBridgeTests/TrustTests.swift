import Curl
import Foundation
import HueWire
import Testing

@testable import SimulatedBridge

extension OnTheWire {
    /// Which bridges a client trusts, over real TLS. The bridge's request log shows whether a request arrived.
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
        func `a request that checks the certificate does not reuse an unchecked connection`(
            version: HTTPRequest.Version
        )
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
                // Once more, now that a checked connection is open too.
                request.trust = .pinned(Self.wrongPin)
                await Self.refused(fixture, request)
                request.trust = .system
                await Self.refused(fixture, request)
                #expect(await fixture.controls.requests.count == 2)
            }
        }

        @Test func `a bridge is refused with foreign roots, and trusted with its own certificate as root`() async throws
        {
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

        @Test func `the certificate's name must match the host, whatever its key`() async throws {
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
                Issue.record("accepted, and answered \(response.status)")
            } catch {
                guard case .certificateRefused = error else {
                    Issue.record("\(error)")
                    return
                }
            }
        }
    }
}
