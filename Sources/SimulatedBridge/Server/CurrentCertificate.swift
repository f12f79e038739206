import Synchronization

/// The certificate that the bridge uses now.
final class CurrentCertificate: Sendable {
    private let current: Mutex<BridgeCertificate>

    init(_ certificate: BridgeCertificate) { current = Mutex(certificate) }

    var certificate: BridgeCertificate { current.withLock { $0 } }

    /// Creates another private key, as a factory reset does.
    func renew(_ bridgeID: String, _ derive: DerivedID) throws {
        let number = certificate.number + 1
        let next = try BridgeCertificate(bridgeID: bridgeID, seed: derive.certificateSeed(number), number: number)
        current.withLock { $0 = next }
    }
}
