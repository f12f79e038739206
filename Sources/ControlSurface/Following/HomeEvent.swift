public import ControlProtocol
import HashTreeCollections
public import Lighting

/// One change of the home as surfaces report it.
public struct HomeEvent: Equatable, Sendable {
    public let name: EventName
    /// The body in JSON, on one line.
    public let data: String

    public init(_ name: EventName, _ body: some Encodable) throws {
        self.name = name
        data = try JSON.text(body)
    }
}

extension AppState {
    /// Everything that surfaces show differently than before: first what was removed, then containers before their
    /// contents.
    ///
    /// Bodies are compared instead of models if a body contains another thing's name or number.
    public func events(since old: AppState) throws -> [HomeEvent] {
        let (now, before) = (Directory(self), Directory(old))
        var events: [HomeEvent] = []
        events += try removed(from: old.scenes, to: scenes, "scene")
        events += try removed(from: old.lights, to: lights, "light")
        events += try removed(from: old.rooms, to: rooms, "room")
        events += try removed(from: old.bridges, to: bridges, "bridge")
        if bridges != old.bridges || lights.count != old.lights.count {
            events += try changed(now.bridgeBodies, before.bridgeBodies).map { try HomeEvent(.bridge, $0) }
        }
        let roomsChanged = rooms != old.rooms
        let lightsChanged = lights != old.lights
        if roomsChanged || lightsChanged {
            events += try changed(now.roomBodies, before.roomBodies).map { try HomeEvent(.room, $0) }
        }
        if roomsChanged {
            events += try changed(now.lightBodies, before.lightBodies).map { try HomeEvent(.light, $0) }
        } else if lightsChanged {
            events += try now.bodies(of: now.lights.filter { old.lights[$0.id] != $0 }).map {
                try HomeEvent(.light, $0)
            }
        }
        if roomsChanged || scenes != old.scenes {
            events += try changed(now.sceneBodies, before.sceneBodies).map { try HomeEvent(.scene, $0) }
        }
        if now.pinBodies != before.pinBodies { events.append(try HomeEvent(.dashboard, now.pinBodies)) }
        return events
    }

    private func removed<ID: Comparable & CustomStringConvertible, Value>(
        from old: TreeDictionary<ID, Value>, to new: TreeDictionary<ID, Value>, _ kind: String
    ) throws -> [HomeEvent] {
        try old.keys.filter { new[$0] == nil }.sorted().map {
            try HomeEvent(.removed, RemovedBody(kind: kind, id: $0.description))
        }
    }

    /// The bodies that are new or different, in their order.
    private func changed<Body: Identifiable & Equatable>(_ now: [Body], _ before: [Body]) -> [Body] {
        let old = Dictionary(before.map { ($0.id, $0) }) { $1 }
        return now.filter { old[$0.id] != $0 }
    }
}
