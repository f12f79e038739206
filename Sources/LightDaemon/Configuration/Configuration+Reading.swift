import FoundationEssentials
import Logging

/// What was said on the command line; it wins over everything else.
public struct Arguments: Equatable, Sendable {
    public var config: String?
    public var socket: String?
    public var stateDirectory: String?

    public init(config: String? = nil, socket: String? = nil, stateDirectory: String? = nil) {
        self.config = config
        self.socket = socket
        self.stateDirectory = stateDirectory
    }
}

extension Configuration {
    /// Puts a configuration together: arguments before environment before file before defaults.
    ///
    /// A file named by an argument or by `LIGHTD_CONFIG` must exist; the default one may be missing.
    public static func read(
        _ arguments: Arguments,
        environment: [String: String],
        isRoot: Bool
    ) throws(ConfigurationError) -> Self {
        let places = Places(environment: environment, isRoot: isRoot)
        let named = arguments.config ?? environment["LIGHTD_CONFIG"]
        let file = named ?? places.configuration
        let yaml: String
        do {
            yaml = try String(contentsOf: URL(filePath: file), encoding: .utf8)
        } catch {
            guard named != nil || FileManager.default.fileExists(atPath: file) else {
                return try read(yaml: "", file: file, arguments, environment: environment, places)
            }
            throw ConfigurationError(file, "cannot be read: \(Self.reason(error))")
        }
        return try read(yaml: yaml, file: file, arguments, environment: environment, places)
    }

    static func read(
        yaml: String, file: String, _ arguments: Arguments, environment: [String: String], _ places: Places
    ) throws(ConfigurationError) -> Self {
        var settings = try SettingsReader(yaml: yaml, file: file, environment: environment)
        let socket = try settings.text("socket", expected: "a path")
        let stateDirectory = try settings.text("state_dir", expected: "a path")
        var configuration = Self(
            socket: arguments.socket ?? socket ?? places.socket,
            stateDirectory: arguments.stateDirectory ?? stateDirectory ?? places.state
        )
        try configuration.take(&settings)
        try settings.refuseUnknown()
        try configuration.check(file)
        return configuration
    }

    private mutating func take(_ settings: inout SettingsReader) throws(ConfigurationError) {
        let levels = Logger.Level.allCases.map { ($0.rawValue, $0) }
        logLevel = try settings.choice("log_level", among: levels) ?? logLevel

        discovery.mdns = try settings.flag("discovery.mdns") ?? discovery.mdns
        discovery.hosts =
            try settings.list("discovery.hosts", expected: "a host or HOST:PORT", Host.init(text:)) ?? discovery.hosts

        limits.lightsPerSecond = try settings.number("limits.lights_per_second", in: 1...1000) ?? limits.lightsPerSecond
        limits.groupsPerSecond = try settings.number("limits.groups_per_second", in: 1...1000) ?? limits.groupsPerSecond
        limits.commandDeadline =
            try settings.duration("limits.command_deadline", in: .seconds(1) ... .seconds(300)) ?? limits.commandDeadline

        journal.enabled = try settings.flag("journal.enabled") ?? journal.enabled
        journal.entries = try settings.number("journal.entries", in: 100...10_000_000) ?? journal.entries
        journal.flush = try settings.duration("journal.flush", in: .milliseconds(100) ... .seconds(3600)) ?? journal.flush

        tcp.enabled = try settings.flag("tcp.enabled") ?? tcp.enabled
        tcp.host = try settings.text("tcp.host", expected: "an address to listen on") ?? tcp.host
        tcp.port = try settings.number("tcp.port", in: 0...65535) ?? tcp.port
        tcp.tokenFile = try settings.text("tcp.token_file", expected: "a path") ?? tcp.tokenFile
        tcp.names = try settings.list("tcp.names", expected: "a host name") { $0.isEmpty ? nil : $0 } ?? tcp.names
    }

    private func check(_ file: String) throws(ConfigurationError) {
        if tcp.enabled, tcp.tokenFile.isEmpty {
            throw ConfigurationError(file, "'tcp.enabled' is true, but 'tcp.token_file' names no file with a token")
        }
        // sockaddr_un holds 108 bytes with the closing zero.
        if socket.utf8.count > 107 {
            throw ConfigurationError(file, "the socket's path is longer than 107 bytes: \(socket)")
        }
    }

    private static func reason(_ error: any Error) -> String {
        let code = (error as? CocoaError)?.code
        return switch code {
        case .fileReadNoSuchFile?, .fileNoSuchFile?: "no such file"
        case .fileReadNoPermission?: "permission denied"
        case .fileReadInapplicableStringEncoding?: "it is not UTF-8"
        default: "\(error)"
        }
    }
}

/// Where things lie when nobody says otherwise: as a service (root), or run by a user.
public struct Places: Equatable, Sendable {
    public let configuration: String
    public let socket: String
    public let state: String

    /// systemd names a service's directories in the environment; a user's come from the XDG base directories.
    public init(environment: [String: String], isRoot: Bool) {
        let home = environment["HOME"] ?? "/"
        let asService = isRoot || environment["STATE_DIRECTORY"] != nil
        func xdg(_ name: String, _ fallback: String) -> String { environment[name] ?? "\(home)/\(fallback)" }
        if asService {
            configuration = (environment["CONFIGURATION_DIRECTORY"] ?? "/etc/lightd") + "/lightd.yaml"
            socket = (environment["RUNTIME_DIRECTORY"] ?? "/run/lightd") + "/lightd.sock"
            state = environment["STATE_DIRECTORY"] ?? "/var/lib/lightd"
        } else {
            configuration = xdg("XDG_CONFIG_HOME", ".config") + "/lightd/lightd.yaml"
            socket = (environment["XDG_RUNTIME_DIR"] ?? "/tmp/lightd-\(home.split(separator: "/").last ?? "user")") + "/lightd/lightd.sock"
            state = xdg("XDG_STATE_HOME", ".local/state") + "/lightd"
        }
    }
}

extension Configuration.Host {
    /// "192.0.2.10", "bridge.local:8443", "[fe80::1]:443", "fe80::1".
    init?(text: String) {
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard !host.isEmpty else { return nil }
            if rest.isEmpty {
                self.init(host: String(host))
            } else {
                guard rest.hasPrefix(":"), let port = Self.port(rest.dropFirst()) else { return nil }
                self.init(host: String(host), port: port)
            }
            return
        }
        let colons = text.count { $0 == ":" }
        guard colons == 1, let colon = text.firstIndex(of: ":") else {
            guard !text.isEmpty, !text.contains(where: \.isWhitespace), !text.contains("/") else { return nil }
            self.init(host: text)
            return
        }
        guard colon != text.startIndex, let port = Self.port(text[text.index(after: colon)...]) else { return nil }
        self.init(host: String(text[..<colon]), port: port)
    }

    private static func port(_ text: Substring) -> Int? {
        Int(text).flatMap { (1...65535).contains($0) ? $0 : nil }
    }
}
