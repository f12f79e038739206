import FoundationEssentials
import HueWire

/// Other scenes of a group at times of the day: a value over what a client has stored. While it is active, the bridge
/// recalls the scene of each slot as it begins. The sun rises at six and sets at eighteen here.
struct SmartScene {
    let id: ResourceID
    let document: JSONValue

    static let days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]

    private struct Slot {
        let number: Int
        let scene: ResourceID
        /// In seconds since midnight.
        let start: Int
    }

    /// What it comes to at a moment.
    struct Shown {
        var document: JSONValue
        var changes: [SimulatedHome.Change] = []
        var radio: [RadioMessage] = []
        var timedTasks: [TimedTask] = []
    }

    var isActive: Bool { document["state"] == "active" }

    /// Recalls the scene of the slot that has begun last, and goes on when the next one begins.
    func shown(in context: DecisionContext) -> Shown {
        let (day, second) = context.home.bridge.dayAndSecond(at: context.date)
        var shown = Shown(document: document)
        if let wait = untilNext(after: day, second) {
            shown.timedTasks = [TimedTask(.nextSlot(id), at: context.now + .seconds(wait))]
        }
        let slot = slots(on: day).filter { $0.start <= second }.max { $0.start < $1.start }
        guard let slot else { return shown }
        shown.document = document.with(
            "active_timeslot", ["timeslot_id": .int(slot.number), "weekday": .string(Self.days[day])])
        guard shown.document != document, let scene = context.home.scene(slot.scene) else { return shown }
        let transition = Duration.milliseconds(Int64(document["transition_duration"]?.int ?? 60_000))
        shown.changes = context.home.recalling(scene.id, as: .static, at: context.date)
        shown.radio = [.broadcast(scene.actions.map(\.lamp), over: transition)]
        return shown
    }

    /// In seconds; `nil` without slots. On a day on which the clocks change it may be an hour more or less: then nothing is
    /// found to have begun, and the wait is taken again.
    private func untilNext(after day: Int, _ second: Int) -> Int? {
        (0...7).lazy.compactMap { ahead in
            slots(on: (day + ahead) % 7).map { ahead * 86400 + $0.start - second }.filter { $0 > 0 }.min()
        }.first
    }

    /// - Parameter day: its place in ``days``.
    private func slots(on day: Int) -> [Slot] {
        let week = (document["week_timeslots"]?.array ?? []).first {
            $0["recurrence"]?.array?.contains(.string(Self.days[day])) ?? false
        }
        return (week?["timeslots"]?.array ?? []).enumerated().compactMap { number, slot in
            slot["target"]?.rid.map { Slot(number: number, scene: $0, start: Self.start(of: slot)) }
        }
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

extension SimulatedHome.Bridge {
    /// The day of the week, from 0 for Sunday, and the second of the day, where the bridge is.
    fileprivate func dayAndSecond(at date: Date) -> (day: Int, second: Int) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: timeZone) ?? .gmt
        let now = calendar.dateComponents([.weekday, .hour, .minute, .second], from: date)
        return ((now.weekday ?? 1) - 1, ((now.hour ?? 0) * 60 + (now.minute ?? 0)) * 60 + (now.second ?? 0))
    }
}
