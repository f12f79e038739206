import FoundationEssentials
import HueWire

/// A PUT, decided: what changes, and what is answered. No clock, no network.
struct Writing: Sendable {
    var changes: [SimulatedHome.Change] = []
    var radio: [RadioMessage] = []
    var answer: Answer

    var decision: Decision { Decision(changes: changes, radio: radio, answer) }

    static func cost(of type: String) -> Cost {
        switch type {
        case "light": .light
        case "grouped_light", "scene": .group
        default: .nothing
        }
    }

    /// - Parameters:
    ///   - type: the resource type in the path.
    ///   - id: the resource's id in the path.
    init(_ type: String, _ id: ResourceID, _ body: [UInt8], in situation: Situation) {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(body)) else {
            // What is no JSON is answered, not thrown: the client sent it.
            self.init(refusal: 400, "Invalid Request: body is not JSON")
            return
        }
        do throws(SchemaError) {
            try self.init(type, id, value, in: situation)
        } catch {
            self.init(refusal: 400, error.description)
        }
    }

    private init(_ type: String, _ id: ResourceID, _ body: JSONValue, in situation: Situation) throws(SchemaError) {
        let home = situation.home
        switch type {
        case "light":
            guard let lamp = home.lamp(id) else { self = .missing; return }
            let order = try LampOrder(body)
            let done = order.carriedOut(on: lamp, id)
            self.init(done.changes.isEmpty ? [] : [.updating(.lamp(id, by: done.changes))], id, type, done.errors)
            radio = [.unicast(id, over: order.duration)]
        case "grouped_light":
            guard let group = home.group(groupedLight: id) else { self = .missing; return }
            let order = try LampOrder(body, for: .groupedLight)
            let done = home.lamps(of: group).map { ($0.id, order.carriedOut(on: $0, as: .groupedLight, id)) }
            self.init(
                done.compactMap { $1.changes.isEmpty ? nil : .updating(.lamp($0, by: $1.changes)) }, id, type,
                done.flatMap(\.1.errors).reduce(into: []) { if !$0.contains($1) { $0.append($1) } })
            radio = [.broadcast(group.lamps, over: order.duration)]
        case "device":
            guard let lamp = home.lamp(device: id) else {
                if id == home.bridgeDevice { self.init([], id, type, []) } else { self = .missing }
                return
            }
            let name = try Self.name(in: body, type)
            self.init(name.map { [.updating(.lamp(lamp.id, by: [.renaming(.it(to: $0))]))] } ?? [], id, type, [])
        case "room", "zone":
            guard home.group(id)?.kind.rawValue == type else { self = .missing; return }
            let name = try Self.name(in: body, type)
            self.init(name.map { [.updating(.group(id, by: [.renaming(.it(to: $0))]))] } ?? [], id, type, [])
        case "scene":
            guard let scene = home.scene(id) else { self = .missing; return }
            var changes: [SimulatedHome.Change] = []
            var radio: [RadioMessage] = []
            if let name = try Self.name(in: body, type) {
                changes.append(.updating(.scene(id, by: [.renaming(.it(to: name))])))
            }
            if let recall = body["recall"] {
                // The form of old firmware breaks new firmware (Foddy/node-red-contrib-huemagic#316).
                guard recall["action"] != nil else { self.init(refusal: 500, "Internal error"); return }
                guard ["active", "static", "dynamic_palette"].contains(recall["action"]?.string) else {
                    throw SchemaError("Invalid Request: recall.action is not known")
                }
                if let duration = recall["duration"], !(0...6_000_000).contains(duration.int ?? -1) {
                    throw SchemaError("Invalid Request: recall.duration must be between 0 and 6000000")
                }
                let status: SimulatedHome.Scene.Status =
                    recall["action"] == "dynamic_palette" ? .dynamicPalette : .static
                changes += [
                    .recalling(.scene(id, as: status)),
                    .updating(.scene(id, by: [.setting(.recall(at: situation.date))])),
                ]
                let duration = Duration.milliseconds(Int64(recall["duration"]?.int ?? 400))
                radio = [.broadcast(scene.actions.map(\.lamp), over: duration)]
            }
            self.init(changes, id, type, [])
            self.radio = radio
        default:
            self.init(refusal: 405, "Method not allowed")
        }
    }

    private init(_ changes: [SimulatedHome.Change], _ id: ResourceID, _ type: String, _ errors: [HueError]) {
        self.changes = changes
        let data = JSONValue.reference(id, ResourceType(rawValue: type))
        answer = .envelope(errors.isEmpty ? 200 : 207, data: [data], errors: errors)
    }

    private init(refusal status: Int, _ words: String) {
        answer = .envelope(status, errors: [HueError(words, code: status >= 500 ? "internal_error" : "client_error")])
    }

    private static let missing = Self(refusal: 404, "Not Found")

    private static func name(in body: JSONValue, _ type: String) throws(SchemaError) -> String? {
        guard let members = body.object else { throw SchemaError("Invalid Request: body is not an object") }
        let known: Set<String> =
            switch type {
            case "device": ["metadata", "type", "identify"]
            case "scene": ["metadata", "type", "recall", "actions", "palette", "speed", "auto_dynamic"]
            default: ["metadata", "type", "children"]
            }
        for name in members.keys.sorted() where !known.contains(name) { throw .unknown(name) }
        return try body["metadata"]?["name"].map { value throws(SchemaError) in try LampOrder.name(value) }
    }
}
