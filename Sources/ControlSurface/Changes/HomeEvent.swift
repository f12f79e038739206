public import ControlProtocol
import HashTreeCollections
public import Lighting

/// One change of the home as surfaces report it.
public typealias HomeEvent = SurfaceEvent<EventName>

extension Directory {
    /// Everything that surfaces show differently than before: first what was removed, then containers before their
    /// contents.
    ///
    /// Bodies are compared instead of models if a body contains another thing's name or number.
    public func events(since before: Directory) throws -> [HomeEvent] {
        let (new, old) = (state, before.state)
        var events: [HomeEvent] = []
        events += try removed(from: old.scenes, to: new.scenes, "scene")
        events += try removed(from: old.lights, to: new.lights, "light")
        events += try removed(from: old.sensors, to: new.sensors, "sensor")
        events += try removed(from: old.rooms, to: new.rooms, "room")
        events += try removed(from: old.bridges, to: new.bridges, "bridge")
        if new.bridges != old.bridges || new.lights.count != old.lights.count {
            events += try changed(bridgeBodies, before.bridgeBodies).map { try HomeEvent(.bridge, $0) }
        }
        let roomsChanged = new.rooms != old.rooms
        let scenesChanged = new.scenes != old.scenes || new.sceneOrders != old.sceneOrders
        let changedLights = changedLights(since: before)
        if roomsChanged || scenesChanged {
            events += try changed(roomBodies, before.roomBodies).map { try HomeEvent(.room, $0) }
        } else if !changedLights.isEmpty {
            // A room's body tells of its own lights alone.
            let rooms = rooms.filter { $0.lights.contains(where: changedLights.contains) }
            events += try changed(rooms.map { body(of: $0) }, rooms.map { before.body(of: $0) }).map {
                try HomeEvent(.room, $0)
            }
        }
        if roomsChanged || scenesChanged || new.followings.rendersDifferently(from: old.followings)
            || new.dashboard.exclusions != old.dashboard.exclusions
        {
            events += try changed(lightBodies, before.lightBodies).map { try HomeEvent(.light, $0) }
        } else if !changedLights.isEmpty {
            events += try bodies(of: lights.filter { changedLights.contains($0.id) }).map { try HomeEvent(.light, $0) }
        }
        if roomsChanged || scenesChanged {
            events += try changed(sceneBodies, before.sceneBodies).map { try HomeEvent(.scene, $0) }
        }
        if roomsChanged || new.sensors != old.sensors {
            events += try changed(sensorBodies, before.sensorBodies).map { try HomeEvent(.sensor, $0) }
            events += try presses(since: before).map { try HomeEvent(.press, $0) }
        }
        if pinBodies != before.pinBodies { events.append(try HomeEvent(.dashboard, pinBodies)) }
        return events
    }

    /// The lights that are new, different, or gone.
    public func changedLights(since before: Directory) -> Set<Light.ID> {
        let (new, old) = (state.lights, before.state.lights)
        guard new != old else { return [] }
        return Set(new.lazy.filter { $1 != old[$0] }.map(\.key)).union(old.keys.subtracting(new.keys))
    }

    /// What was done to switches and dials, oldest first for each.
    public func presses(since before: Directory) -> [PressBody] {
        sensors.flatMap { sensor -> [PressBody] in
            guard let old = before.state.sensors[sensor.id], old != sensor else { return [] }
            return sensor.presses(since: old, room: roomName(of: sensor))
        }
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

/// One event of a stream, as surfaces send it.
public struct SurfaceEvent<Name: RawRepresentable<String> & Hashable & Sendable>: Equatable, Sendable {
    public let name: Name
    /// The body in JSON, on one line.
    public let data: String

    public init(_ name: Name, _ body: some Encodable) throws {
        self.name = name
        data = try JSON.text(body)
    }
}
