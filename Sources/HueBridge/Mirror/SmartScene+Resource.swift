import HueWire
import Lighting

extension SmartScene {
    /// What cannot be read of the week is left out.
    init(_ resource: SmartSceneResource, on bridge: Bridge.ID) {
        let week = resource.week ?? []
        self.init(
            week: week.compactMap { days in
                let weekdays = Weekdays(days.days.compactMap(Weekdays.init(named:)))
                return weekdays.isEmpty ? nil : Days(weekdays, days.slots.compactMap { Slot($0, on: bridge) })
            },
            transition: resource.transition,
            isActive: resource.state == "active",
            current: resource.active.flatMap { active in
                guard let day = week.first(where: { $0.days.contains(active.weekday) }),
                    day.slots.indices.contains(active.place)
                else { return nil }
                return Slot(day.slots[active.place], on: bridge)
            })
    }
}

extension SmartScene.Slot {
    fileprivate init?(_ slot: SmartSceneResource.Slot, on bridge: Bridge.ID) {
        guard let start = Moment(slot.start) else { return nil }
        self.init(start, Scene.ID(bridge, slot.target.rid))
    }
}

extension Moment {
    fileprivate init?(_ start: SmartSceneResource.Start) {
        switch (start.kind, start.time) {
        case ("sunrise", _): self = .sun(.sunrise)
        case ("sunset", _): self = .sun(.sunset)
        case let ("time", time?):
            let second = time.second ?? 0
            guard 0..<24 ~= time.hour, 0..<60 ~= time.minute, 0..<60 ~= second else { return nil }
            self = .time(TimeOfDay(hour: time.hour, minute: time.minute, second: second))
        default: return nil
        }
    }
}
