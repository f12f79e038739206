import HueWire

extension SimulatedHome {
    /// The changes that give a room or zone exactly these members. A device is in one room at most, so it leaves any
    /// other; scenes lose the actions of lamps that leave their group.
    func settingMembers(of group: Group, to lamps: [ResourceID], _ accessories: [ResourceID]) -> [Change] {
        var changes: [Change] = []
        if group.kind == .room {
            for room in rooms where room.id != group.id {
                let (otherLamps, otherAccessories) = (room.lamps.without(lamps), room.accessories.without(accessories))
                guard (otherLamps, otherAccessories) != (room.lamps, room.accessories) else { continue }
                changes.append(
                    .updating(
                        .group(
                            room.id,
                            by: [.setting(.lamps(to: otherLamps)), .setting(.accessories(to: otherAccessories))])))
                changes += removingActions(of: Set(lamps), in: room.id)
            }
        }
        if (lamps, accessories) != (group.lamps, group.accessories) {
            changes.append(
                .updating(.group(group.id, by: [.setting(.lamps(to: lamps)), .setting(.accessories(to: accessories))])))
            changes += removingActions(of: Set(group.lamps.without(lamps)), in: group.id)
        }
        return changes
    }

    /// The changes that remove the actions of these lamps from the scenes of a group.
    private func removingActions(of lamps: Set<ResourceID>, in group: ResourceID) -> [Change] {
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
