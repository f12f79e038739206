import FoundationEssentials
import HueWire

extension Accessory {
    /// What its sensors have reported before anyone asks: on a real bridge only one that was added a moment ago has no
    /// report yet (home-assistant/core#117316). A quiet evening: doors closed, nobody moves, 20 °C, 10 lux.
    ///
    /// Nothing if they have reported already or are switched off. Buttons and rings report only what a person does.
    func firstReports(at date: Date) -> [Change] {
        var reports: [Change.Reporting] = []
        for service in services where isEnabled(service.type) {
            switch service.type {
            case .motion where readings.motion == nil: reports.append(.motion(false, at: date))
            case .lightLevel where readings.lightLevel == nil: reports.append(.lightLevel(10_001, at: date))
            case .temperature where readings.temperature == nil: reports.append(.temperature(20, at: date))
            case .contact where readings.contact == nil: reports.append(.contact(true, at: date))
            default: break
            }
        }
        return reports.map { .reporting($0) }
    }
}
