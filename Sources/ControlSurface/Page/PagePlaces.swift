import Lighting

/// Where lights are on the page: a room, a zone, or what is in no room. It follows from names and rooms alone, so that it
/// is made once for many states.
struct PagePlace: Sendable {
    let id: String
    let kind: PageSection.Kind
    let title: String
    /// `nil` for what is in no room.
    let room: Room.ID?
    let whole: String?
    let lights: [Light.ID]
    /// The keys of its lamps; none for a zone.
    let tiles: [String]
}

extension Directory {
    /// Rooms, zones and the rest, in reading order. Without rooms and zones that have no lights.
    var places: [PagePlace] {
        tables.pagePlaces.value {
            let roomOf = roomOfLight
            var members: [Room.ID?: [Light.ID]] = [:]
            for light in lights { members[roomOf[light.id]?.id, default: []].append(light.id) }
            // If a bridge says that a lamp is in two rooms, one of them has it.
            let groups = rooms.compactMap { room -> PagePlace? in
                let lights = room.kind == .room ? members[room.id] ?? [] : self.lights(of: .room(room.id)).map(\.id)
                guard !lights.isEmpty else { return nil }
                let key = Target.room(room.id).key
                return PagePlace(
                    id: key, kind: room.kind == .room ? .room : .zone, title: room.name.orElse("Room"), room: room.id,
                    whole: key, lights: lights, tiles: room.kind == .room ? lights.map { Target.light($0).key } : [])
            }
            guard let others = members[nil] else { return groups }
            return groups + [
                PagePlace(
                    id: "others", kind: .others, title: groups.isEmpty ? "Lights" : "Other lights", room: nil,
                    whole: nil, lights: others, tiles: others.map { Target.light($0).key })
            ]
        }
    }
}
