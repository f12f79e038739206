import Yams

/// Reads settings by their dotted paths, from the environment first and the file second, and remembers which it was asked for:
/// what is left in the file at the end is unknown, and refused.
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
            root = try Yams.compose(yaml: yaml)
        } catch let error as YamlError {
            throw ConfigurationError(Self.place(of: error, in: file), Self.complaint(of: error))
        } catch {
            throw ConfigurationError(file, "not readable as YAML: \(error)")
        }
        var entries: [String: Entry] = [:]
        switch root {
        case nil: break
        case let .mapping(mapping)?: try Self.flatten(mapping, under: "", of: file, into: &entries)
        case let .scalar(scalar)? where scalar.string.isEmpty || scalar.string == "null": break
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
            guard case let .scalar(scalar) = node, let element = parse(scalar.string) else {
                throw ConfigurationError(Self.place(node, file), "in '\(path)': expected \(expected)")
            }
            elements.append(element)
        }
        return elements
    }

    /// - Throws: for the first key in the file that nobody asked for.
    func refuseUnknown() throws(ConfigurationError) {
        let unknown = entries.filter { !known.contains($0.key) }.min { $0.value.line < $1.value.line }
        guard let (path, entry) = unknown else { return }
        let group = path.split(separator: ".").dropLast().joined(separator: ".")
        let siblings = known.filter { $0.hasPrefix(group.isEmpty ? "" : group + ".") }
        throw ConfigurationError(
            "\(file):\(entry.line)",
            "there is no key '\(path)'; there are \((siblings.isEmpty ? known : siblings).sorted().joined(separator: ", "))"
        )
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
        guard let value = parse(scalar.string) else {
            throw ConfigurationError("\(file):\(entry.line)", "'\(path)' is '\(scalar.string)'; expected \(expected)")
        }
        return value
    }

    /// `limits.in_flight` is `LIGHTD_LIMITS_IN_FLIGHT`.
    private func variable(for path: String) -> (name: String, value: String)? {
        let name = "LIGHTD_" + path.uppercased().split(separator: ".").joined(separator: "_")
        return environment[name].map { (name, $0) }
    }

    private static func flatten(
        _ mapping: Node.Mapping, under prefix: String, of file: String, into entries: inout [String: Entry]
    ) throws(ConfigurationError) {
        for (key, value) in mapping {
            guard case let .scalar(name) = key else {
                throw ConfigurationError(place(key, file), "a key must be a plain word")
            }
            let path = prefix.isEmpty ? name.string : "\(prefix).\(name.string)"
            if case let .mapping(inner) = value {
                try flatten(inner, under: path, of: file, into: &entries)
            } else {
                entries[path] = Entry(node: value, line: key.mark?.line ?? 0)
            }
        }
    }

    private static func place(_ node: Node, _ file: String) -> String {
        node.mark.map { "\(file):\($0.line)" } ?? file
    }

    private static func place(of error: YamlError, in file: String) -> String {
        switch error {
        case let .scanner(_, _, mark, _), let .parser(_, _, mark, _), let .composer(_, _, mark, _):
            "\(file):\(mark.line)"
        case let .duplicatedKeysInMapping(_, context): "\(file):\(context.mark.line)"
        default: file
        }
    }

    private static func complaint(of error: YamlError) -> String {
        switch error {
        case let .scanner(_, problem, _, _), let .parser(_, problem, _, _), let .composer(_, problem, _, _):
            "not readable as YAML: \(problem)"
        case let .duplicatedKeysInMapping(keys, _): "a key stands twice: \(keys.map { "\($0)" }.joined(separator: ", "))"
        default: "not readable as YAML: \(error)"
        }
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
            guard let number = Double(text.dropLast(unit.count)), number.isFinite, number >= 0 else { continue }
            self = .milliseconds(Int64((number * seconds * 1000).rounded()))
            return
        }
        return nil
    }
}
