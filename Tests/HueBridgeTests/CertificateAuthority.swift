import Crypto
import Foundation
import SimulatedBridge
import SwiftASN1
import X509

/// A root that signs certificates as the bridges' maker does, made for one test.
struct CertificateAuthority: Sendable {
    private let key: P256.Signing.PrivateKey
    private let name: DistinguishedName
    private let certificate: Certificate
    /// The certificates between this authority and the root, PEM; empty for a root.
    private let between: String

    init(_ name: String = "root-bridge") throws {
        key = P256.Signing.PrivateKey()
        self.name = try Self.name(name)
        certificate = try Self.sign(key.publicKey, self.name, by: key, self.name, isAuthority: true)
        between = ""
    }

    private init(signedBy root: CertificateAuthority) throws {
        key = P256.Signing.PrivateKey()
        name = try Self.name("bridges-of-2025")
        certificate = try Self.sign(key.publicKey, name, by: root.key, root.name, isAuthority: true)
        between = try certificate.serializeAsPEM().pemString
    }

    var pem: String { get throws { try certificate.serializeAsPEM().pemString } }

    /// An authority whose certificates chain to this root through its own.
    func intermediate() throws -> CertificateAuthority { try CertificateAuthority(signedBy: self) }

    func issue(
        _ commonName: String, from: Date = .year2017, until: Date = .year2038,
        key own: P256.Signing.PrivateKey = P256.Signing.PrivateKey()
    ) throws -> Settings.Certificate {
        let certificate = try Self.sign(
            own.publicKey, Self.name(commonName), by: key, name, from: from, until: until, isAuthority: false)
        return Settings.Certificate(
            chain: try [certificate.serializeAsPEM().pemString, between].joined(separator: "\n"),
            privateKey: own.pemRepresentation)
    }

    /// A certificate that a bridge signs itself.
    static func selfSigned(_ commonName: String, until: Date = .year2038, key: P256.Signing.PrivateKey) throws
        -> Settings.Certificate
    {
        let name = try name(commonName)
        let certificate = try sign(key.publicKey, name, by: key, name, until: until, isAuthority: false)
        return Settings.Certificate(
            chain: try certificate.serializeAsPEM().pemString, privateKey: key.pemRepresentation)
    }

    private static func name(_ commonName: String) throws -> DistinguishedName {
        try DistinguishedName {
            CountryName("NL")
            OrganizationName("Philips Hue")
            CommonName(commonName)
        }
    }

    private static func sign(
        _ key: P256.Signing.PublicKey, _ subject: DistinguishedName, by signer: P256.Signing.PrivateKey,
        _ issuer: DistinguishedName, from: Date = .year2017, until: Date = .year2038, isAuthority: Bool
    ) throws -> Certificate {
        try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: Certificate.PublicKey(key),
            notValidBefore: from, notValidAfter: until, issuer: issuer, subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                if isAuthority {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                    Critical(KeyUsage(keyCertSign: true))
                } else {
                    Critical(BasicConstraints.notCertificateAuthority)
                    Critical(KeyUsage(digitalSignature: true))
                    try ExtendedKeyUsage([.serverAuth])
                }
            },
            issuerPrivateKey: Certificate.PrivateKey(signer))
    }
}

extension P256.Signing.PrivateKey {
    /// The pin as curl writes it.
    var pin: String {
        "sha256//" + Data(SHA256.hash(data: publicKey.derRepresentation)).base64EncodedString()
    }
}

extension Date {
    static let year2017 = Date(timeIntervalSince1970: 1_483_228_800)
    static let year2020 = Date(timeIntervalSince1970: 1_577_836_800)
    static let year2037 = Date(timeIntervalSince1970: 2_114_380_800)
    static let year2038 = Date(timeIntervalSince1970: 2_147_483_647)
}
