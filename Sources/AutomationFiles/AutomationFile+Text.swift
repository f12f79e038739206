import ControlProtocol
public import Lighting

extension AutomationFile {
    /// The file that says the same as these automations.
    public static func yaml(of automations: some Sequence<Automation>) -> String {
        let all = automations.map(\.yaml)
        return all.isEmpty ? "automations: []\n" : "automations:\n" + all.joined(separator: "\n")
    }
}

extension Automation {
    /// One entry of the list.
    fileprivate var yaml: String {
        var lines = ["  - name: \(Self.written(name))"]
        func add(_ key: String, _ texts: [String]) {
            switch texts.count {
            case 0: break
            case 1: lines.append("    \(key): \(Self.written(texts[0]))")
            default: lines += ["    \(key):"] + texts.map { "      - \(Self.written($0))" }
            }
        }
        add("when", triggers.map(\.description))
        add("if", conditions.map(\.description))
        add("do", steps.map(\.description))
        if mode != .single { add("mode", [mode.rawValue]) }
        if let lateness { add("late", [lateness.description]) }
        if !isEnabled { lines.append("    enabled: false") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A text as YAML reads it again: as it is, or in double quotation marks.
    fileprivate static func written(_ text: String) -> String {
        isPlain(text) ? text : "\"" + text.unicodeScalars.map(escaped).joined() + "\""
    }

    private static func isPlain(_ text: String) -> Bool {
        // YAML reads scalars: for a Character, a colon after some letters would be none.
        let scalars = text.unicodeScalars
        func contains(_ one: Unicode.Scalar, _ other: Unicode.Scalar) -> Bool {
            zip(scalars, scalars.dropFirst()).contains { $0 == one && $1 == other }
        }
        guard let first = scalars.first, isLetter(first) || ("0"..."9").contains(first), scalars.last != " ",
            scalars.last != ":", !contains(":", " "), !contains(" ", "#"),
            !["true", "false", "yes", "no", "on", "off", "null", "y", "n"].contains(text.lowercased()),
            Double(text) == nil
        else { return false }
        return scalars.allSatisfy { (" "..."~").contains($0) || isLetter($0) }
    }

    /// Whether it can be seen as it is.
    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic && !scalar.properties.isDefaultIgnorableCodePoint
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"": "\\\""
        case "\\": "\\\\"
        case " "..."~": String(scalar)
        case _ where isLetter(scalar): String(scalar)
        default: "\\U" + String(repeating: "0", count: 8 - hex(scalar).count) + hex(scalar)
        }
    }

    private static func hex(_ scalar: Unicode.Scalar) -> String { String(scalar.value, radix: 16) }
}
