import ControlProtocol
import Glibc

/// Where lightd listens on TCP: "http://192.168.1.3:8377".
struct DaemonURL: Equatable, Sendable, CustomStringConvertible {
    /// A name or an address; an IPv6 address is without brackets, perhaps with a zone: "fe80::1%eth0".
    let host: String
    let port: UInt16

    /// That of `tcp.port` in lightd.yaml.
    static let defaultPort: UInt16 = 8377

    /// Why a text is not the URL of a lightd.
    struct Malformed: Error, Equatable {
        /// "is not 'http://HOST' or 'http://HOST:PORT'"
        let reason: String
        var hint: String?
        /// Whether the text may be shown: it may hold a password.
        var isShown = true
    }

    /// - Parameter text: `http://HOST[:PORT]`, perhaps with a slash at its end; an IPv6 address is in brackets.
    init(_ text: String) throws(Malformed) {
        guard let separator = text.firstRange(of: "://") else {
            let meant = Self.parts(of: text[...]) == nil ? nil : "did you mean 'http://\(text)'?"
            throw Malformed(reason: Self.expected, hint: meant)
        }
        let scheme = text[..<separator.lowerBound].lowercased()
        guard scheme != "https" else {
            throw Malformed(
                reason: "is over TLS, which lightctl does not speak",
                hint: "by ssh nobody else reads along: ssh://[USER@]HOST")
        }
        let rest = text[separator.upperBound...]
        let authority = rest.prefix { !"/?#".contains($0) }
        guard !authority.contains("@") else {
            throw Malformed(
                reason: "must not name a user", hint: "lightd knows tokens only: LIGHTCTL_TOKEN, or --token-file",
                isShown: false)
        }
        guard scheme == "http", let parts = Self.parts(of: authority) else { throw Malformed(reason: Self.expected) }
        guard ["", "/"].contains(rest[authority.endIndex...]) else {
            throw Malformed(
                reason: "has more than a host and a port", hint: "lightd's API begins at the root: http://\(authority)")
        }
        (host, port) = (parts.host, parts.port ?? Self.defaultPort)
    }

    static let expected = "is not 'ssh://[USER@]HOST' or 'http://HOST[:PORT]'"

    /// The host and the port, if any, of "HOST", "HOST:PORT", "[ADDRESS]" or "[ADDRESS]:PORT".
    static func parts(of authority: Substring) -> (host: String, port: UInt16?)? {
        let (host, rest): (String, Substring)
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let inner = authority[..<end].dropFirst()
            let address = inner.prefix { $0 != "%" }
            guard IPEndpoint(String(address), 0)?.isIPv6 == true else { return nil }
            var zone = inner[address.endIndex...].dropFirst()
            // A "%" in a URL is written "%25" (RFC 6874); people type it as ip(8) prints it.
            if zone.hasPrefix("25") { zone = zone.dropFirst(2) }
            guard address.endIndex == end || isName(zone) else { return nil }
            host = address.endIndex == end ? String(address) : "\(address)%\(zone)"
            rest = authority[authority.index(after: end)...]
        } else {
            let name = authority.prefix { $0 != ":" }
            guard isName(name) else { return nil }
            (host, rest) = (String(name), authority[name.endIndex...])
        }
        guard !rest.isEmpty else { return (host, nil) }
        let digits = rest.dropFirst()
        guard rest.first == ":", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits),
            port > 0
        else { return nil }
        return (host, port)
    }

    /// Whether a text can be the name of a host or of an interface, and no option of a program.
    private static func isName(_ text: Substring) -> Bool {
        let isPart = { (byte: UInt8) in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true  // 0-9 A-Z a-z - . _
            default: false
            }
        }
        return (1...253).contains(text.utf8.count) && text.first != "-" && text.utf8.allSatisfy(isPart)
    }

    var description: String {
        "http://\(Self.written(host)):\(port)"
    }

    /// A host as a URL has it.
    static func written(_ host: String) -> String {
        bracketed(host.split(separator: "%", maxSplits: 1).joined(separator: "%25"))
    }

    /// The value of `Host`. A zone means nothing on another machine.
    var hostField: String { Self.bracketed(String(host.prefix { $0 != "%" })) + ":\(port)" }

    private static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

    /// Whether the host is this machine, whatever the resolver says (RFC 6761, 6.3).
    var isLocalhost: Bool { ["localhost", "localhost."].contains(host.lowercased()) }

    /// Whether what is sent there stays on this machine, where nobody else can read it.
    var isLoopback: Bool { isLocalhost || IPEndpoint(host, port)?.isLoopback == true }
}

/// The socket to connect to: the one named by the user, else the socket of the user's own lightd if it exists, else the
/// system's.
struct SocketPath: Equatable, Sendable {
    let chosen: String
    /// All candidates, for the error message.
    let tried: [String]

    static let variable = "LIGHTCTL_SOCKET"
    static let system = "/run/lightd/lightd.sock"

    /// The one at a path.
    init(at path: String) { (chosen, tried) = (path, [path]) }

    init(option: String?, environment: [String: String], exists: (String) -> Bool) {
        if let named = option ?? environment[Self.variable].flatMap({ $0.isEmpty ? nil : $0 }) {
            (chosen, tried) = (named, [named])
            return
        }
        // A user's lightd listens in the runtime directory, or beside its state if there is none.
        func absolute(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let state = absolute("XDG_STATE_HOME") ?? absolute("HOME").map { "\($0)/.local/state" }
        let own = [absolute("XDG_RUNTIME_DIR"), state].compactMap {
            $0.map { ($0.hasSuffix("/") ? $0 : $0 + "/") + "lightd/lightd.sock" }
        }
        tried = own + [Self.system]
        chosen = own.first(where: exists) ?? Self.system
    }
}
