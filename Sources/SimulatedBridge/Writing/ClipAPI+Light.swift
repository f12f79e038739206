import HueWire

extension ClipAPI {
    static let putLight: Deed = { call throws(Refusal) in
        guard let lamp = call.home.lamp(call.id) else { throw .notFound }
        let order = try LampOrder(call.fields)
        let effort = order.carriedOut(on: lamp, call.id, in: call.situation)
        // A change that comes to nothing is none: it would end the scene that the lamp shows.
        let changes = lamp.alter(by: effort.changes) == lamp ? [] : effort.changes
        var decision = call.done(
            changes.isEmpty ? [] : [.updating(.lamp(lamp.id, by: changes))],
            radio: effort.setsLook && !lamp.isStreaming ? [.unicast(lamp.id, over: order.span)] : [],
            errors: effort.errors)
        decision.chores = effort.chores
        return decision
    }

    static let putGroupedLight: Deed = { call throws(Refusal) in
        guard let group = call.home.group(groupedLight: call.id) else { throw .notFound }
        let order = try LampOrder(call.fields, for: .groupedLight)
        var decision = call.done([])
        var errors: [HueError] = []
        var reached: [ResourceID] = []
        for lamp in call.home.lamps(of: group) {
            let effort = order.carriedOut(on: lamp, as: .groupedLight, call.id, in: call.situation)
            if lamp.alter(by: effort.changes) != lamp {
                decision.changes.append(.updating(.lamp(lamp.id, by: effort.changes)))
            }
            if effort.setsLook, !lamp.isStreaming { reached.append(lamp.id) }
            for error in effort.errors where !errors.contains(error) { errors.append(error) }
            decision.chores += effort.chores
        }
        if !reached.isEmpty { decision.radio = [.broadcast(reached, over: order.span)] }
        decision.changes += [.updating(.group(group.id, by: [.setting(.action(to: order.look(after: group.action)))]))]
        decision.answer = call.done([], errors: errors).answer
        return decision
    }
}

extension LampOrder {
    /// How long the lamp takes: a change that is stopped stops at once.
    fileprivate var span: Duration { stopsLevel || stopsTint ? .zero : duration }

    /// The group's last command, as API v1 shows it.
    fileprivate func look(after last: Look) -> Look {
        var changes: [Look.Change] = []
        if let on { changes.append(.turning(.it(on: on))) }
        if let brightness { changes.append(.setting(.level(to: Level.bri(percent: brightness)))) }
        if let xy {
            changes.append(.setting(.tint(to: .color(xy.rounded))))
        } else if let mirek {
            changes.append(.setting(.tint(to: .white(mirek: mirek))))
        }
        return last.alter(by: changes)
    }
}
