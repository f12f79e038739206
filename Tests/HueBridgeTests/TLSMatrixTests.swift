import Crypto
import Curl
import Foundation
import Khipu
import Lighting
import SimulatedBridge
import Testing

@testable import HueBridge

/// Which certificates the gateway accepts, over real TLS: docs/gateway.md has this as a table. The bridge's request
/// log shows what reached the bridge.
@Suite(.timeLimit(.minutes(5)))
struct TLSMatrixTests {
    /// The certificate that a bridge shows.
    enum Shown: String, CaseIterable, Sendable {
        case makers, throughIntermediate, upperCase, otherBridges, otherAuthoritys, expired, notYetValid
        case selfSigned, selfSignedChanged, selfSignedExpired, selfSignedOfOther

        func certificate(_ id: String, _ makers: CertificateAuthority, _ key: P256.Signing.PrivateKey) throws
            -> Settings.Certificate
        {
            let other = Bridge.ID("001788fffe000000").description
            return switch self {
            case .makers: try makers.issue(id)
            case .throughIntermediate: try makers.intermediate().issue(id)
            case .upperCase: try makers.issue(id.uppercased())
            case .otherBridges: try makers.issue(other)
            // Signed by another authority, even with the pinned key.
            case .otherAuthoritys: try CertificateAuthority().issue(id, key: key)
            case .expired: try makers.issue(id, until: .year2020)
            case .notYetValid: try makers.issue(id, from: .year2037)
            case .selfSigned: try CertificateAuthority.selfSigned(id, key: key)
            case .selfSignedChanged: try CertificateAuthority.selfSigned(id, key: P256.Signing.PrivateKey())
            case .selfSignedExpired: try CertificateAuthority.selfSigned(id, until: .year2020, key: key)
            case .selfSignedOfOther: try CertificateAuthority.selfSigned(other, key: key)
            }
        }

        /// Why a connection under the maker's roots refuses it; `nil` if it accepts it.
        var refusalOfMaker: String? {
            switch self {
            case .makers, .throughIntermediate, .upperCase: nil
            case .otherBridges: "does not match target host name"
            case .otherAuthoritys: "its signature does not match the root it names"
            case .expired: "certificate has expired"
            case .notYetValid: "certificate is not yet valid"
            case .selfSigned, .selfSignedChanged, .selfSignedExpired, .selfSignedOfOther: "self-signed certificate"
            }
        }

        /// Why a connection pinned to the key refuses it. Only the key and the name matter, not the signature or the
        /// dates.
        var refusalOfPin: String? {
            switch self {
            case .selfSigned, .selfSignedExpired, .otherAuthoritys: nil
            case .selfSignedOfOther, .otherBridges: "does not match target host name"
            default: "it has another public key"
            }
        }

        /// The result of pairing: the trust, or the words of the refusal.
        func pairing(_ key: P256.Signing.PrivateKey) -> (Pairing.Trust?, String) {
            switch self {
            case .makers, .throughIntermediate, .upperCase: (.maker, "")
            case .selfSigned, .selfSignedExpired: (.pinned(key.pin), "")
            case .selfSignedChanged: (nil, "any pin")
            case .otherBridges, .selfSignedOfOther: (nil, "it belongs to '001788fffe000000'")
            case .otherAuthoritys: (nil, "its signature does not match the root it names")
            case .expired: (nil, "certificate has expired")
            case .notYetValid: (nil, "certificate is not yet valid")
            }
        }
    }

    @Test(arguments: Shown.allCases)
    func `a connection under the maker's roots sends its key only to this bridge's certificate of the maker`(
        shown: Shown
    )
        async throws
    {
        try await Self.connection(shown, refusal: shown.refusalOfMaker) { _ in .maker }
    }

    @Test(arguments: Shown.allCases)
    func `a pinned connection sends its key only to the pinned public key under the bridge's name`(shown: Shown)
        async throws
    {
        try await Self.connection(shown, refusal: shown.refusalOfPin) { .pinned($0.pin) }
    }

    private static func connection(
        _ shown: Shown, refusal: String?, _ trust: @escaping @Sendable (P256.Signing.PrivateKey) -> Pairing.Trust
    ) async throws {
        let (makers, key) = (try CertificateAuthority(), P256.Signing.PrivateKey())
        try await withBridge(
            .flat, { $0.certificate = { try shown.certificate($0, makers, key) } },
            gateway: { $0.makerRoots = (try? makers.pem) ?? "" }
        ) { fixture in
            fixture.gateway.bridges.connect(fixture.pairing(trust(key)))
            // A connection that accepts the certificate sends its key, which this bridge does not know.
            try await fixture.updates.wait("an end") { $0.failure?.isOfTrust == true }
            let requests = await fixture.bridge.controls.requests
            if let refusal {
                guard case let .certificateRefused(of: id, because: words)? = fixture.updates.state.failure else {
                    Issue.record("\(shown): \(fixture.updates.state.failure as Any)")
                    return
                }
                #expect(id == fixture.id && words.contains(refusal), "\(words)")
                #expect(requests.isEmpty)
                let told = try #require(fixture.updates.state.failure)
                #expect(told.remedy == .trustAgain(fixture.id))
            } else {
                #expect(fixture.updates.state.failure == .keyRefused(by: fixture.id))
                #expect(requests.contains { $0.key == Self.secret })
            }
        }
    }

