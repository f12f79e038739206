import ControlProtocol
import ControlSurface
import FoundationEssentials
import HashTreeCollections
import Lighting
import MQTT

extension Topics {
    /// The command that a message on a topic is.
    ///
    /// - Throws: ``ErrorReply`` if the home has no such thing, or the payload is no command.
    func request(for address: Address, _ message: MQTTMessage, in home: Directory) throws -> CommandRequest {
        CommandRequest(try command(for: address, message.payload, in: home))
    }

    private func command(for address: Address, _ payload: [UInt8], in home: Directory) throws -> Command {
        switch address {
        case let .light(part): return try CommandReader(target: try light(part, home)).light(payload)
        case let .room(part), let .zone(part):
            guard let room = home.room(at: part) else { throw Self.unknown(part) }
            return try CommandReader(target: "@\(room.id)").light(payload)
        case let .scene(part):
            guard let scene = home.state.scenes.keys.first(where: { Self.part($0) == part }) else {
                throw Self.unknown(part)
            }
            return try CommandReader.recall(scene.description, payload)
        case let .sceneOfRoom(part):
            guard let room = home.room(at: part) else { throw Self.unknown(part) }
            let name = try CommandReader.text(payload)
            guard let scene = home.state.scenes(of: room.id).first(where: { $0.name == name }) else {
                throw ErrorReply(.noSuchTarget, "'\(room.name)' has no scene '\(name.prefix(80))'")
            }
            return .recall(scene: scene.id.description)
        case let .identify(part): return .identify(target: try light(part, home))
        case let .property(property, of: part):
            let word = try CommandReader.text(payload)
            guard let change = property.change(to: word) else {
                throw ErrorReply(
                    .invalid, "'\(word.prefix(40))' is no \(property.rawValue)",
                    hint: "send one of \(property.settable.joined(separator: ", "))")
            }
            return .configure(target: try light(part, home), change)
        case let .enabled(part):
            guard let sensor = home.state.sensors.keys.first(where: { Self.part($0) == part }) else {
                throw Self.unknown(part)
            }
            return try CommandReader.flag(payload)
                ? .enableSensor(sensor: sensor.description) : .disableSensor(sensor: sensor.description)
        case let .automation(part):
            let automation = try automation(part, home)
            return try CommandReader.flag(payload)
                ? .enableAutomation(automation: automation) : .disableAutomation(automation: automation)
        case let .run(part): return .runAutomation(automation: try automation(part, home))
        case .request: return try CommandRequest(json: Data(payload)).command
        }
    }

    private func light(_ part: String, _ home: Directory) throws(ErrorReply) -> String {
        guard let light = home.light(at: part) else { throw Self.unknown(part) }
        return light.id.description
    }

    private func automation(_ part: String, _ home: Directory) throws(ErrorReply) -> String {
        guard let found = home.state.automations.all.first(where: { !$0.isTimer && Self.part(of: $0.id) == part })
        else {
            throw Self.unknown(part)
        }
        return found.name
    }

    private static func unknown(_ part: String) -> ErrorReply {
        ErrorReply(.noSuchTarget, "there is nothing with the id '\(part.prefix(120))'")
    }
}

extension Directory {
    /// The light whose id stands like this in a topic.
    func light(at part: String) -> Light? { state.lights.first { Topics.part($0.key) == part }?.value }
    func room(at part: String) -> Room? { state.rooms.first { Topics.part($0.key) == part }?.value }
}
