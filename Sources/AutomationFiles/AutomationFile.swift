import CommandGrammar
import ControlProtocol
public import Lighting
import Yams

/// Automations as a person writes them, in YAML:
///
///     automations:
///       - name: Evening
///         when: sunset - 20m
///         if: [between sunset and 23:30, "@Living off"]
///         do: [recall Living/Evening --over 5m]
public struct AutomationFile: Equatable, Sendable {
    public let automations: [Automation]
    /// In which line each begins.
    public let lines: [Automation.ID: Int]
    /// Those of which it says whether they are enabled.
    public let saysWhetherEnabled: Set<Automation.ID>

    /// - Parameter home: whose time a date and time without an offset are; `nil` refuses them.
    /// - Throws: everything that is wrong in it.
    public init(yaml: String, in home: HomeTime? = nil) throws(FileMistakes) {
        var reader = AutomationFileReader(yaml, in: home)
        (automations, lines) = reader.read()
        saysWhetherEnabled = reader.saysWhetherEnabled
        guard reader.mistakes.isEmpty else {
            throw FileMistakes(mistakes: reader.mistakes.sorted { ($0.line, $0.column) < ($1.line, $1.column) })
        }
    }

    /// How many automations a file and a home may have, and how many entries each of their lists.
    public static let mostAutomations = 2000
    static let mostEntries = 200
}

/// Reads a file to its end, whatever is wrong in it.
struct AutomationFileReader {
    private let text: String
    private let lines: [Substring]
    private let home: HomeTime?
    private(set) var mistakes: [FileMistake] = []
    private(set) var saysWhetherEnabled: Set<Automation.ID> = []
    /// Those that were read, by their text: many automations do the same.
    private var steps: [String: [Automation.Step]] = [:]

    init(_ yaml: String, in home: HomeTime? = nil) {
        self.home = home
        // Some editors write a byte order mark, which libyaml would count as a column.
        text = yaml.unicodeScalars.first == "\u{feff}" ? String(yaml.unicodeScalars.dropFirst()) : yaml
        lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    }

    mutating func read() -> ([Automation], [Automation.ID: Int]) {
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch let error as YamlError {
            mistakes.append(error.mistake(in: lines))
            return ([], [:])
        } catch {
            mistakes.append(FileMistake(line: 1, column: 1, "invalid YAML: \(error)"))
            return ([], [:])
        }
        guard let root, case let .mapping(file) = root else {
            add("expected 'automations:' and a list of them", at: root)
            return ([], [:])
        }
        let values = fields(of: file, known: ["automations"])
        guard let list = values["automations"] else {
            if mistakes.isEmpty { add("expected 'automations:' and a list of them", at: root) }
            return ([], [:])
        }
        guard case let .sequence(nodes) = list.value, nodes.count <= AutomationFile.mostAutomations else {
            let most = AutomationFile.mostAutomations
            add(
                isNull(list.value)
                    ? "expected a list of automations, each beginning with '- name:'; '[]' is none"
                    : "expected a list of at most \(most) automations, each beginning with '- name:'",
                at: isNull(list.value) ? list.key : list.value)
            return ([], [:])
        }
        var (automations, places) = ([Automation](), [Automation.ID: Int]())
        for node in nodes {
            guard let automation = automation(node) else { continue }
            if let first = places[automation.id] {
                add("'\(automation.name)' is the name of the automation in line \(first), too", at: node)
            } else {
                places[automation.id] = node.mark?.line ?? 1
            }
            automations.append(automation)
        }
        return (automations, places)
    }

    // MARK: One automation

    private static let keys = ["name", "when", "if", "do", "mode", "late", "enabled"]

