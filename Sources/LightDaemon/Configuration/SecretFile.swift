import FoundationEssentials
import Glibc

/// A file with a secret: the token of the control API over TCP, or the password of a broker.
struct SecretFile {
    let kind: Kind
    let path: String
    /// The directory in which systemd passes secrets to this service; `nil` if it passes none.
    let credentials: String?

    enum Kind: String {
        /// The first word of its file, of at least 16 characters.
        case token
        /// The first line of its file.
        case password

        /// The secret that systemd passes under the name that lightd.service asks for; `nil` if it passes none.
        func credential(in directory: String?) -> String? {
            guard let path = directory.map({ "\($0)/\(name)" }), access(path, F_OK) == 0 else { return nil }
            return path
        }

        private var name: String { self == .token ? "lightd.token" : "lightd.mqtt-password" }
        /// Where systemd reads the secret that it passes as ``credential(in:)``.
        var stored: String { "/etc/credstore/\(name)" }
    }

    init(_ kind: Kind, path: String, credentials: String?) {
        (self.kind, self.path, self.credentials) = (kind, path, credentials)
    }

    /// - Throws: if the file cannot be read, is too short, or is accessible to others.
    func secret() throws(ConfigurationError) -> String {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw ConfigurationError(path, "cannot read the \(kind) file: \(String(cString: strerror(errno)))")
        }
        guard status.st_mode & 0o077 == 0 || isCredential(status) else {
            throw ConfigurationError(path, "other users can access the \(kind); run 'chmod 600 \(path)'")
        }
        return try content(status)
    }

    /// The secret, whoever else can read the file.
    ///
    /// - Parameter status: of the file.
    func content(_ status: stat) throws(ConfigurationError) -> String {
        let text: String
        do {
            text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
        } catch {
            guard access(path, R_OK) != 0, errno == EACCES, status.st_mode & S_IFMT == S_IFREG else {
                throw ConfigurationError(
                    path, "cannot read the \(kind) file: \(Configuration.reason(error, path))")
            }
            throw ConfigurationError(
                path,
                "cannot read the \(kind) file: it belongs to user \(status.st_uid), but lightd runs as user "
                    + "\(geteuid()); run 'chown \(geteuid()) \(path)', or let systemd pass it with LoadCredential=")
        }
        guard kind == .token else {
            let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
            guard !line.isEmpty else { throw ConfigurationError(path, "expected a password") }
            return line
        }
        let token = text.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
        guard token.count >= 16 else {
            throw ConfigurationError(
                path, "expected a token of at least 16 characters; 'openssl rand -hex 24' makes one")
        }
        return token
    }

    /// Whether systemd passed the file (`LoadCredential=`, systemd.exec(5)): it is in `$CREDENTIALS_DIRECTORY`, which
    /// only the service can enter, belongs to root, and nobody may write it. Its mode is then 0440: root keeps the
    /// file, and an access control list, whose mask stat(2) shows as the group's bits, lets the service read it.
    private func isCredential(_ status: stat) -> Bool {
        guard let credentials, let file = Self.resolved(path), let directory = Self.resolved(credentials) else {
            return false
        }
        return file.hasPrefix(directory + "/") && status.st_uid == 0 && status.st_mode & 0o337 == 0
    }

    /// Without links, so that one in the directory cannot lead elsewhere.
    private static func resolved(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
