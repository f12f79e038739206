import HueWire

extension SimulatedHome {
    /// Gives a room or zone exactly these members. A device is in one room at most, so it leaves any other; a scene
    /// forgets the lamps that leave its group.
    func settling(_ lamps: [ResourceID], _ accessories: [ResourceID], in group: Group) -> [Change] {
        var changes: [Change] = []
        if group.kind == .room {
            for room in rooms where room.id != group.id {
                let (stay, things) = (room.lamps.without(lamps), room.accessories.without(accessories))
                guard (stay, things) != (room.lamps, room.accessories) else { continue }
                changes.append(
                    .updating(.group(room.id, by: [.setting(.lamps(to: stay)), .setting(.accessories(to: things))])))
                changes += forgetting(Set(lamps), in: room.id)
            }
        }
        if (lamps, accessories) != (group.lamps, group.accessories) {
            changes.append(
                .updating(.group(group.id, by: [.setting(.lamps(to: lamps)), .setting(.accessories(to: accessories))])))
            changes += forgetting(Set(group.lamps.without(lamps)), in: group.id)
        }
        return changes
    }

    private func forgetting(_ lamps: Set<ResourceID>, in group: ResourceID) -> [Change] {
        scenes.filter { scene in scene.group == group && scene.actions.contains { lamps.contains($0.lamp) } }.map {
            .updating(.scene($0.id, by: [.setting(.actions(to: $0.actions.filter { !lamps.contains($0.lamp) }))]))
        }
    }
}

extension [ResourceID] {
    fileprivate func without(_ gone: [ResourceID]) -> Self {
        let gone = Set(gone)
        return filter { !gone.contains($0) }
    }
}
