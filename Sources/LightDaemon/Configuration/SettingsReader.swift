import ControlProtocol
import Yams

/// Reads settings by their dotted paths, first from the environment, then from the file. It records the paths it was
/// asked for, so that any other key in the file, or variable that begins with `LIGHTD_`, can be refused as unknown.
struct SettingsReader {
    private let file: String
    private let nodes: [String: KeyedNode]
    private let environment: [String: String]
    private var known: [String] = []

    private struct KeyedNode {
        let node: Node
        /// The line of the key.
        let line: Int
    }

    /// - Throws: if the file is not YAML or does not consist of keys.
    init(yaml: String, file: String, environment: [String: String]) throws(ConfigurationError) {
        self.file = file
        self.environment = environment
        let root: Node?
        do {
            // Some editors write a byte order mark, which libyaml would count as a column.
            root = try Yams.compose(
                yaml: yaml.unicodeScalars.first == "\u{feff}" ? String(yaml.unicodeScalars.dropFirst()) : yaml)
        } catch let error as YamlError {
            throw ConfigurationError(error.location(in: file), error.summary)
        } catch {
            throw ConfigurationError(file, "invalid YAML: \(error)")
        }
        var nodes: [String: KeyedNode] = [:]
        switch root {
        case nil: break
        case let .mapping(mapping)?: try Self.flatten(mapping, under: "", of: file, into: &nodes)
        case let node? where node.isNull: break
        case let other?:
            throw ConfigurationError(Self.location(other, file), "expected keys with values, like 'log_level: info'")
        }
        self.nodes = nodes
    }

    /// A YAML list in the file, a comma-separated list in the environment.
    mutating func list<Element>(
        _ path: String, expected: String, _ parse: (String) -> Element?
    ) throws(ConfigurationError) -> [Element]? {
        known.append(path)
        if let (name, text) = variable(for: path) {
            var elements: [Element] = []
            for word in text.split(separator: ",") {
                // Without the spaces around it.
                let text = word.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                guard let element = parse(text) else {
                    throw ConfigurationError("environment variable \(name)", "'\(word)' is not \(expected)")
                }
                elements.append(element)
            }
            return elements
        }
        guard let entry = nodes[path] else { return nil }
        guard case let .sequence(sequence) = entry.node else {
            throw ConfigurationError("\(file):\(entry.line)", "'\(path)' is not a list; expected [\(expected), …]")
        }
        var elements: [Element] = []
        for node in sequence {
            guard case let .scalar(scalar) = node, !node.isNull, let element = parse(scalar.string) else {
                throw ConfigurationError(Self.location(node, file), "in '\(path)': expected \(expected)")
            }
            elements.append(element)
        }
        return elements
    }

    /// Where the settings that were read were made: "environment variable LIGHTD_SOCKET" or "lightd.yaml:7".
    var origins: [String: String] {
        var origins: [String: String] = [:]
        for path in known {
            origins[path] =
                variable(for: path).map { "environment variable \($0.name)" }
                ?? nodes[path].map { "\(file):\($0.line)" }
        }
        return origins
    }

    /// The unknown keys in the file, by line, then the unknown variables.
    var unknown: [ConfigurationError] {
        var (mistakes, refused): ([ConfigurationError], [String]) = ([], [])
        let unread = nodes.filter { !known.contains($0.key) }
        for (path, entry) in unread.sorted(by: { ($0.value.line, $0.key) < ($1.value.line, $1.key) }) {
            // Of a group that does not exist every key is unknown.
            guard !refused.contains(where: { path.hasPrefix($0 + ".") }) else { continue }
            let location = "\(file):\(entry.line)"
            let keysInGroup = known.filter { $0.hasPrefix(path + ".") }
            if keysInGroup.isEmpty {
                mistakes.append(ConfigurationError(location, unknownKey(path)))
                refused.append(path)
            } else if case .mapping = entry.node {
                // A group whose keys are all commented out sets nothing.
                continue
            } else if !entry.node.isNull {
                mistakes.append(
                    ConfigurationError(location, "'\(path)' is a group of keys: \(Self.list(keysInGroup))"))
            }
        }
        let names = known.map(Self.variable) + [Self.fileVariable]
        let unknown = environment.keys.filter { name in
            name.hasPrefix(Self.prefix) && !names.contains(name) && !name.hasPrefix(Self.testPrefix)
                && !Configuration.TimeLapse.variables.contains(name)
        }
        return mistakes
            + unknown.sorted().map { name in
                ConfigurationError(
                    "environment variable \(name)",
                    "unknown variable" + Self.suggestion(for: name, among: names)
                        + " known variables: \(Self.list(names))")
            }
    }

