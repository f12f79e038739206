import HueWire

extension SimulatedHome.Group {
    /// The group itself, and its grouped light if it has lamps.
    func documents(in home: SimulatedHome) -> [JSONValue] {
        let members = home.lamps(of: self)
        return [own(members, home)] + (members.isEmpty ? [] : [grouped(members)])
    }

    var idV1: JSONValue { .string("/groups/\(number)") }

    private func own(_ members: [Lamp], _ home: SimulatedHome) -> JSONValue {
        let children: [JSONValue] =
            switch kind {
            case .room: (members.map(\.ids.device) + accessories).map { .reference($0, .device) }
            case .zone: members.map { .reference($0.id, .light) }
            default: home.roomlessDevices.map { .reference($0, .device) } + home.rooms.map { .reference($0.id, .room) }
            }
        var document: [String: JSONValue] = [
            "type": .string(kind.rawValue), "id": .id(id), "id_v1": idV1, "children": .array(children),
            "services": members.isEmpty ? [] : [.reference(groupedLight, .groupedLight)],
        ]
        if kind != .bridgeHome {
            document["metadata"] = ["name": .string(name), "archetype": .string(archetype)]
        }
        return .object(document)
    }

    private func grouped(_ members: [Lamp]) -> JSONValue {
        let lit = members.filter(\.isOn)
        var document: [String: JSONValue] = [
            "type": "grouped_light", "id": .id(groupedLight), "id_v1": idV1, "owner": .reference(id, kind),
            "on": ["on": .bool(!lit.isEmpty)], "dynamics": [:], "alert": ["action_values": ["breathe"]],
            "signaling": ["signal_values": ["alternating", "no_signal", "on_off", "on_off_color"]],
        ]
        if members.contains(where: \.kind.dims) {
            let levels = lit.filter(\.kind.dims).map(\.percent)
            let mean = levels.isEmpty ? 0 : levels.reduce(0, +) / Double(levels.count)
            document["dimming"] = ["brightness": .number(mean)]
            document["dimming_delta"] = [:]
        }
        if members.contains(where: { $0.kind.whites != nil }) {
            document["color_temperature"] = [:]
            document["color_temperature_delta"] = [:]
        }
        if members.contains(where: { $0.kind.gamut != nil }) { document["color"] = [:] }
        return .object(document)
    }
}

extension SimulatedHome {
    /// Devices in no room, the bridge's own first.
    fileprivate var roomlessDevices: [ResourceID] {
        let housed = Set(rooms.flatMap { $0.lamps + $0.accessories })
        return [bridgeDevice] + lamps.filter { !housed.contains($0.id) }.map(\.ids.device)
            + accessories.map(\.id).filter { !housed.contains($0) }
    }
}
