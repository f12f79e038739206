import Glibc

/// A machine whose lightd is asked at its socket, by ssh: "ssh://me@lights.lan:2222/run/lightd/lightd.sock".
///
/// Nothing in it means anything to a shell, a program's options or ssh's own patterns, so nothing has to be quoted, for
/// whichever shell the user has there.
struct SSHLocation: Equatable, Sendable, CustomStringConvertible {
    /// `nil` leaves it to ssh's configuration, like the port.
    let user: String?
    /// As in ``DaemonURL/host``; also a name that only ssh's configuration knows.
    let host: String
    let port: UInt16?
    /// An absolute path there; `nil` is the socket that lightctl takes there without options.
    let socket: String?

    private static let scheme = "ssh://"

    static func isMeant(by text: String) -> Bool {
        String(decoding: text.utf8.prefix(scheme.utf8.count), as: UTF8.self).lowercased() == scheme
    }

    /// - Parameter text: `ssh://[USER@]HOST[:PORT][/PATH]`; an IPv6 address is in brackets.
    init(_ text: String) throws(DaemonURL.Malformed) {
        let rest = text[text.utf8.index(text.startIndex, offsetBy: Self.scheme.utf8.count)...]
        let authority = rest.prefix { $0 != "/" }
        let path = rest[authority.endIndex...]
        var place = authority
        var user: Substring?
        if let end = authority.lastIndex(of: "@") {
            let name = authority[..<end]
            guard !name.contains(":") else {
                throw DaemonURL.Malformed(
                    reason: "must not have a password", hint: "ssh asks for it, or uses a key (ssh-keygen(1))",
                    isShown: false)
            }
            guard Self.isPlain(name, and: "._+-") else { throw DaemonURL.Malformed(reason: DaemonURL.expected) }
            (user, place) = (name, authority[authority.index(after: end)...])
        }
        guard let parts = DaemonURL.parts(of: place) else { throw DaemonURL.Malformed(reason: DaemonURL.expected) }
        guard path.utf8.count <= 107, path.isEmpty || Self.isPlain(path, and: "/._+-@:") else {
            throw DaemonURL.Malformed(
                reason: "names a socket by something other than letters, digits and / . _ + - @ :",
                hint: "the path of a socket there has 107 of these at most: ssh://HOST/run/lightd/lightd.sock")
        }
        (self.user, host, port) = (user.map { String($0) }, parts.host, parts.port)
        socket = path.utf8.count > 1 ? String(path) : nil
    }

    /// Whether a text has nothing but letters and digits of ASCII and these marks, and is no option.
    private static func isPlain(_ text: Substring, and marks: String) -> Bool {
        let isPart = { (byte: UInt8) in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true  // 0-9 A-Z a-z
            default: marks.utf8.contains(byte)
            }
        }
        return !text.isEmpty && text.utf8.first != UInt8(ascii: "-") && text.utf8.allSatisfy(isPart)
    }

    var description: String {
        let (user, port) = (user.map { "\($0)@" } ?? "", port.map { ":\($0)" } ?? "")
        return "\(Self.scheme)\(user)\(DaemonURL.written(host))\(port)\(socket ?? "")"
    }

    /// The program that leads to the socket there, and its arguments.
    ///
    /// - Parameter mayAsk: whether ssh may ask for a passphrase, a password, or whether it knows the machine.
    func command(mayAsk: Bool) -> [String] {
        // What the user's configuration wants for a terminal would fail or harm here. A machine that lost its power is
        // noticed as over TCP.
        let options = [
            "ClearAllForwardings=yes", "RemoteCommand=none", "ServerAliveInterval=10", "ServerAliveCountMax=3",
        ]
        var words = ["ssh", "-T", "-a", "-x"]
        for option in options + (mayAsk ? [] : ["BatchMode=yes"]) { words += ["-o", option] }
        if let user { words += ["-l", user] }
        if let port { words += ["-p", "\(port)"] }
        words += ["--", host, "lightctl", DialStdio.verb]
        if let socket { words.append(socket) }
        return words
    }
}
