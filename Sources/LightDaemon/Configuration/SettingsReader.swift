import ControlProtocol
import Yams

/// Reads settings by their dotted paths, from the environment first and the file second, and remembers which it was asked for:
/// what is left in the file or under `LIGHTD_` at the end is unknown, and refused.
struct SettingsReader {
    private let file: String
    private let entries: [String: Entry]
    private let environment: [String: String]
    private var known: [String] = []

    private struct Entry {
        let node: Node
        /// Where the key stands.
        let line: Int
    }

    /// - Throws: where the file is no YAML, or its top is no list of keys.
    init(yaml: String, file: String, environment: [String: String]) throws(ConfigurationError) {
        self.file = file
        self.environment = environment
        let root: Node?
        do {
            // Some editors begin a file with a byte order mark; libyaml would count it as a column.
            root = try Yams.compose(
                yaml: yaml.unicodeScalars.first == "\u{feff}" ? String(yaml.unicodeScalars.dropFirst()) : yaml)
        } catch let error as YamlError {
            throw ConfigurationError(error.place(in: file), error.complaint)
        } catch {
            throw ConfigurationError(file, "not readable as YAML: \(error)")
        }
        var entries: [String: Entry] = [:]
        switch root {
        case nil: break
        case let .mapping(mapping)?: try Self.flatten(mapping, under: "", of: file, into: &entries)
        case let node? where node.isNothing: break
        case let other?:
            throw ConfigurationError(Self.place(other, file), "expected keys with values, like 'log_level: info'")
        }
        self.entries = entries
    }

    mutating func text(_ path: String, expected: String, where isValid: (String) -> Bool = { !$0.isEmpty })
        throws(ConfigurationError) -> String?
    {
        try read(path, expected: expected) { isValid($0) ? $0 : nil }
    }

    mutating func flag(_ path: String) throws(ConfigurationError) -> Bool? {
        try read(path, expected: "true or false") { ["true": true, "false": false][$0] }
    }