    /// `nil` if something is wrong in it.
    private mutating func automation(_ node: Node) -> Automation? {
        guard case let .mapping(mapping) = node else {
            add("expected an automation: 'name:', 'when:' and 'do:'", at: node)
            return nil
        }
        let before = mistakes.count
        let fields = fields(of: mapping, known: Self.keys)
        var name: String?
        if let field = fields["name"] { name = self.name(field.value) }
        let home = home
        let triggers = texts(fields["when"]?.value) { text throws(TextError) in
            [
                try Self.timed(text, Automation.Trigger.firstWords) { (text) throws(TimeTextError) in
                    try Automation.Trigger(text, in: home)
                }
            ]
        }
        let conditions = texts(fields["if"]?.value) { text throws(TextError) in
            [
                try Self.timed(text, Automation.Condition.firstWords) { (text) throws(TimeTextError) in
                    try Automation.Condition(text)
                }
            ]
        }
        var known = self.steps
        let steps = texts(fields["do"]?.value) { text throws(TextError) in
            if let steps = known[text] { return steps }
            let steps = try Automation.Step.steps(from: text)
            known[text] = steps
            return steps
        }
        self.steps = known
        let mode = word(fields["mode"]?.value, RunMode.allCases.map { ($0.rawValue, $0) })
        let lateness = word(fields["late"]?.value, Automation.Lateness.allCases.map { ($0.description, $0) })
        let isEnabled = word(fields["enabled"]?.value, [("true", true), ("false", false)])
        if fields["name"] == nil { add("this automation has no 'name'", at: node) }
        if fields["do"] == nil {
            add("this automation has no 'do'", at: node)
        } else if steps.isEmpty, mistakes.count == before {
            add("'do' is empty; expected a command such as 'turn on hall'", at: fields["do"]?.value)
        }
        guard let name, mistakes.count == before else { return nil }
        if isEnabled != nil { saysWhetherEnabled.insert(Automation.ID(name)) }
        return Automation(
            name: name, triggers: triggers, conditions: conditions, steps: steps, mode: mode ?? .single,
            lateness: lateness, isEnabled: isEnabled ?? true)
    }

