import ControlServer
import FoundationEssentials
import Glibc

extension Configuration {
    /// Far more than any chain, or key, has.
    private static let largestCertificateFile = 1 << 20

    /// What `tcp.tls` names; `nil` if it names nothing.
    ///
    /// - Throws: if the files cannot be read, are accessible to others, or are of no use.
    func certificate() throws(ConfigurationError) -> ServerCertificate? {
        let (certificate, key) = ("tcp.tls.certificate", "tcp.tls.key")
        try requireBoth((certificate, tcp.tls.certificate), (key, tcp.tls.key))
        guard !tcp.tls.certificate.isEmpty else { return nil }
        let chain = try bytes(of: tcp.tls.certificate, in: certificate)
        let secret = try bytes(of: tcp.tls.key, in: key) { (status) throws(ConfigurationError) in
            // The group may be that of lightd; certbot and others run as root.
            guard status.st_mode & 0o037 == 0 else {
                throw mistake(
                    in: key,
                    "'\(tcp.tls.key)' can be read by other users; run 'chmod 640 \(tcp.tls.key)', and let lightd's "
                        + "group own it")
            }
        }
        do throws(ServerCertificate.Mistake) {
            return try ServerCertificate(chain: chain, key: secret)
        } catch {
            switch error {
            case let .chain(text): throw mistake(in: certificate, "'\(tcp.tls.certificate)': \(text)")
            case let .key(text): throw mistake(in: key, "'\(tcp.tls.key)': \(text)")
            }
        }
    }

    /// - Parameters:
    ///   - key: the setting that names the file.
    ///   - check: is given the file's status before anything is read.
    private func bytes(
        of path: String, in key: String, _ check: (stat) throws(ConfigurationError) -> Void = { _ in }
    ) throws(ConfigurationError) -> [UInt8] {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw mistake(in: key, "'\(path)' cannot be read: \(String(cString: strerror(errno)))")
        }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.largestCertificateFile else {
            throw mistake(in: key, "'\(path)' is no file of certificates or keys")
        }
        try check(status)
        do {
            return Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            let reason = Self.reason(error, path)
            throw mistake(
                in: key,
                "'\(path)' cannot be read: \(reason); it belongs to user \(status.st_uid) and group \(status.st_gid), "
                    + "but lightd runs as user \(geteuid()) and group \(getegid())")
        }
    }
}
