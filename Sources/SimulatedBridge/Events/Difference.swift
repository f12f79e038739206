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
        var lamps: Set<ResourceID> = []
        var differences = between(old.lamps, new.lamps, changed: &lamps) { $0.documents }
        var accessories: Set<ResourceID> = []
        differences += between(old.accessories, new.accessories, changed: &accessories) { $0.documents }
        // The whole home lists the devices without a room.
        let roomsChanged =
            old.rooms.map { $0.lamps + $0.accessories } != new.rooms.map { $0.lamps + $0.accessories }
            || !accessories.isEmpty
        let (before, after) = (old.groups, new.groups)
        let was = Dictionary(uniqueKeysWithValues: before.map { ($0.id, $0) })
        let remaining = Set(after.map(\.id))
        for group in after {
            let earlier = was[group.id]
            let isChanged =
                earlier != group || group.lamps.contains { lamps.contains($0) }
                || group.kind == .bridgeHome && (roomsChanged || before.map(\.id) != after.map(\.id))
            guard isChanged else { continue }
            differences += Difference.between(earlier?.documents(in: old) ?? [], group.documents(in: new))
        }
        for group in before where !remaining.contains(group.id) {
            differences += Difference.between(group.documents(in: old), [])
        }
        var scenes: Set<ResourceID> = []
        differences += between(old.scenes, new.scenes, changed: &scenes) { [$0.document] }
        differences += Difference.between(old.storedResources.map(\.document), new.storedResources.map(\.document))
        if old.bridge != new.bridge { differences += Difference.between(old.bridgeDocuments, new.bridgeDocuments) }
        return differences
    }

    /// - Parameter changed: receives the ids of the elements that differ.
    private static func between<Element: Identifiable & Equatable>(
        _ old: [Element], _ new: [Element], changed: inout Set<Element.ID>, _ documents: (Element) -> [JSONValue]
    ) -> [Difference] {
        var differences: [Difference] = []
        if old.count == new.count, zip(old, new).allSatisfy({ $0.id == $1.id }) {
            for (before, after) in zip(old, new) where before != after {
                changed.insert(after.id)
                differences += Difference.between(documents(before), documents(after))
            }
            return differences
        }
        let before = Dictionary(uniqueKeysWithValues: old.map { ($0.id, $0) })
        let remaining = Set(new.map(\.id))
        for element in new where before[element.id] != element {
            changed.insert(element.id)
            differences += Difference.between(before[element.id].map { documents($0) } ?? [], documents(element))
        }
        for element in old where !remaining.contains(element.id) {
            changed.insert(element.id)
            differences += Difference.between(documents(element), [])
        }
        return differences
    }
}