    static let secret = "a-key-that-only-this-bridge-may-see"

    @Test(arguments: Shown.allCases)
    func `pairing asks for a key only under the maker's certificate or a self-signed one`(shown: Shown)
        async throws
    {
        let (makers, key) = (try CertificateAuthority(), P256.Signing.PrivateKey())
        try await withBridge(
            .flat, { $0.certificate = { try shown.certificate($0, makers, key) } },
            gateway: { $0.makerRoots = (try? makers.pem) ?? "" }
        ) { fixture in
            await fixture.bridge.controls.pressButton()
            let result = await ask { fixture.gateway.bridges.pair(fixture.id, .seconds(10), $0) }
            let asked = await fixture.bridge.controls.requests.contains { $0.path == "/api" }
            switch (shown.pairing(key), result) {
            case let ((trust?, _), .success(pairing)):
                #expect(pairing.trust == trust)
                #expect(asked)
            // Before one is pinned, any key will do.
            case ((nil, "any pin"), .success(let pairing)):
                #expect(pairing.trust.isPin)
            case let ((nil, words), .failure(.certificateRefused(of: id, because: reason))):
                #expect(id == fixture.id && reason.contains(words), "\(reason)")
                #expect(!asked)
            default: Issue.record("\(shown): \(result)")
            }
            // No key exists yet, so none may have been sent.
            let keys = await fixture.bridge.controls.requests.compactMap(\.key)
            #expect(keys.isEmpty)
        }
    }

    @Test(arguments: [Pairing.Trust.maker, .pinned(TLSMatrixTests.pin)])
    func `plain HTTP on the TLS port gets no key`(trust: Pairing.Trust) async throws {
        try await withBridge { fixture in
            fixture.gateway.bridges.connect(fixture.pairing(trust, port: fixture.ready.httpPort))
            try await fixture.updates.wait("lost") { $0.failure != nil }
            #expect(fixture.updates.state.failure == .unreachable(fixture.id, because: "it answered without TLS"))
            #expect(await fixture.bridge.controls.requests.isEmpty)
        }
    }

    private static let pin = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    @Test(arguments: ["", "sha256//", "nonsense", "/etc/hostname"])
    func `an invalid pin accepts no certificate`(pin: String) async throws {
        try await withBridge { fixture in
            fixture.gateway.bridges.connect(fixture.pairing(.pinned(pin)))
            try await fixture.updates.wait("refused") { $0.failure != nil }
            guard case .certificateRefused? = fixture.updates.state.failure else {
                Issue.record("\(fixture.updates.state.failure as Any)")
                return
            }
            #expect(await fixture.bridge.controls.requests.isEmpty)
        }
    }

    @Test
    func `a bridge under the maker's roots that is self-signed after a reset is refused until it is paired again`()
        async throws
    {
        let makers = try CertificateAuthority()
        try await withBridge(
            .flat, { $0.certificate = { try makers.issue($0) } }, gateway: { $0.makerRoots = (try? makers.pem) ?? "" }
        ) { fixture in
            #expect(try await fixture.connect().trust == .maker)
            await fixture.bridge.controls.forgetRequests()
            fixture.bridge.controls.renewCertificate()
            try await fixture.updates.wait("refused") { $0.failure?.isOfTrust == true }
            let fan = fixture.light("Fan")
            let outcome = await fixture.turn(.on, .light(fan))
            guard case .failed(.certificateRefused(of: fixture.id, because: _)) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(await fixture.bridge.controls.requests.allSatisfy { $0.key == nil })
            // The remedy that the refusal names.
            let again = try await fixture.pair()
            #expect(again.trust.isPin)
            fixture.gateway.bridges.connect(again)
            try await fixture.updates.wait("connected") { $0.isConnected }
        }
    }
}

extension BridgeFixture {
    /// An old pairing with this trust, and with a key that the bridge does not know.
    func pairing(_ trust: Pairing.Trust, port: Int? = nil) -> Pairing {
        Pairing(
            bridge: Bridge(
                id: id, name: "Flat", model: "BSB002",
                address: Bridge.Address(host: ready.host, port: port ?? ready.httpsPort),
                connection: .lost(since: Timestamp(milliseconds: 0), because: .notPaired)),
            key: Secret(TLSMatrixTests.secret), clientKey: nil, trust: trust)
    }
}

extension UpdateCollector.State {
    /// Why the connection was last lost.
    var failure: Failure? {
        for case let .lost(_, because: failure) in events.reversed() { return failure }
        return nil
    }
}

extension Pairing.Trust {
    var isPin: Bool { if case .pinned = self { true } else { false } }
}

extension Failure {
    /// Whether it is about the bridge's identity or ours.
    var isOfTrust: Bool {
        switch self {
        case .certificateRefused, .keyRefused: true
        default: false
        }
    }
}
