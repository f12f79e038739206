import ControlProtocol
import FoundationEssentials
import HashTreeCollections
import Lighting

/// What is to be told of the way from one state to another.
struct APIEvent: Equatable, Sendable {
    let name: EventName
    let data: String

    init(_ name: EventName, _ body: some Encodable) throws {
        self.name = name
        self.data = try JSON.text(body)
    }

    func framed(id: Int64) -> String {
        ServerSentEvent(id: String(id), name: name.rawValue, data: data).framed
    }
}

extension AppState {
    /// Everything the API shows otherwise than before. What is gone comes first, then what holds others before what it holds.
    ///
    /// Bodies are compared, not models, wherever one thing's body speaks of another's name or number.
    func events(since old: AppState) throws -> [APIEvent] {
        let (now, before) = (Directory(self), Directory(old))
        var events: [APIEvent] = []
        events += try gone(from: old.scenes, to: scenes, "scene")
        events += try gone(from: old.lights, to: lights, "light")
        events += try gone(from: old.rooms, to: rooms, "room")
        events += try gone(from: old.bridges, to: bridges, "bridge")
        if bridges != old.bridges || lights.count != old.lights.count {
            events += try news(now.bridgeBodies, before.bridgeBodies).map { try APIEvent(.bridge, $0) }
        }
        let roomsAreOther = rooms != old.rooms
        let lightsAreOther = lights != old.lights
        if roomsAreOther || lightsAreOther {
            events += try news(now.roomBodies, before.roomBodies).map { try APIEvent(.room, $0) }
        }
        if roomsAreOther {
            events += try news(now.lightBodies, before.lightBodies).map { try APIEvent(.light, $0) }
        } else if lightsAreOther {
            events += try now.bodies(of: now.lights.filter { old.lights[$0.id] != $0 }).map { try APIEvent(.light, $0) }
        }
        if roomsAreOther || scenes != old.scenes {
            events += try news(now.sceneBodies, before.sceneBodies).map { try APIEvent(.scene, $0) }
        }
        if now.pinBodies != before.pinBodies { events.append(try APIEvent(.dashboard, now.pinBodies)) }
        return events
    }

    private func gone<ID: Comparable & CustomStringConvertible, Value>(
        from old: TreeDictionary<ID, Value>, to new: TreeDictionary<ID, Value>, _ kind: String
    ) throws -> [APIEvent] {
        try old.keys.filter { new[$0] == nil }.sorted().map {
            try APIEvent(.removed, RemovedBody(kind: kind, id: $0.description))
        }
    }

    /// Those that are new or other than before, in their order.
    private func news<Body: Identifiable & Equatable>(_ now: [Body], _ before: [Body]) -> [Body] {
        let old = Dictionary(before.map { ($0.id, $0) }) { $1 }
        return now.filter { old[$0.id] != $0 }
    }
}
