import ControlProtocol

extension SensorBody {
    /// "dial", "switch", "contact", "motion" or "sensor": what people call such a device.
    var kind: String {
        if reports.contains(.dial) { return "dial" }
        if reports.contains(.buttons) { return "switch" }
        if reports.contains(.contact) { return "contact" }
        return reports.contains(.motion) ? "motion" : "sensor"
    }

    /// Whether its battery should be changed.
    var isBatteryLow: Bool { battery.map { $0.value < 15 } ?? false }

    /// What it last told of people, and when: "motion", "open", "button 2 pressed". `nil` if it has told nothing.
    var latest: (text: String, since: String)? {
        let told =
            [
                motion.map { ($0.value ? "motion" : "no motion", $0.since) },
                contact.map { ($0.value.rawValue, $0.since) },
                dial.map { (turned($0.value), $0.since) },
                tampering.flatMap { $0.value ? ("tampered with", $0.since) : nil },
            ].compactMap { $0 }
            + buttons.compactMap { button in
                button.last.map { ("button \(button.number) \($0.value.words)", $0.since) }
            }
        // Times are written in UTC, and sort as texts.
        return told.max { $0.1 < $1.1 }.map { (text: $0.0, since: $0.1) }
    }

    /// Whether it tells that somebody is there, or that something is open.
    var isActive: Bool { motion?.value == true || contact?.value == .open || tampering?.value == true }

    /// What to think of its readings; empty if they are as the bridge has them.
    func doubt(_ clock: WallClock) -> StyledText {
        switch freshness {
        case .stale: StyledText("stale since \(staleSince.map(clock.when) ?? "-")", .warning)
        case .unreachable: StyledText("unreachable", .alarm)
        case .confirmed, .expected: enabled ? StyledText("") : StyledText("disabled", .faint)
        }
    }

    /// "motion, 12 lux, 20.5 °C, battery 80%"
    func summary(_ clock: WallClock) -> String {
        let values = [
            latest?.text, lightLevel.map { lux($0.value) }, temperature.map { celsius($0.value) },
            battery.map { "battery \(percent($0.value))" },
        ].compactMap { $0 }
        let doubt = doubt(clock).text
        return (values.isEmpty ? "nothing told yet" : values.joined(separator: ", "))
            + (doubt.isEmpty ? "" : " (\(doubt))")
    }
}

extension PressBody {
    /// "button 2 pressed", "turned 90° clockwise".
    var words: String {
        if let rotation { return turned(rotation) }
        return "button \(button.map(String.init) ?? "?") \(press?.words ?? "used")"
    }
}

private func turned(_ degrees: Double) -> String {
    "turned \(number(abs(degrees)))° \(degrees < 0 ? "counter-clockwise" : "clockwise")"
}

/// "12 lux": whole ones, but for the dark.
func lux(_ value: Double) -> String { "\(number(value < 10 ? value : value.rounded())) lux" }
func celsius(_ value: Double) -> String { "\(number(value)) °C" }
