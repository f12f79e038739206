public import ControlProtocol
public import Lighting

extension ControlSurface {
    /// - Parameter date: today if `nil`.
    /// "2026-12-24", or "today", "tomorrow", "yesterday" by the home's clocks; `nil` for any other text.
    public func day(_ text: String) -> CivilDate? {
        let days = ["yesterday": -1, "today": 0, "tomorrow": 1]
        return days[text.lowercased()].map { time.date(at: clock.now()).advanced(by: $0) } ?? (try? CivilDate(text))
    }

    public func sun(on date: CivilDate?) -> SunBody {
        let date = date ?? time.date(at: clock.now())
        let events = SunEvent.allCases.compactMap { event -> SunBody.Event? in
            guard let moment = time.instant(of: .sun(event), on: date), let elevation = time.elevation(at: moment)
            else {
                return nil
            }
            return SunBody.Event(
                name: event.body, time: moment.iso8601, clock: time.timeOfDay(at: moment).withSeconds,
                elevation: (elevation * 100).rounded() / 100)
        }
        return SunBody(
            date: date.description, timeZone: time.zone.name, latitude: time.place?.latitude,
            longitude: time.place?.longitude, events: events)
    }
}

extension SunEvent {
    fileprivate var body: SunBody.Name {
        switch self {
        case .midnight: .midnight
        case .dawn: .dawn
        case .sunrise: .sunrise
        case .noon: .noon
        case .sunset: .sunset
        case .dusk: .dusk
        }
    }
}

extension TimeOfDay {
    /// "06:45:00"
    fileprivate var withSeconds: String { second == 0 ? "\(self):00" : description }
}
