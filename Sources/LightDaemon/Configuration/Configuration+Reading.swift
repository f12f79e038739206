import ControlProtocol
import FoundationEssentials
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
        var configuration = Self(socket: defaults.socket, stateDirectory: defaults.state)
        configuration.credentialsDirectory = environment["CREDENTIALS_DIRECTORY"]
        configuration.zoneVariable = environment["TZ"]
        configuration.timeLapse = try TimeLapse.read(environment)
        var mistakes: [ConfigurationError] = []
        for key in keys {
            do throws(ConfigurationError) {
                try key.read(&settings, &configuration)
            } catch {
                mistakes.append(error)
            }
        }
        if let error = ConfigurationError(mistakes + settings.unknown) { throw error }
        if let socket = arguments.socket { configuration.socket = socket }
        if let directory = arguments.stateDirectory { configuration.stateDirectory = directory }
        configuration.origins = settings.origins.merging(arguments.origins) { $1 }
        try configuration.checkSocketPath()
        return configuration
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

/// A mistake in the configuration, or several: where it is, what is wrong and what was expected.
public struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    /// "/etc/lightd/lightd.yaml:12", or "environment variable LIGHTD_SOCKET".
    public let location: String
    public let message: String
    /// The other mistakes, if there are several.
    public let others: [ConfigurationError]

    public init(_ location: String, _ message: String) {
        (self.location, self.message, others) = (location, message, [])
    }

    /// `nil` if there is no mistake.
    init?(_ mistakes: [ConfigurationError]) {
        guard let first = mistakes.first else { return nil }
        (location, message, others) = (first.location, first.message, Array(mistakes.dropFirst()))
    }

    /// A line for each mistake, without control characters, whatever the file and the environment contain.
    public var lines: [String] { [PrintableText.line("\(location): \(message)")] + others.flatMap(\.lines) }

    /// One line: the first mistake.
    public var description: String {
        lines[0] + (others.isEmpty ? "" : " (and \(others.count) more: 'lightd --check-config' lists them)")
    }
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
