import HueWire

extension V2API {
    static let putLight: Operation = { call throws(V2Failure) in
        guard let lamp = call.home.lamp(call.id) else { throw .notFound }
        let update = try V2LightUpdate(call.fields)
        let applied = update.carriedOut(on: lamp, call.id, in: call.context)
        // A change without effect is dropped, as it would end the active scene.
        let changes = lamp.alter(by: applied.changes) == lamp ? [] : applied.changes
        var decision = call.done(
            changes.isEmpty ? [] : [.updating(.lamp(lamp.id, by: changes))],
            radio: applied.changesLightState && !lamp.isStreaming ? [.unicast(lamp.id, over: update.span)] : [],
            errors: applied.errors)
        decision.timedTasks = applied.timedTasks
        return decision
    }

    static let putGroupedLight: Operation = { call throws(V2Failure) in
        guard let group = call.home.group(groupedLight: call.id) else { throw .notFound }
        let update = try V2LightUpdate(call.fields, for: .groupedLight)
        var decision = call.done([])
        var errors: [HueError] = []
        var reached: [ResourceID] = []
        for lamp in call.home.lamps(of: group) {
            let applied = update.carriedOut(on: lamp, as: .groupedLight, call.id, in: call.context)
            if lamp.alter(by: applied.changes) != lamp {
                decision.changes.append(.updating(.lamp(lamp.id, by: applied.changes)))
            }
            if applied.changesLightState, !lamp.isStreaming { reached.append(lamp.id) }
            for error in applied.errors where !errors.contains(error) { errors.append(error) }
            decision.timedTasks += applied.timedTasks
        }
        if !reached.isEmpty { decision.radio = [.broadcast(reached, over: update.span)] }
        decision.changes += [
            .updating(.group(group.id, by: [.setting(.action(to: update.lightState(after: group.action)))]))
        ]
        decision.response = call.done([], errors: errors).response
        return decision
    }
}

extension V2LightUpdate {
    /// The fade duration; a stop is immediate.
    fileprivate var span: Duration { stopsLevel || stopsTint ? .zero : duration }

    /// The group's last command after this one, as API v1 shows it.
    fileprivate func lightState(after last: LightState) -> LightState {
        var changes: [LightState.Change] = []
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
