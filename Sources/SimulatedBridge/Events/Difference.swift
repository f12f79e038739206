import HueWire

/// A difference between two homes, as the event stream reports it.
enum Difference: Equatable, Sendable {
    case add(JSONValue)
    case update(old: JSONValue, new: JSONValue)
    case delete(JSONValue)

    /// The differences between two lists of documents. The same id is the same resource.
    fileprivate static func between(_ old: [JSONValue], _ new: [JSONValue]) -> [Difference] {
        let before = Dictionary(old.map { ($0["id"], $0) }) { first, _ in first }
        let after = Set(new.map { $0["id"] })
        return new.compactMap { document in
            guard let was = before[document["id"]] else { return .add(document) }
            return was == document ? nil : .update(old: was, new: document)
        } + old.filter { !after.contains($0["id"]) }.map { .delete($0) }
    }
}

extension SimulatedHome {
    /// Compares only what can have changed. A grouped light depends on the group's lamps.
    static func differences(from old: Self, to new: Self) -> [Difference] {
        var moved: Set<ResourceID> = []
        var differences = between(old.lamps, new.lamps, moved: &moved) { $0.documents }
        var things: Set<ResourceID> = []
        differences += between(old.accessories, new.accessories, moved: &things) { $0.documents }
        // The whole home lists the devices without a room.
        let roomsChanged =
            old.rooms.map { $0.lamps + $0.accessories } != new.rooms.map { $0.lamps + $0.accessories }
            || !things.isEmpty
        let (before, after) = (old.groups, new.groups)
        let was = Dictionary(uniqueKeysWithValues: before.map { ($0.id, $0) })
        let stays = Set(after.map(\.id))
        for group in after {
            let earlier = was[group.id]
            let isTouched =
                earlier != group || group.lamps.contains { moved.contains($0) }
                || group.kind == .bridgeHome && (roomsChanged || before.map(\.id) != after.map(\.id))
            guard isTouched else { continue }
            differences += Difference.between(earlier?.documents(in: old) ?? [], group.documents(in: new))
        }
        for group in before where !stays.contains(group.id) {
            differences += Difference.between(group.documents(in: old), [])
        }
        var scenes: Set<ResourceID> = []
        differences += between(old.scenes, new.scenes, moved: &scenes) { [$0.document] }
        differences += Difference.between(old.storedResources.map(\.document), new.storedResources.map(\.document))
        if old.bridge != new.bridge { differences += Difference.between(old.bridgeDocuments, new.bridgeDocuments) }
        return differences
    }

    private static func between<Thing: Identifiable & Equatable>(
        _ old: [Thing], _ new: [Thing], moved: inout Set<Thing.ID>, _ documents: (Thing) -> [JSONValue]
    ) -> [Difference] {
        var differences: [Difference] = []
        if old.count == new.count, zip(old, new).allSatisfy({ $0.id == $1.id }) {
            for (before, after) in zip(old, new) where before != after {
                moved.insert(after.id)
                differences += Difference.between(documents(before), documents(after))
            }
            return differences
        }
        let before = Dictionary(uniqueKeysWithValues: old.map { ($0.id, $0) })
        let stays = Set(new.map(\.id))
        for thing in new where before[thing.id] != thing {
            moved.insert(thing.id)
            differences += Difference.between(
                before[thing.id].map { documents($0) } ?? [], documents(thing))
        }
        for thing in old where !stays.contains(thing.id) {
            moved.insert(thing.id)
            differences += Difference.between(documents(thing), [])
        }
        return differences
    }
}
