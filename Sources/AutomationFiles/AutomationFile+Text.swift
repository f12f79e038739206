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
        guard let first = text.unicodeScalars.first, first.properties.isAlphabetic || ("0"..."9").contains(first),
            text.last != " ", !text.hasSuffix(":"), !text.contains(": "), !text.contains(" #"),
            !["true", "false", "yes", "no", "on", "off", "null", "y", "n"].contains(text.lowercased()),
            Double(text) == nil
        else { return false }
        return text.unicodeScalars.allSatisfy { (" "..."~").contains($0) || $0.properties.isAlphabetic }
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"": "\\\""
        case "\\": "\\\\"
        case " "..."~": String(scalar)
        case _ where scalar.properties.isAlphabetic: String(scalar)
        default: "\\U" + String(repeating: "0", count: 8 - hex(scalar).count) + hex(scalar)
        }
    }

    private static func hex(_ scalar: Unicode.Scalar) -> String { String(scalar.value, radix: 16) }
}
