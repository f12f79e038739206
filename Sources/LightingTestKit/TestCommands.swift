import HashTreeCollections
import Khipu
public import Lighting

/// Commands of automations in a small language of their own: "on desk", "off @hall", "toggle desk", "dim desk 40". The
/// real language is that of `ControlProtocol`, which the domain does not know.
public enum TestCommands {
    public static func command(_ text: String) -> StoredCommand {
        StoredCommand(text: text, json: text, mayComeLate: !text.hasPrefix("toggle"))
    }

    public static let resolve = CommandResolver(
        message: { command, state, time throws(Failure) in try message(command, state, time) },
        renamed: { command, name in
            let words = command.json.split(separator: " ").map(String.init)
            guard words.count > 1 else { return command }
            return TestCommands.command(
                ([words[0], name(NameUse(.lights, words[1]))] + words.dropFirst(2)).joined(separator: " "))
        })

    @DomainActor
    private static func message(
        _ command: StoredCommand, _ state: AppState, _: Timestamp
    ) throws(Failure) -> @Sendable (Ticket) -> Message {
        let words = command.json.split(separator: " ").map(String.init)
        if words.first == "recall" {
            guard let scene = state.scenes.values.first(where: { $0.name.lowercased() == words.last?.lowercased() })
            else { throw state.missingBridge ?? .invalid("no scene") }
            return { .lighting(.recall(scene.id, over: .usual), ticket: $0) }
        }
        guard words.count > 1, let target = target(words[1], in: state) else {
            throw state.missingBridge ?? .invalid("there is no '\(words.dropFirst().first ?? "")'")
        }
        let message: Message.Lighting
        switch words[0] {
        case "on": message = .turn(.on, target, over: .usual)
        case "off": message = .turn(.off, target, over: .usual)
        case "toggle": message = .toggle(target, over: .usual)
        case "dim":
            guard let level = words.last.flatMap(Double.init) else { throw .invalid("no level") }
            message = .apply(.values(.bri(level / 100)), on: target, over: .usual)
        default: throw .invalid("unknown command '\(words[0])'")
        }
        return { .lighting(message, ticket: $0) }
    }

    private static func target(_ name: String, in state: AppState) -> Target? {
        if name == "all" { return .all }
        if name.hasPrefix("@") {
            return state.rooms.values.first { "@\($0.name.lowercased())" == name.lowercased() }.map { .room($0.id) }
        }
        if let id = Light.ID(name), state.lights[id] != nil { return .light(id) }
        return state.lights.values.first { $0.name.lowercased() == name.lowercased() }.map { .light($0.id) }
    }
}
