import FoundationEssentials
import HueWire

/// Smart scenes: other scenes at times of the day. An active one shows the scene of the slot in which it was activated;
/// the simulated bridge does not go on to the next slot by itself.
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
            decision.radio = recalled.radio
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
        return call.done(
            [.replacing(.stored(call.id, by: recalled.document))] + recalled.changes, radio: recalled.radio)
    }
}

extension V2API.Call {
    fileprivate func transition() throws(V2Failure) -> Int? { try fields.integer("transition_duration", 0...6_000_000) }

    private static let days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]

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
            guard !days.isEmpty, days.allSatisfy({ $0.map(Self.days.contains) ?? false }) else {
                throw V2Failure("\(week.memberPath("recurrence")) is not a list of days")
            }
        }
        return try fields.value("week_timeslots")
    }

    /// The smart scene after its `recall`, and the recall of the scene that it shows.
    fileprivate func recalled(_ document: JSONValue) throws(V2Failure) -> (
        document: JSONValue, changes: [SimulatedHome.Change], radio: [RadioMessage]
    ) {
        guard let recall = try fields.object("recall"),
            let action = try recall.word("action", ["activate", "deactivate"])
        else { return (document, [], []) }
        guard action == "activate" else {
            return (document.with("state", "inactive").with("active_timeslot", nil), [], [])
        }
        let active = document.with("state", "active")
        guard let slot = slot(of: document) else { return (active, [], []) }
        let shown = active.with(
            "active_timeslot", ["timeslot_id": .int(slot.number), "weekday": .string(slot.day)])
        guard let scene = home.scene(slot.scene) else { return (shown, [], []) }
        let transition = Duration.milliseconds(Int64(document["transition_duration"]?.int ?? 60_000))
        return (
            shown, home.recalling(scene.id, as: .static, at: context.date),
            [.broadcast(scene.actions.map(\.lamp), over: transition)]
        )
    }

    /// The last slot of today that has begun; `nil` before the first. The sun rises at six and sets at eighteen here.
    private func slot(of document: JSONValue) -> (number: Int, day: String, scene: ResourceID)? {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: home.bridge.timeZone) ?? .gmt
        let now = calendar.dateComponents([.weekday, .hour, .minute, .second], from: context.date)
        let day = Self.days[(now.weekday ?? 1) - 1]
        let second = ((now.hour ?? 0) * 60 + (now.minute ?? 0)) * 60 + (now.second ?? 0)
        let today = (document["week_timeslots"]?.array ?? []).first {
            $0["recurrence"]?.array?.contains(.string(day)) ?? false
        }
        let begun = (today?["timeslots"]?.array ?? []).enumerated().compactMap { number, slot in
            slot["target"]?.rid.map { (number: number, day: day, scene: $0, start: Self.start(of: slot)) }
        }.filter { $0.start <= second }
        return begun.max { $0.start < $1.start }.map { ($0.number, $0.day, $0.scene) }
    }

    private static func start(of slot: JSONValue) -> Int {
        switch slot["start_time"]?["kind"] {
        case "sunrise": return 6 * 3600
        case "sunset": return 18 * 3600
        default:
            let time = slot["start_time"]?["time"]
            return ((time?["hour"]?.int ?? 0) * 60 + (time?["minute"]?.int ?? 0)) * 60 + (time?["second"]?.int ?? 0)
        }
    }
}