    private mutating func name(_ node: Node) -> String? {
        guard case let .scalar(scalar) = node, !isNull(node), scalar.string.contains(where: { !$0.isWhitespace }) else {
            add("expected a name", at: node)
            return nil
        }
        let isPrintable = scalar.string.unicodeScalars.allSatisfy {
            ![.control, .format, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
        }
        guard scalar.string.unicodeScalars.count <= 100, isPrintable else {
            add("a name is one line of at most 100 characters, without control characters", at: node)
            return nil
        }
        guard scalar.string.first?.isWhitespace == false, scalar.string.last?.isWhitespace == false else {
            add("a name has no blanks around it", at: node)
            return nil
        }
        let words = scalar.string.lowercased().split(separator: " ")
        guard words.count != 2 || words[0] != "timer" || Int(words[1]) == nil else {
            add("'\(scalar.string)' is what a timer is called: choose another name", at: node)
            return nil
        }
        return scalar.string
    }

    // MARK: Values

    private struct Field {
        let key: Node
        let value: Node
    }

    private mutating func fields(of mapping: Node.Mapping, known: [String]) -> [String: Field] {
        var fields: [String: Field] = [:]
        for (key, value) in mapping {
            guard case let .scalar(scalar) = key else {
                add("expected a key: \(known.joined(separator: ", "))", at: key)
                continue
            }
            guard known.contains(scalar.string) else {
                add(
                    "unknown key '\(scalar.string)'; " + didYouMean(scalar.string, of: known, else: "use one of"),
                    at: key)
                continue
            }
            fields[scalar.string] = Field(key: key, value: value)
        }
        return fields
    }

    /// One text, or a list of texts, each read to some values.
    private mutating func texts<Value>(
        _ node: Node?, _ read: (String) throws(TextError) -> [Value]
    ) -> [Value] {
        guard let node else { return [] }
        var nodes = [node]
        if case let .sequence(sequence) = node { nodes = Array(sequence) }
        guard nodes.count <= AutomationFile.mostEntries else {
            add("expected at most \(AutomationFile.mostEntries) entries", at: node)
            return []
        }
        var values: [Value] = []
        for node in nodes {
            guard case let .scalar(scalar) = node, !isNull(node) else {
                add("expected a text", at: node)
                continue
            }
            do throws(TextError) {
                values += try read(scalar.string)
            } catch {
                add(error.message + commentHint(scalar), at: node, error.offset)
            }
        }
        return values
    }

    /// Reads a text that has times in it.
    private static func timed<Value>(
        _ text: String, _ firstWords: [String], _ read: (String) throws(TimeTextError) -> Value
    ) throws(TextError) -> Value {
        do throws(TimeTextError) {
            return try read(text)
        } catch {
            let first = text.prefix { !$0.isWhitespace }
            let near = error.offset == 0 ? closest(to: String(first), in: firstWords) : nil
            throw TextError(
                near.map { "'\(first)' is unknown; did you mean '\($0)'?" } ?? "expected \(error.expected)",
                at: error.offset)
        }
    }

    private mutating func word<Value>(_ node: Node?, _ words: [(String, Value)]) -> Value? {
        guard let node else { return nil }
        if case let .scalar(scalar) = node, let found = words.first(where: { $0.0 == scalar.string }) {
            return found.1
        }
        add("expected \(enumeration(words.map(\.0), "or"))", at: node)
        return nil
    }

    /// Whether it is YAML's null, in the core schema's spellings. Quoted, they are texts.
    private func isNull(_ node: Node) -> Bool {
        guard case let .scalar(scalar) = node, scalar.style == .plain else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    // MARK: Places

    private mutating func add(_ message: String, at node: Node?, _ offset: Int = 0) {
        let place = node.map { self.place(in: $0, offset) } ?? (line: 1, column: 1)
        mistakes.append(FileMistake(line: place.line, column: place.column, message))
    }

    /// The place of a character of a text; that of the text itself if it is not written in one piece.
    private func place(in node: Node, _ offset: Int) -> (line: Int, column: Int) {
        guard let mark = node.mark else { return (1, 1) }
        guard case let .scalar(scalar) = node, let start = written(scalar) else { return (mark.line, mark.column) }
        return (mark.line, start + offset)
    }

    /// In which column a text begins that stands in its line as it is.
    private func written(_ scalar: Node.Scalar) -> Int? {
        guard let mark = scalar.mark, lines.indices.contains(mark.line - 1) else { return nil }
        let rest = lines[mark.line - 1].unicodeScalars.dropFirst(mark.column - 1)
        if rest.starts(with: scalar.string.unicodeScalars) { return mark.column }
        return rest.dropFirst().starts(with: scalar.string.unicodeScalars) ? mark.column + 1 : nil
    }

    /// That a text was cut at a "#", which begins a comment.
    private func commentHint(_ scalar: Node.Scalar) -> String {
        guard scalar.style == .plain, let mark = scalar.mark, written(scalar) != nil else { return "" }
        let rest = lines[mark.line - 1].unicodeScalars.dropFirst(mark.column - 1 + scalar.string.unicodeScalars.count)
        guard rest.drop(while: { $0 == " " }).first == "#", rest.first == " " else { return "" }
        return " (what follows ' #' is a comment: put the whole text in quotation marks)"
    }
}

extension YamlError {
    fileprivate func mistake(in lines: [Substring]) -> FileMistake {
        switch self {
        case let .scanner(_, problem, mark, _) where lines.character(at: mark).map("@`%".contains) ?? false:
            FileMistake(
                line: mark.line, column: mark.column,
                "invalid YAML: \(problem) (a text that begins with @, ` or % needs quotation marks)")
        case let .scanner(_, problem, mark, _), let .parser(_, problem, mark, _), let .composer(_, problem, mark, _):
            FileMistake(line: mark.line, column: mark.column, "invalid YAML: \(problem)")
        case let .duplicatedKeysInMapping(keys, context):
            FileMistake(
                line: lines.second(of: keys, from: context.mark) ?? context.mark.line, column: context.mark.column,
                "the key \(enumeration(keys.sorted().map { "'\($0)'" }, "and")) stands there twice")
        case let .reader(problem, offset?, _, yaml):
            FileMistake(
                line: 1 + yaml.prefix(offset).count(where: \.isNewline), column: 1, "invalid YAML: \(problem)")
        default: FileMistake(line: 1, column: 1, "invalid YAML: \(self)")
        }
    }
}

extension [Substring] {
    /// The character of a line, both counted from 1.
    fileprivate func character(at mark: Mark) -> Character? {
        guard indices.contains(mark.line - 1) else { return nil }
        return self[mark.line - 1].dropFirst(mark.column - 1).first
    }

    /// In which line one of the keys of the mapping that begins here stands for the second time, counted from 1.
    fileprivate func second(of keys: some Sequence<String>, from mark: Mark) -> Int? {
        keys.compactMap { key in
            indices.dropFirst(mark.line - 1).filter { self[$0].dropFirst(mark.column - 1).starts(with: "\(key):") }
                .dropFirst().first.map { $0 + 1 }
        }.min()
    }
}

/// What is wrong in a file, and where.
public struct FileMistake: Error, Equatable, Sendable {
    /// Both counted from 1.
    public let line: Int
    public let column: Int
    /// What was found, and what was expected.
    public let message: String

    public init(line: Int, column: Int, _ message: String) {
        (self.line, self.column, self.message) = (line, column, message)
    }
}

extension FileMistake: CustomStringConvertible {
    /// "3:11: unknown key 'wen'; did you mean 'when'?"
    public var description: String { "\(line):\(column): \(message)" }
}

/// Everything that is wrong in a file, in the order of its places.
public struct FileMistakes: Error, Equatable, Sendable {
    public let mistakes: [FileMistake]
}