    /// Names the configuration file; not a key in it.
    static let fileVariable = "LIGHTD_CONFIG"
    private static let prefix = "LIGHTD_"
    /// For lightd's own tests; the daemons they start inherit these variables.
    private static let testPrefix = "LIGHTD_TEST_"

    private func unknownKey(_ path: String) -> String {
        let group = path.split(separator: ".").dropLast().joined(separator: ".")
        let siblings = known.filter { $0.hasPrefix(group.isEmpty ? "" : group + ".") }
        let candidates = siblings.isEmpty ? known : siblings
        // Groups too: "jurnal" resembles no key, but the group "journal".
        let groups = Set(known.compactMap { $0.contains(".") ? $0.split(separator: ".").first.map(String.init) : nil })
        return "unknown key '\(path)'" + Self.suggestion(for: path, among: known + groups)
            + " known keys: \(Self.list(candidates))"
    }

    private static func list(_ names: [String]) -> String { names.sorted().joined(separator: ", ") }

    private static func suggestion(for typed: String, among names: [String]) -> String {
        closest(to: typed, in: names).map { ", did you mean '\($0)'?" } ?? ";"
    }

    /// A single value, in YAML a scalar.
    ///
    /// - Parameters:
    ///   - expected: completes "'x' is not …".
    ///   - parse: `nil` if it is not that.
    mutating func scalar<Value>(
        _ path: String, expected: String, _ parse: (String) -> Value?
    ) throws(ConfigurationError) -> Value? {
        known.append(path)
        if let (name, text) = variable(for: path) {
            guard let value = parse(text) else {
                throw ConfigurationError("environment variable \(name)", "'\(text)' is not \(expected)")
            }
            return value
        }
        guard let entry = nodes[path] else { return nil }
        guard case let .scalar(scalar) = entry.node else {
            throw ConfigurationError("\(file):\(entry.line)", "'\(path)' is not a single value; expected \(expected)")
        }
        // YAML's null is spelled '~' or 'null', and must not become a file of that name.
        guard !entry.node.isNull else {
            throw ConfigurationError("\(file):\(entry.line)", "'\(path)' has no value; expected \(expected)")
        }
        guard let value = parse(scalar.string) else {
            throw ConfigurationError("\(file):\(entry.line)", "'\(path)' is '\(scalar.string)'; expected \(expected)")
        }
        return value
    }

    /// `limits.in_flight` is `LIGHTD_LIMITS_IN_FLIGHT`.
    private static func variable(for path: String) -> String {
        prefix + path.uppercased().split(separator: ".").joined(separator: "_")
    }

    private func variable(for path: String) -> (name: String, value: String)? {
        let name = Self.variable(for: path)
        return environment[name].map { (name, $0) }
    }

    /// The groups within others.
    private static let deepGroups: Set = ["tcp.tls", "mqtt.tls"]

    private static func flatten(
        _ mapping: Node.Mapping, under prefix: String, of file: String, into nodes: inout [String: KeyedNode]
    ) throws(ConfigurationError) {
        for (key, value) in mapping {
            guard case let .scalar(name) = key else {
                throw ConfigurationError(location(key, file), "a key must be a plain word")
            }
            // "journal.flush: 2s" would be a second spelling, and one setting could be made twice.
            if let dot = name.string.firstIndex(of: ".") {
                throw ConfigurationError(
                    location(key, file),
                    "a key contains no dot; write '\(name.string[..<dot]):' and, indented below it, "
                        + "'\(name.string[dot...].dropFirst()):'"
                )
            }
            let path = prefix.isEmpty ? name.string : "\(prefix).\(name.string)"
            nodes[path] = KeyedNode(node: value, line: key.mark?.line ?? 0)
            // No setting lies deeper. Following every level, a short file of aliases would expand to billions of keys.
            if prefix.isEmpty || deepGroups.contains(path), case let .mapping(inner) = value {
                try flatten(inner, under: path, of: file, into: &nodes)
            }
        }
    }

    private static func location(_ node: Node, _ file: String) -> String {
        node.mark.map { "\(file):\($0.line)" } ?? file
    }
}

extension Node {
    /// Whether it is YAML's null, in the core schema's spellings. Quoted, they are strings.
    fileprivate var isNull: Bool {
        guard case let .scalar(scalar) = self, scalar.style == .plain else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }
}
