import ControlProtocol
import ControlServer
import FoundationEssentials
import Logging
import Yams

/// The command-line options. They override everything else.
public struct Arguments: Equatable, Sendable {
    public var config: String?
    public var socket: String?
    public var stateDirectory: String?

    public init(config: String? = nil, socket: String? = nil, stateDirectory: String? = nil) {
        self.config = config
        self.socket = socket
        self.stateDirectory = stateDirectory
    }

    fileprivate var origins: [String: String] {
        [("socket", socket, "--socket"), ("state_dir", stateDirectory, "--state-dir")].reduce(into: [:]) {
            if $1.1 != nil { $0[$1.0] = "argument \($1.2)" }
        }
    }

    /// An empty path comes from an unset variable in a script, and would mean the current directory.
    func refuseEmpty() throws(ConfigurationError) {
        for (name, value) in [("--config", config), ("--socket", socket), ("--state-dir", stateDirectory)]
        where value == "" {
            throw ConfigurationError("argument \(name)", "'' is not a path")
        }
    }
}

extension Configuration {
    /// Combines arguments, environment, file and defaults, in this order of precedence.
    ///
    /// A file named by an argument or by `LIGHTD_CONFIG` must exist; the default file may be missing.
    public static func read(
        _ arguments: Arguments,
        environment: [String: String],
        isRoot: Bool
    ) throws(ConfigurationError) -> Self {
        let defaults = DefaultPaths(environment: environment, isRoot: isRoot)
        try arguments.refuseEmpty()
        let named = arguments.config ?? environment[SettingsReader.fileVariable]
        guard named != "" else {
            throw ConfigurationError("environment variable \(SettingsReader.fileVariable)", "'' is not a path")
        }
        let file = named ?? defaults.configuration
        let yaml: String
        do {
            yaml = try String(contentsOf: URL(filePath: file), encoding: .utf8)
        } catch {
            guard named != nil || FileManager.default.fileExists(atPath: file) else {
                return try read(yaml: "", file: file, arguments, environment: environment, defaults)
            }
            throw ConfigurationError(file, "cannot be read: \(Self.reason(error, file))")
        }
        var configuration = try read(yaml: yaml, file: file, arguments, environment: environment, defaults)
        configuration.file = file
        return configuration
    }

    static func read(
        yaml: String, file: String, _ arguments: Arguments, environment: [String: String], _ defaults: DefaultPaths
    ) throws(ConfigurationError) -> Self {
        var settings = try SettingsReader(yaml: yaml, file: file, environment: environment)
        let socket = try settings.text("socket", expected: "a path")
        let stateDirectory = try settings.text("state_dir", expected: "a path")
        var configuration = Self(
            socket: arguments.socket ?? socket ?? defaults.socket,
            stateDirectory: arguments.stateDirectory ?? stateDirectory ?? defaults.state
        )
        configuration.credentialsDirectory = environment["CREDENTIALS_DIRECTORY"]
        configuration.zoneVariable = environment["TZ"]
        configuration.timeLapse = try TimeLapse.read(environment)
        try configuration.apply(&settings)
        try settings.refuseUnknown()
        configuration.origins = settings.origins.merging(arguments.origins) { $1 }
        try configuration.checkSocketPath()
        return configuration
    }

