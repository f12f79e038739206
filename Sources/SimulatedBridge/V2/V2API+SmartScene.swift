import FoundationEssentials
import HueWire

/// Smart scenes (``SmartScene``).
extension V2API {
    static let postSmartScene: Operation = { call throws(V2Failure) in
        try call.only(["metadata", "group", "week_timeslots", "transition_duration", "recall"])
        let group = try call.group(of: [.room, .zone])
        let name = try call.fields.need("metadata.name", call.fields.name())
        let slots = try call.fields.need("week_timeslots", call.slots(of: group.id))
        let document: JSONValue = [
            "metadata": try (call.fields.value("metadata") ?? [:]).merging(["name": .string(name)]),
            "group": .reference(group.id, group.kind), "week_timeslots": slots,
            "transition_duration": .int(try call.transition() ?? 60_000), "state": "inactive",
        ]
        var decision = try call.store(document)
        if case let .adding(.stored(_, new))? = decision.changes.first {
            let recalled = try call.recalled(new)
            decision.changes = [.adding(.stored(call.id, recalled.document))] + recalled.changes
            (decision.radio, decision.timedTasks) = (recalled.radio, recalled.timedTasks)
        }
        return decision
    }

    static let putSmartScene: Operation = { call throws(V2Failure) in
        var document = try call.stored()
        try call.only(["metadata", "week_timeslots", "transition_duration", "recall"])
        if try call.fields.name() != nil, let metadata = try call.fields.value("metadata") {
            document = document.with("metadata", (document["metadata"] ?? [:]).merging(metadata.object ?? [:]))
        }
        if let group = document["group"]?.rid, let slots = try call.slots(of: group) {
            document = document.with("week_timeslots", slots)
        }
        if let transition = try call.transition() { document = document.with("transition_duration", .int(transition)) }
        let recalled = try call.recalled(document)
        var decision = call.done(
            [.replacing(.stored(call.id, by: recalled.document))] + recalled.changes, radio: recalled.radio)
        decision.timedTasks = recalled.timedTasks
        return decision
    }
}

extension V2API.Call {
    fileprivate func transition() throws(V2Failure) -> Int? { try fields.integer("transition_duration", 0...6_000_000) }

    /// The time slots of the week, checked. Their scenes must belong to the same group.
    fileprivate func slots(of group: ResourceID) throws(V2Failure) -> JSONValue? {
        guard let weeks = try fields.list("week_timeslots", 1...7) else { return nil }
        for week in weeks {
            for slot in try week.need("timeslots", week.list("timeslots", 1...20)) {
                let start = try slot.inside("start_time")
                let kind = try start.need("kind", start.word("kind", ["time", "sunrise", "sunset"]))
                if kind == "time" {
                    let time = try start.inside("time")
                    _ = try time.need("hour", time.integer("hour", 0...23))
                    _ = try time.need("minute", time.integer("minute", 0...59))
                    _ = try time.need("second", time.integer("second", 0...59))
                }
                let target = try slot.need("target", slot.reference("target", [.scene])).rid
                guard home.scene(target)?.group == group else {
                    throw V2Failure("scene \(target) is not in the group of the smart scene")
                }
            }
            let days = try week.need("recurrence", week.value("recurrence")?.array?.map(\.string))
            guard !days.isEmpty, days.allSatisfy({ $0.map(SmartScene.days.contains) ?? false }) else {
                throw V2Failure("\(week.memberPath("recurrence")) is not a list of days")
            }
        }
        return try fields.value("week_timeslots")
    }

    /// The smart scene after its `recall`.
    fileprivate func recalled(_ document: JSONValue) throws(V2Failure) -> SmartScene.Shown {
        guard let recall = try fields.object("recall"),
            let action = try recall.word("action", ["activate", "deactivate"])
        else { return SmartScene.Shown(document: document) }
        guard action == "activate" else {
            return SmartScene.Shown(document: document.with("state", "inactive").with("active_timeslot", nil))
        }
        // Also if it is active already: its scene is recalled again.
        let resting = document.with("state", "active").with("active_timeslot", nil)
        return SmartScene(id: id, document: resting).shown(in: context)
    }
}
