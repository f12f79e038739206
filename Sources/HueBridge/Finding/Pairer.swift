import Crypto
import Curl
import FoundationEssentials
import HueWire
import Khipu
import Lighting
import SwiftASN1
import X509

/// Pairs with one bridge: looks at its certificate first, then asks for a key every second until somebody presses the
/// link button. The key comes over a connection that is checked: by the maker's roots if the certificate chains to
/// them, otherwise by the public key that was just seen.
struct Pairer: Sendable {
    let client: HTTPClient
    let settings: GatewaySettings
    let now: @Sendable () -> Timestamp

    /// - Parameter mayBePlain: whether plain HTTP is allowed: not for a bridge that has ever shown TLS.
    func pair(
        _ sighting: BridgeFinder.Sighting, mayBePlain: Bool = true, within timeout: Duration
    ) async throws(Failure) -> Pairing {
        let trust = sighting.isPlain ? try await plain(sighting, mayBePlain) : try await trust(of: sighting)
        let success = try await key(
            call(sighting, ServerTrust(trust, makerRoots: settings.makerRoots)), within: timeout)
        return Pairing(
            bridge: Bridge(
                id: sighting.id, name: sighting.name, model: sighting.model, address: sighting.address,
                connection: .lost(since: now(), because: .justPaired(sighting.id))),
            key: Secret(success.username),
            // Some bridges write it with dashes.
            clientKey: success.clientkey.map { Secret($0.filter { $0.isASCII && $0.isHexDigit }) },
            trust: trust,
            api: sighting.isPlain ? .v1 : sighting.speaks
        )
    }

    private func call(_ sighting: BridgeFinder.Sighting, _ trust: ServerTrust) -> BridgeCall {
        BridgeCall(
            bridge: sighting.id, address: sighting.address, trust: trust, isPlain: sighting.isPlain,
            timeouts: settings.timeouts)
    }

    private func trust(of sighting: BridgeFinder.Sighting) async throws(Failure) -> Pairing.Trust {
        var call = call(sighting, .roots(settings.makerRoots))
        let refusal: String
        do throws(CurlError) {
            _ = try await client.send(call.request(.get, "/api/config"))
            return .maker
        } catch {
            guard case let .certificateRefused(words) = error else { throw error.failure(of: sighting.id) }
            refusal = words
        }
        // Only a self-signed certificate may be pinned: old firmware, emulators and bridges after a factory reset have
        // one. A bridge has none that somebody else signed, or that the maker signed for another bridge or another
        // time.
        call.trust = .unverified
        var request = call.request(.get, "/api/config")
        request.wantsCertificate = true
        request.maximumBodySize = Probe.largestAnswer
        let response: HTTPResponse
        do throws(CurlError) {
            response = try await client.send(request)
        } catch {
            throw error.failure(of: sighting.id)
        }
        guard let pem = response.certificate, let certificate = try? Certificate(pemEncoded: pem),
            let publicKey = try? certificate.publicKey.serializeAsPEM().derBytes
        else {
            throw .certificateRefused(of: sighting.id, because: "it cannot be read")
        }
        let name = certificate.subject.commonName ?? ""
        guard Bridge.ID(told: name) == sighting.id else {
            throw .certificateRefused(of: sighting.id, because: "it belongs to '\(name)'")
        }
        guard certificate.isSelfSigned else { throw .certificateRefused(of: sighting.id, because: refusal) }
        let hash = SHA256.hash(data: publicKey)
        return .pinned("sha256//" + Data(hash).base64EncodedString())
    }

    private func key(_ call: BridgeCall, within timeout: Duration) async throws(Failure) -> PairingAnswer.Success {
        let clock = settings.clock
        let end = clock.now() + timeout
        let body: [UInt8]
        do {
            body = Array(try JSONEncoder().encode(PairingRequest(application: "lightd", instance: settings.instance)))
        } catch {
            throw .invalid("the pairing request cannot be written: \(error)")
        }
        var trouble: Failure?
        while true {
            switch await ask(call, body) {
            case let .key(success): return success
            case .notPressed: trouble = nil
            // A bridge that is just starting, or was away for a moment, has until the end.
            case let .unreachable(failure): trouble = failure
            case let .refused(failure): throw failure
            }
            guard clock.now() + .seconds(1) < end else { throw trouble ?? .buttonNotPressed(on: call.bridge) }
            do {
                try await clock.sleep(.seconds(1))
            } catch {
                throw .unreachable(call.bridge, because: "lightd is stopping")
            }
        }
    }
}

extension Pairer {
    /// - Throws: if a bridge without TLS had it before, or must have it by what it says of itself.
    private func plain(_ sighting: BridgeFinder.Sighting, _ mayBePlain: Bool) async throws(Failure) -> Pairing.Trust {
        let response: HTTPResponse
        do throws(CurlError) {
            response = try await client.send(
                call(sighting, ServerTrust(.plain, makerRoots: settings.makerRoots)).request(.get, "/api/config"))
        } catch {
            throw error.failure(of: sighting.id)
        }
        let config: PublicConfig? = response.decoded()
        guard let config, Bridge.ID(told: config.bridgeid) == sighting.id else {
            throw .unreachable(sighting.id, because: "another bridge answers at its address")
        }
        guard mayBePlain, !config.hasTLS else {
            throw .certificateRefused(
                of: sighting.id, because: "it shows none: it answers without TLS, but had it or must have it")
        }
        return .plain
    }

    private enum Answer {
        case key(PairingAnswer.Success)
        case notPressed
        case unreachable(Failure)
        case refused(Failure)
    }

    private func ask(_ call: BridgeCall, _ body: [UInt8]) async -> Answer {
        let response: HTTPResponse
        do throws(CurlError) {
            response = try await client.send(call.request(.post, "/api", body: body))
        } catch {
            let failure = error.failure(of: call.bridge)
            if case .certificateRefused = error { return .refused(failure) }
            return .unreachable(failure)
        }
        let answers = (try? JSONDecoder().decode([PairingAnswer].self, from: Data(response.body))) ?? []
        if let success = answers.lazy.compactMap(\.success).first { return .key(success) }
        guard let error = answers.lazy.compactMap(\.error).first else {
            return .unreachable(.unreachable(call.bridge, because: "HTTP \(response.status) instead of an answer"))
        }
        return error.type == V1Error.linkButtonNotPressed
            ? .notPressed : .refused(.refused(by: call.bridge, words: BridgeWords(error.description)))
    }
}

extension PublicConfig {
    /// Whether it must have HTTPS: every bridge with API v2 has.
    fileprivate var hasTLS: Bool {
        modelid == "BSB003" || swversion.flatMap { Int($0) }.map { $0 >= Self.firstWithV2 } ?? false
    }
}

extension Certificate {
    fileprivate var isSelfSigned: Bool {
        issuer == subject && publicKey.isValidSignature(signature, for: self)
    }
}

extension DistinguishedName {
    fileprivate var commonName: String? {
        lazy.flatMap { $0 }.first { $0.type == .RDNAttributeType.commonName }.map { "\($0.value)" }
    }
}
