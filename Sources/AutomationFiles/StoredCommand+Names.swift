import CommandGrammar
import ControlProtocol
import FoundationEssentials
public import Lighting

extension StoredCommand {
    /// The same command with other names in the place of its own, also in the words in which it was typed.
    public func replacingNames(by name: (NameUse) -> String) -> Self {
        guard let command = try? JSONDecoder().decode(Command.self, from: Data(json.utf8)) else { return self }
        var replacements: [String: String] = [:]
        let renamed = command.replacingNames { role, text in
            let new = name(NameUse(role, text))
            if new != text { replacements[text] = new }
            return new
        }
        guard renamed != command else { return self }
        return StoredCommand(renamed, typed: Typed.line(text, replacing: replacements, toMean: renamed))
    }
}