    mutating func number(_ path: String, in range: ClosedRange<Int>) throws(ConfigurationError) -> Int? {
        try read(path, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)") {
            Int($0).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    mutating func choice<Value>(_ path: String, among values: [(String, Value)]) throws(ConfigurationError) -> Value? {
        try read(path, expected: "one of " + values.map(\.0).joined(separator: ", ")) { text in
            values.first { $0.0 == text }?.1
        }
    }

    mutating func duration(_ path: String, in range: ClosedRange<Duration>) throws(ConfigurationError) -> Duration? {
        let expected = "a time from \(range.lowerBound) to \(range.upperBound), like 2s or 500ms"
        return try read(path, expected: expected) { text in
            Duration(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// A list in the file; words between commas in the environment.
    mutating func list<Element>(
        _ path: String, expected: String, _ parse: (String) -> Element?
    ) throws(ConfigurationError) -> [Element]? {
        known.append(path)
        if let (name, text) = variable(for: path) {
            var elements: [Element] = []
            for word in text.split(separator: ",") {
                guard let element = parse(String(word).trimmed) else {
                    throw ConfigurationError("environment variable \(name)", "'\(word)' is not \(expected)")
                }
                elements.append(element)
            }
            return elements
        }
        guard let entry = entries[path] else { return nil }
        guard case let .sequence(sequence) = entry.node else {
            throw ConfigurationError("\(file):\(entry.line)", "'\(path)' is no list; expected [\(expected), …]")
        }
        var elements: [Element] = []
        for node in sequence {
            guard case let .scalar(scalar) = node, !node.isNothing, let element = parse(scalar.string) else {
                throw ConfigurationError(Self.place(node, file), "in '\(path)': expected \(expected)")
            }
            elements.append(element)
        }
        return elements
    }

    /// Where the value of a key comes from: "environment variable LIGHTD_SOCKET" or "lightd.yaml:7". `nil` where nobody gave one.
    func origin(of path: String) -> String? {
        if let (name, _) = variable(for: path) { return "environment variable \(name)" }
        return entries[path].map { "\(file):\($0.line)" }
    }

    /// - Throws: for the first key in the file, or else the first variable, that nobody asked for.
    func refuseUnknown() throws(ConfigurationError) {
        let unasked = entries.filter { !known.contains($0.key) }
        for (path, entry) in unasked.sorted(by: { ($0.value.line, $0.key) < ($1.value.line, $1.key) }) {
            let place = "\(file):\(entry.line)"
            let inside = known.filter { $0.hasPrefix(path + ".") }
            guard !inside.isEmpty else { throw ConfigurationError(place, complaint(aboutUnknown: path)) }
            // A group whose keys are all commented out sets nothing.
            if case .mapping = entry.node { continue }
            guard entry.node.isNothing else {
                throw ConfigurationError(place, "'\(path)' takes no value; it has the keys \(Self.listed(inside))")
            }
        }
        let names = known.map(Self.variable)
        let strangers = environment.keys.filter { name in
            name.hasPrefix(Self.prefix) && !names.contains(name) && name != Self.fileVariable
                && !name.hasPrefix(Self.testPrefix)
        }
        guard let name = strangers.min() else { return }
        throw ConfigurationError(
            "environment variable \(name)",
            "no key is called so" + Self.suggestion(for: name, among: names + [Self.fileVariable])
                + "; there are \(Self.listed(names + [Self.fileVariable]))"
        )
    }

    /// Names the configuration file; no key in it can.
    static let fileVariable = "LIGHTD_CONFIG"
    private static let prefix = "LIGHTD_"
    /// What the tests of lightd tell each other; a daemon that they start inherits it.
    private static let testPrefix = "LIGHTD_TEST_"

    private func complaint(aboutUnknown path: String) -> String {
        let group = path.split(separator: ".").dropLast().joined(separator: ".")
        let siblings = known.filter { $0.hasPrefix(group.isEmpty ? "" : group + ".") }
        let candidates = siblings.isEmpty ? known : siblings
        // "jurnal" is near no key, but near a group of keys.
        let groups = Set(known.compactMap { $0.contains(".") ? $0.split(separator: ".").first.map(String.init) : nil })
        return "there is no key '\(path)'" + Self.suggestion(for: path, among: known + groups)
            + "; there are \(Self.listed(candidates))"
    }

    private static func listed(_ words: [String]) -> String { words.sorted().joined(separator: ", ") }

    private static func suggestion(for typed: String, among words: [String]) -> String {
        closest(to: typed, in: words).map { ", did you mean '\($0)'?" } ?? ""
    }

    private mutating func read<Value>(
        _ path: String, expected: String, _ parse: (String) -> Value?
    ) throws(ConfigurationError) -> Value? {
        known.append(path)
        if let (name, text) = variable(for: path) {
            guard let value = parse(text) else {
                throw ConfigurationError("environment variable \(name)", "'\(text)' is not \(expected)")
            }
            return value
        }
        guard let entry = entries[path] else { return nil }
        guard case let .scalar(scalar) = entry.node else {
            throw ConfigurationError("\(file):\(entry.line)", "'\(path)' has parts; expected \(expected)")
        }
        // YAML's null is written '~' or 'null', and must not become a file of that name.
        guard !entry.node.isNothing else {
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

    private static func flatten(
        _ mapping: Node.Mapping, under prefix: String, of file: String, into entries: inout [String: Entry]
    ) throws(ConfigurationError) {
        for (key, value) in mapping {
            guard case let .scalar(name) = key else {
                throw ConfigurationError(place(key, file), "a key must be a plain word")
            }
            // "journal.flush: 2s" would be a second way to say the same, and could say it twice.
            if let dot = name.string.firstIndex(of: ".") {
                throw ConfigurationError(
                    place(key, file),
                    "a key has no dot in it; expected '\(name.string[..<dot]):' and below it, indented, "
                        + "'\(name.string[dot...].dropFirst()):'"
                )
            }
            let path = prefix.isEmpty ? name.string : "\(prefix).\(name.string)"
            entries[path] = Entry(node: value, line: key.mark?.line ?? 0)
            if case let .mapping(inner) = value { try flatten(inner, under: path, of: file, into: &entries) }
        }
    }

    private static func place(_ node: Node, _ file: String) -> String {
        node.mark.map { "\(file):\($0.line)" } ?? file
    }
}

extension Node {
    /// YAML's null in its core schema's spellings. In quotes they are words.
    fileprivate var isNothing: Bool {
        guard case let .scalar(scalar) = self, scalar.style == .plain else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }
}

extension String {
    fileprivate var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}

extension Duration {
    /// "2s", "500ms", "1m", "1h".
    fileprivate init?(_ text: String) {
        let units: [(String, Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600)]
        for (unit, seconds) in units where text.hasSuffix(unit) {
            let digits = text.dropLast(unit.count)
            // Double also takes "nan" and "0x1p4".
            guard digits.allSatisfy({ "0123456789.".contains($0) }),
                let number = Double(digits), case let milliseconds = number * seconds * 1000,
                // Beyond any range that is asked for, but still an Int64.
                milliseconds < 1e15
            else { continue }
            self = .milliseconds(Int64(milliseconds.rounded()))
            return
        }
        return nil
    }
}
