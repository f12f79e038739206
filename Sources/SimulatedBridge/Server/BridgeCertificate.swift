import Crypto
import FoundationEssentials
import SwiftASN1
import Synchronization
import X509

/// The bridge's own certificate, as a bridge creates it after a factory reset: EC P-256, self-signed, CN = bridge id in
/// lower case, no subjectAltName, serial number = bridge id, valid until 2038.
struct BridgeCertificate: Codable, Equatable, Sendable {
    /// How many certificates came before it.
    let number: Int
    let certificatePEM: String
    let privateKeyPEM: String
    /// "sha256//" and the base64 of the SHA-256 of the public key, as curl writes a pin.
    let pin: String
    /// SHA-256 of the whole certificate, 64 hex digits.
    let fingerprint: String

    /// - Parameters:
    ///   - seed: 32 bytes; the same seed gives the same key, so a restart keeps the pin. The signature, and with it the
    ///     fingerprint, differs each time; for a client that pins the fingerprint the bridge needs a state directory.
    init(bridgeID: String, seed: [UInt8], number: Int = 0, as variant: Variant = .usual) throws {
        let key = try P256.Signing.PrivateKey(rawRepresentation: seed)
        let name = try variant.name(of: bridgeID)
        let serial = stride(from: 0, to: bridgeID.count, by: 2).compactMap { place in
            UInt8(bridgeID.dropFirst(place).prefix(2), radix: 16)
        }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(bytes: serial),
            publicKey: Certificate.PublicKey(key.publicKey),
            // 1 January 2017, and the end of 32-bit time: what real bridges carry.
            notValidBefore: Date(timeIntervalSince1970: 1_483_228_800),
            notValidAfter: Date(timeIntervalSince1970: variant == .expired ? 1_577_836_800 : 2_147_483_647),
            issuer: name,
            subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
            },
            issuerPrivateKey: Certificate.PrivateKey(key)
        )
        try self.init(certificate, chain: certificate.serializeAsPEM().pemString, key.pemRepresentation, number)
    }

    /// A certificate from the settings.
    init(_ given: Settings.Certificate) throws {
        let end = "-----END CERTIFICATE-----"
        let own = given.chain.firstRange(of: end).map { String(given.chain[..<$0.upperBound]) } ?? given.chain
        try self.init(Certificate(pemEncoded: own), chain: given.chain, given.privateKey, 0)
    }

    private init(_ certificate: Certificate, chain: String, _ privateKey: String, _ number: Int) throws {
        self.number = number
        certificatePEM = chain
        privateKeyPEM = privateKey
        fingerprint = DerivedID.hex(Array(SHA256.hash(data: try certificate.serializeAsPEM().derBytes)))
        let hash = SHA256.hash(data: try certificate.publicKey.serializeAsPEM().derBytes)
        pin = "sha256//" + Data(hash).base64EncodedString()
    }
}

extension BridgeCertificate {
    /// How a certificate may differ from the usual one.
    enum Variant: String, Sendable {
        case usual
        /// Like a Bridge Pro's: the id in upper case, and `OU=BSB003`.
        case upper
        /// With the name of another bridge.
        case wrongName = "wrong-name"
        /// Until 1 January 2020.
        case expired

        fileprivate func name(of bridgeID: String) throws -> DistinguishedName {
            switch self {
            case .usual, .expired:
                try DistinguishedName {
                    CountryName("NL")
                    OrganizationName("Philips Hue")
                    CommonName(bridgeID)
                }
            case .upper:
                try DistinguishedName {
                    CountryName("NL")
                    OrganizationName("Philips Hue")
                    OrganizationalUnitName("BSB003")
                    CommonName(bridgeID.uppercased())
                }
            case .wrongName:
                try DistinguishedName {
                    CountryName("NL")
                    OrganizationName("Philips Hue")
                    CommonName("001788fffe000000")
                }
            }
        }
    }
}

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
