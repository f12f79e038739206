// What automations consist of, as people write it.

extension Automation.Trigger: CustomStringConvertible {
    /// "sunset - 20m", "motion Hall", "lux Hall < 12 for 5m", "button Dial 1 long"
    public var description: String {
        switch self {
        case let .clock(trigger): "\(trigger)"
        case let .becomes(check, for: duration): "\(check)" + (duration.map { " for \($0.timeText)" } ?? "")
        case let .press(sensor, button, press):
            (["button \(sensor.quotedIfNeeded)"] + [button.map { "\($0)" }, press.automationText].compactMap(\.self))
                .joined(separator: " ")
        }
    }
}

extension Automation.Check: CustomStringConvertible {
    /// "motion Hall", "no motion Hall", "contact Door open", "light desk on", "@Living off", "lux Hall < 12", "bridge lost"
    public var description: String {
        switch self {
        case let .motion(name, isSeen): (isSeen ? "motion " : "no motion ") + name.quotedIfNeeded
        case let .contact(name, isOpen): "contact \(name.quotedIfNeeded) \(isOpen ? "open" : "closed")"
        case let .power(name, power):
            (name.hasPrefix("@") || name == "all" ? "" : "light ") + "\(name.quotedIfNeeded) \(power.rawValue)"
        case let .lightLevel(name, comparison): "lux \(name.quotedIfNeeded) \(comparison)"
        case let .temperature(name, comparison): "temperature \(name.quotedIfNeeded) \(comparison)"
        case let .bridge(name, isConnected):
            "bridge " + (name.map { "\($0.quotedIfNeeded) " } ?? "") + (isConnected ? "connected" : "lost")
        }
    }
}

extension Automation.Comparison: CustomStringConvertible {
    public var description: String {
        switch self {
        case let .below(limit): "< \(limit.automationText)"
        case let .above(limit): "> \(limit.automationText)"
        }
    }
}

extension Automation.Condition: CustomStringConvertible {
    /// "between sunset and 23:30", "mon-fri", "sun < -4", "not motion Hall", "@Living off or @Kitchen off"
    public var description: String {
        switch self {
        case let .between(start, end): "between \(start) and \(end)"
        case let .days(days): "\(days)"
        case let .elevation(comparison): "sun \(comparison)"
        case let .check(check): "\(check)"
        case let .not(condition): "not \(condition)"
        case let .any(conditions): conditions.map(\.description).joined(separator: " or ")
        }
    }
}

extension Automation.Step: CustomStringConvertible {
    /// "dim kitchen 40%", "wait 5m", "wait no motion Hall for 2m at most 1h", "restore @Hall"
    public var description: String {
        switch self {
        case let .command(command): command.text
        case let .wait(duration): "wait \(duration.timeText)"
        case let .waitFor(check, for: duration, atMost: longest):
            "wait \(check)" + (duration.map { " for \($0.timeText)" } ?? "")
                + (longest.map { " at most \($0.timeText)" } ?? "")
        case let .restore(name): "restore \(name.quotedIfNeeded)"
        }
    }
}

extension Automation.Lateness: CustomStringConvertible {
    public var description: String {
        switch self {
        case .skip: "skip"
        case .catchUp: "catch up"
        }
    }
}

extension ButtonPress {
    /// `nil` for a short press, which is meant if nothing is said.
    fileprivate var automationText: String? {
        switch self {
        case .pressed: "down"
        case .released: nil
        case .held: "held"
        case .longPressed: "long"
        case .releasedLong: "long-release"
        case .releasedTwice: "double"
        }
    }
}

extension Double {
    /// "12", "0.5"
    fileprivate var automationText: String {
        self == rounded() && abs(self) < 1e15 ? String(Int64(self)) : "\(self)"
    }
}

extension String {
    /// In quotes if it has spaces or characters with a meaning of their own.
    fileprivate var quotedIfNeeded: String {
        let isPlain =
            !["", "lost", "connected"].contains(folded)
            && allSatisfy { $0.isLetter || $0.isNumber || "@_-/.:".contains($0) }
        return isPlain ? self : "\"\(replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}
