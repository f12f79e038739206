import ControlProtocol
import ControlSurface
import Crypto
public import Khipu
import Logging
import NIOCore
import NIOSSL

/// What lightd shows over TLS: a chain of certificates, its own first, with the key to its own.
public struct ServerCertificate: Equatable, Sendable {
    /// Which of the two is of no use, and why.
    public enum Mistake: Error, Equatable {
        case chain(String)
        case key(String)
    }

    /// From when until when lightd's own certificate is valid.
    let begin: Timestamp
    public let end: Timestamp
    let context: NIOSSLContext
    /// Of both: what is read again is news only if it differs.
    private let digest: SHA256.Digest

    /// How long a client may take to say farewell (RFC 8446, 6.1) before its connection is closed all the same.
    private static let farewell = TimeAmount.milliseconds(300)

    /// - Parameters:
    ///   - chain: certificates in PEM.
    ///   - key: the private key of the first of them, in PEM and without a password.
    public init(chain: [UInt8], key: [UInt8]) throws(Mistake) {
        guard let certificates = try? NIOSSLCertificate.fromPEMBytes(chain), let own = certificates.first else {
            throw .chain(
                "expected certificates in PEM ('-----BEGIN CERTIFICATE-----'): lightd's own, then those that signed it")
        }
        guard !key.contains("ENCRYPTED".utf8) else {
            throw .key(
                "the key is encrypted, and nobody can type its password when lightd starts; "
                    + "'openssl pkey -in KEY -out NEW' writes it without one")
        }
        // Without a callback, BoringSSL might ask the terminal.
        guard let ownKey = try? NIOSSLPrivateKey(bytes: key, format: .pem, passphraseCallback: { $0([UInt8]()) }) else {
            throw .key("expected a private key in PEM ('-----BEGIN PRIVATE KEY-----')")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(ownKey))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        configuration.shutdownTimeout = Self.farewell
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            // Each was read: what is left is that they do not belong together.
            throw .key("the key does not belong to the first certificate")
        }
        begin = Timestamp(milliseconds: Int64(own.notValidBefore) * 1000)
        end = Timestamp(milliseconds: Int64(own.notValidAfter) * 1000)
        var hash = SHA256()
        for part in [chain, key] { hash.update(data: Array(SHA256.hash(data: part))) }
        digest = hash.finalize()
    }

    public static func == (one: Self, other: Self) -> Bool { one.digest == other.digest }
}

extension ServerCertificate {
    /// How long before a certificate ends `lightctl doctor` and the log speak of it. Certbot renews a month before.
    private static let notice = Duration.seconds(14 * 86_400)

    /// What is wrong with it at a moment; `nil` if nothing is.
    func fault(at now: Timestamp) -> String? {
        if now < begin { return "the certificate is valid from \(begin.day) on: browsers refuse it until then" }
        if now >= end { return "the certificate has ended on \(end.day): browsers refuse it" }
        let left = end.since(now)
        guard left < Self.notice else { return nil }
        return "the certificate ends on \(end.day), in \(counted(Int(left / .seconds(86_400)), "day"))"
    }
}

extension Timestamp {
    /// "2026-12-24", in UTC.
    var day: Substring { iso8601.prefix(10) }
}

/// Behind the TLS handler: lets the handlers of HTTP see a connection over TLS as they see one without.
final class TLSGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let connection: ClientConnection
    private let logger: Logger

    init(_ connection: ClientConnection, _ logger: Logger) {
        self.connection = connection
        self.logger = logger
    }

    /// Of what a client does wrong there is one end, and no answer: there is nobody yet to read it.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // HTTP itself says where a message ends, so a farewell that is missing hides nothing.
        if case NIOSSLError.uncleanShutdown = error { return }
        logger.debug(
            "a connection over TLS failed: \(error)",
            metadata: ["client": "\(context.channel.remoteAddress?.ipAddress ?? "unknown")"])
        connection.close()
    }

    /// TLS cannot stop listening and go on talking; the connection below it can. Without this, a client that is silent
    /// would keep the server from ending.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .input else { return context.close(mode: mode, promise: promise) }
        connection.endInput(promise)
    }
}
