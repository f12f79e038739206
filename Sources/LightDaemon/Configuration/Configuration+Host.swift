import Glibc

extension Configuration.Host {
    /// Parses "192.0.2.10", "bridge.local:8443", "[fe80::1%eth0]:443" or "fe80::1".
    init?(text: String, port usual: Int = 443) {
        let host: Substring
        let rest: Substring
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[..<end].dropFirst()
            rest = text[end...].dropFirst()
            guard Self.isIPv6(host) else { return nil }
        } else if Self.isIPv6(text[...]) {
            host = text[...]
            rest = ""
        } else {
            host = text.prefix { $0 != ":" }
            rest = text[host.endIndex...]
            guard Self.isName(host) else { return nil }
        }
        guard !rest.isEmpty else {
            self.init(host: String(host), port: usual)
            return
        }
        guard rest.hasPrefix(":"), let port = Self.port(rest.dropFirst()) else { return nil }
        self.init(host: String(host), port: port)
    }

    /// As it is written in the file.
    var setting: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    private static func port(_ text: Substring) -> Int? {
        // Int also accepts "+80".
        guard text.allSatisfy(\.isASCIIDigit) else { return nil }
        return Int(text).flatMap { (1...65535).contains($0) ? $0 : nil }
    }

    /// Whether it is a name or an IPv4 address. Letters of any language are allowed: resolvers know more names than DNS
    /// does.
    private static func isName(_ text: Substring) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isASCIIDigit || "-._".contains($0) }
    }

    /// Whether it is an IPv6 address, with or without a zone.
    private static func isIPv6(_ text: Substring) -> Bool {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first, parts.count == 1 || !parts[1].isEmpty else { return false }
        var bytes = in6_addr()
        return inet_pton(AF_INET6, String(address), &bytes) == 1
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}

/// The default paths: those of a system service if run by root or systemd, otherwise the user's.
public struct DefaultPaths: Equatable, Sendable {
    public let configuration: String
    public let socket: String
    public let state: String

    /// Reads the service's directories as systemd passes them (systemd.exec(5)), or the user's XDG base directories.
    ///
    /// Without `XDG_RUNTIME_DIR` the socket is in the state directory: another user could take a name in /tmp first.
    public init(environment: [String: String], isRoot: Bool) {
        if isRoot || environment["STATE_DIRECTORY"] != nil {
            // Several directories are separated by colons; the first is the main one.
            func given(_ name: String) -> String? {
                environment[name]?.split(separator: ":").first.map(String.init)
            }
            configuration = (given("CONFIGURATION_DIRECTORY") ?? "/etc/lightd") + "/lightd.yaml"
            socket = (given("RUNTIME_DIRECTORY") ?? "/run/lightd") + "/lightd.sock"
            state = given("STATE_DIRECTORY") ?? "/var/lib/lightd"
        } else {
            // "All paths must be absolute. If an implementation encounters a relative path it should consider the path
            // invalid and ignore it": XDG Base Directory Specification 0.8.
            func absolute(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
            let home = absolute("HOME") ?? ""
            configuration = (absolute("XDG_CONFIG_HOME") ?? "\(home)/.config") + "/lightd/lightd.yaml"
            state = (absolute("XDG_STATE_HOME") ?? "\(home)/.local/state") + "/lightd"
            socket = absolute("XDG_RUNTIME_DIR").map { "\($0)/lightd/lightd.sock" } ?? "\(state)/lightd.sock"
        }
    }
}
