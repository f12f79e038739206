import HueWire

/// Rooms and zones.
extension V2API {
    static let putGroup: Operation = { call throws(V2Failure) in
        guard let group = call.home.group(call.id), group.kind == call.type else { throw .notFound }
        try call.only(["metadata", "children"])
        let metadata = try call.fields.object("metadata")
        var changes: [SimulatedHome.Group.Change] = []
        if let name = try metadata?.text("name") { changes.append(.renaming(.it(to: name))) }
        if let archetype = try metadata?.word("archetype", Archetypes.groups) {
            changes.append(.setting(.archetype(to: archetype)))
        }
        let moves = try call.members().map { call.home.settingMembers(of: group, to: $0.lamps, $0.accessories) } ?? []
        return call.done((changes.isEmpty ? [] : [.updating(.group(group.id, by: changes))]) + moves)
    }

    static let postGroup: Operation = { call throws(V2Failure) in
        try call.only(["metadata", "children"])
        let metadata = try call.fields.inside("metadata")
        let name = try metadata.need("name", metadata.text("name"))
        let archetype = try metadata.need("archetype", metadata.word("archetype", Archetypes.groups))
        let members = try call.fields.need("children", call.members())
        guard call.home.groups.filter({ $0.kind != .bridgeHome }).count < Capacity.groups else {
            throw .full(call.type.rawValue)
        }
        let group = SimulatedHome.Group(
            id: call.id, kind: call.type, name: name, archetype: archetype, number: call.home.freeGroupNumber,
            lamps: [], groupedLight: call.context.newID(.groupedLight))
        return call.done(
            [.adding(.group(group))]
                + call.home.settingMembers(of: group, to: members.lamps, members.accessories))
    }

    static let deleteGroup: Operation = { call throws(V2Failure) in
        guard call.home.group(call.id)?.kind == call.type else { throw .notFound }
        return call.done([.removing(.group(call.id))])
    }
}

extension V2API.Call {
    /// The members, if the body lists them: devices of a room, lights of a zone.
    fileprivate func members() throws(V2Failure) -> (lamps: [ResourceID], accessories: [ResourceID])? {
        guard let references = try fields.references("children", [type == .room ? .device : .light]) else { return nil }
        var lamps: [ResourceID] = []
        var accessories: [ResourceID] = []
        for reference in references {
            if let lamp = type == .room ? home.lamp(device: reference.rid) : home.lamp(reference.rid) {
                lamps.append(lamp.id)
            } else if type == .room, home.accessory(reference.rid) != nil {
                accessories.append(reference.rid)
            } else {
                throw V2Failure("\(reference.rtype) \(reference.rid) cannot be in a \(type)")
            }
        }
        return (lamps, accessories)
    }
}
