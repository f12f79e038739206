import ControlProtocol
import Khipu
import Lighting

extension Sensor {
    /// The sensor with the name of its room.
    func body(room: String?) -> SensorBody {
        func reading<Value, Shown>(_ reading: Reading<Value>?, _ show: (Value) -> Shown) -> SensorBody.Reading<Shown>? {
            reading.map { SensorBody.Reading(show($0.value), since: $0.time.iso8601) }
        }
        return SensorBody(
            id: id.description,
            name: name,
            room: room,
            product: product,
            reports: SensorBody.Report.allCases.filter { $0.isReported(by: self) },
            motion: reading(motion) { $0 },
            contact: reading(contact) { $0 == .open ? .open : .closed },
            tampering: reading(tampering) { $0 },
            lightLevel: reading(lightLevel) { $0.tenths },
            temperature: reading(temperature) { $0.tenths },
            battery: reading(battery) { $0.percent },
            buttons: buttons.map { SensorBody.Button($0.number, last: reading($0.last) { $0 }) },
            dial: reading(dial) { Sensor.degrees(steps: $0) },
            enabled: isEnabled,
            freshness: staleSince != nil ? .stale : isReachable ? .confirmed : .unreachable,
            staleSince: staleSince?.iso8601,
            bridge: id.bridge.description
        )
    }

    /// The presses and turns that were told since, oldest first.
    func presses(since before: Sensor, room: String?) -> [PressBody] {
        told.filter { $0.number > (before.told.last?.number ?? 0) }.map { told in
            PressBody(
                id: id.description, name: name, room: room, button: told.report.press?.button,
                press: told.report.press?.kind, rotation: told.report.rotation.map { Sensor.degrees(steps: $0) },
                time: told.time.iso8601)
        }
    }

    /// 1000 steps are a full turn.
    static func degrees(steps: Int) -> Double { (Double(steps) * 3.6).rounded() / 10 }
}

extension SensorBody.Report {
    fileprivate func isReported(by sensor: Sensor) -> Bool {
        switch self {
        case .motion: sensor.abilities.contains(.motion)
        case .contact: sensor.abilities.contains(.contact)
        case .tampering: sensor.abilities.contains(.tampering)
        case .temperature: sensor.abilities.contains(.temperature)
        case .battery: sensor.abilities.contains(.battery)
        case .dial: sensor.abilities.contains(.dial)
        case .lightLevel: sensor.abilities.contains(.lightLevel)
        case .buttons: !sensor.buttons.isEmpty
        }
    }
}

extension Double {
    fileprivate var tenths: Double { (self * 10).rounded() / 10 }
}
