import Khipu
public import Lighting

/// Parts of automations as a person might write them, at random.
extension RandomNumberGenerator {
    public mutating func trigger() -> Automation.Trigger {
        switch Int.random(in: 0..<3, using: &self) {
        case 0: .clock(clockTrigger())
        case 1: .becomes(check(), for: maybe { $0.duration() })
        default:
            .press(
                sensor: name(), button: maybe { Int.random(in: 1...8, using: &$0) }, one(of: ButtonPress.allCases))
        }
    }

    public mutating func condition() -> Automation.Condition {
        guard Int.random(in: 0..<4, using: &self) == 0 else { return singleCondition() }
        return .any((0..<Int.random(in: 2...3, using: &self)).map { _ in singleCondition() })
    }

    /// One that is not a command.
    public mutating func waitingStep() -> Automation.Step {
        switch Int.random(in: 0..<3, using: &self) {
        case 0: .wait(duration())
        case 1: .waitFor(check(), for: maybe { $0.duration() }, atMost: maybe { $0.duration() })
        default: .restore(target())
        }
    }

    public mutating func name() -> String {
        one(of: [
            "Hall", "Küche", "Dial Living", "a \"quoted\" name", "back\\slash", "it's", "for", "or", "7", "lost",
            "at most",
            "Motion 2", "< 3", "@", "on", "Bath: left", "# one", "- dash", "{x}", "true", "06:45", "x y  z",
        ])
    }

    public mutating func target() -> String {
        one(of: [name(), "@" + name(), "all"])
    }

    private mutating func singleCondition() -> Automation.Condition {
        switch Int.random(in: 0..<5, using: &self) {
        case 0: .between(moment(), moment())
        case 1: .days(weekdays())
        case 2: .elevation(comparison())
        case 3: .not(.check(check()))
        default: .check(check())
        }
    }

    private mutating func check() -> Automation.Check {
        switch Int.random(in: 0..<6, using: &self) {
        case 0: .motion(name(), .random(using: &self))
        case 1: .contact(name(), isOpen: .random(using: &self))
        case 2: .power(target(), one(of: [.on, .off]))
        case 3: .lightLevel(name(), comparison())
        case 4: .temperature(name(), comparison())
        default: .bridge(maybe { $0.name() }, isConnected: .random(using: &self))
        }
    }

    private mutating func comparison() -> Automation.Comparison {
        let value = Double(Int.random(in: -40_000...100_000, using: &self)) / one(of: [1, 10, 1000])
        return Bool.random(using: &self) ? .below(value) : .above(value)
    }

    private mutating func clockTrigger() -> ClockTrigger {
        switch Int.random(in: 0..<3, using: &self) {
        case 0: .at(moment(), weekdays())
        case 1: .every(.seconds(Int.random(in: 1...86_400, using: &self)), from: moment(), to: moment(), weekdays())
        default: .once(Timestamp(milliseconds: .random(in: 0...4_000_000_000_000, using: &self)))
        }
    }

    private mutating func moment() -> Moment {
        Bool.random(using: &self)
            ? .time(TimeOfDay(seconds: .random(in: 0..<86_400, using: &self)))
            : .sun(one(of: SunEvent.allCases), offset: .seconds(Int.random(in: -43_200...43_200, using: &self)))
    }

    private mutating func weekdays() -> Weekdays { Weekdays(rawValue: .random(in: 1...127, using: &self)) }

    private mutating func duration() -> Duration { .milliseconds(Int.random(in: 1...100_000_000, using: &self)) }

    private mutating func maybe<Value>(_ make: (inout Self) -> Value) -> Value? {
        Bool.random(using: &self) ? make(&self) : nil
    }

    private mutating func one<Value>(of values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &self)]
    }
}