    private mutating func apply(_ settings: inout SettingsReader) throws(ConfigurationError) {
        let levels = Logger.Level.allCases.map { ($0.rawValue, $0) }
        logLevel = try settings.choice("log_level", among: levels) ?? logLevel

        socketGroup = try settings.text("socket_group", expected: "a group") ?? socketGroup

        discovery.mdns = try settings.flag("discovery.mdns") ?? discovery.mdns
        discovery.hosts =
            try settings.list("discovery.hosts", expected: "a host or HOST:PORT", Host.init(text:)) ?? discovery.hosts
        discovery.cloud = try settings.flag("discovery.cloud") ?? discovery.cloud
        discovery.cloudURL =
            try settings.text(
                "discovery.cloud_url", expected: "an http or https URL",
                where: { $0.hasPrefix("https://") || $0.hasPrefix("http://") })
            ?? discovery.cloudURL

        limits.lightsPerSecond = try settings.number("limits.lights_per_second", in: 1...1000) ?? limits.lightsPerSecond
        limits.groupsPerSecond = try settings.number("limits.groups_per_second", in: 1...1000) ?? limits.groupsPerSecond
        limits.inFlight = try settings.number("limits.in_flight", in: 1...100) ?? limits.inFlight
        limits.commandDeadline =
            try settings.duration("limits.command_deadline", in: .seconds(1) ... .seconds(300))
            ?? limits.commandDeadline

        polling.interval =
            try settings.duration("polling.interval", in: .seconds(1) ... .seconds(300)) ?? polling.interval
        returning.policy =
            try settings.choice("returning.policy", among: Returning.Policy.allCases.map { ($0.rawValue, $0) })
            ?? returning.policy
        returning.keep =
            try settings.duration("returning.keep", in: .seconds(1) ... .seconds(86_400)) ?? returning.keep

        journal.enabled = try settings.flag("journal.enabled") ?? journal.enabled
        journal.entries = try settings.number("journal.entries", in: 100...10_000_000) ?? journal.entries
        journal.megabytes = try settings.number("journal.megabytes", in: 1...10_000) ?? journal.megabytes
        journal.flush =
            try settings.duration("journal.flush", in: .milliseconds(100) ... .seconds(3600)) ?? journal.flush

        tcp.enabled = try settings.flag("tcp.enabled") ?? tcp.enabled
        tcp.host = try settings.text("tcp.host", expected: "an address to listen on") ?? tcp.host
        tcp.port = try settings.number("tcp.port", in: 0...65535) ?? tcp.port
        tcp.tokenFile = try settings.text("tcp.token_file", expected: "a path") ?? tcp.tokenFile
        tcp.names =
            try settings.list("tcp.names", expected: "a host name") {
                ControlServerSettings.TCP.isName($0) ? $0 : nil
            } ?? tcp.names
        // What is believed of everybody is believed of strangers.
        tcp.proxies =
            try settings.list("tcp.proxies", expected: "an IP address or a network, like 10.0.0.0/8") {
                AddressRange($0).flatMap { $0.isEverybody ? nil : $0 }
            }
            ?? tcp.proxies
        tcp.tls.certificate = try settings.text("tcp.tls.certificate", expected: "a path") ?? tcp.tls.certificate
        tcp.tls.key = try settings.text("tcp.tls.key", expected: "a path") ?? tcp.tls.key

        let files = zoneFiles
        home.latitude = try settings.decimal("home.latitude", in: -90...90, like: "52.52") ?? home.latitude
        home.longitude = try settings.decimal("home.longitude", in: -180...180, like: "13.41") ?? home.longitude
        home.timeZone =
            try settings.text("home.time_zone", expected: ZoneFiles.expectation, where: files.mayExist) ?? home.timeZone
    }

    private func checkSocketPath() throws(ConfigurationError) {
        // sockaddr_un holds 108 bytes, including the terminating zero.
        if socket.utf8.count > 107 {
            throw mistake(in: "socket", "the socket path is longer than 107 bytes: \(socket)")
        }
    }

    /// - Parameter key: of the setting that is wrong.
    func mistake(in key: String, _ message: String) -> ConfigurationError {
        ConfigurationError(origins[key] ?? "default \(key)", message)
    }

    /// A short reason why a file cannot be read.
    static func reason(_ error: any Error, _ file: String) -> String {
        var isDirectory = false
        if FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory), isDirectory {
            return "it is a directory"
        }
        return switch (error as? CocoaError)?.code {
        case .fileReadNoSuchFile?, .fileNoSuchFile?: "no such file"
        case .fileReadNoPermission?: "permission denied"
        case .fileReadInapplicableStringEncoding?, .fileReadCorruptFile?: "it is not UTF-8"
        default: "\(error)"
        }
    }
}

/// A mistake in the configuration: where it is, what is wrong and what was expected.
public struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    /// "/etc/lightd/lightd.yaml:12", or "environment variable LIGHTD_SOCKET".
    public let location: String
    public let message: String

    public init(_ location: String, _ message: String) {
        self.location = location
        self.message = message
    }

    /// One line without control characters, whatever the file and the environment contain.
    public var description: String { PrintableText.line("\(location): \(message)") }
}

extension YamlError {
    /// "lightd.yaml:12", or only the file if the error has no line.
    func location(in file: String) -> String {
        switch self {
        case let .scanner(_, _, mark, _), let .parser(_, _, mark, _), let .composer(_, _, mark, _):
            "\(file):\(mark.line)"
        case let .duplicatedKeysInMapping(_, context): "\(file):\(context.mark.line)"
        case let .reader(_, offset?, _, yaml): "\(file):\(1 + yaml.prefix(offset).count(where: \.isNewline))"
        default: file
        }
    }

    /// The error in one line.
    var summary: String {
        switch self {
        case let .scanner(_, problem, _, _), let .parser(_, problem, _, _), let .composer(_, problem, _, _),
            let .reader(problem, _, _, _):
            "invalid YAML: \(problem)"
        case let .duplicatedKeysInMapping(keys, _):
            "duplicate key: \(keys.sorted().joined(separator: ", "))"
        default: "invalid YAML: \(self)"
        }
    }
}
