import HashTreeCollections

extension AppState {
    /// What an automation is about and nothing in the home has now, in sentences; its commands are not looked at.
    public func missing(in automation: Automation) -> [String] {
        let names = HomeNames(self)
        var missing: [String] = []
        func look(at check: Automation.Check) {
            if let failure = names.missing(in: check, self) { missing.append(failure.description) }
        }
        for case let .press(name, _, _) in automation.triggers {
            let isSwitch = names.sensors(named: name).contains { sensors[$0]?.buttons.isEmpty == false }
            if !isSwitch { missing.append("no switch is called '\(name)'") }
        }
        automation.checks.forEach { look(at: $0) }
        for case let .restore(name) in automation.steps {
            if let failure = names.missing(target: name) { missing.append(failure.description) }
        }
        var seen: Set<String> = []
        return missing.filter { seen.insert($0.folded).inserted }
    }
}

extension Automation {
    /// All that its triggers, conditions and steps look at.
    fileprivate var checks: [Check] {
        triggers.compactMap { if case let .becomes(check, _) = $0 { check } else { nil } }
            + conditions.flatMap(\.checks)
            + steps.compactMap { if case let .waitFor(check, _, _) = $0 { check } else { nil } }
    }

    /// What it looks at that a sensor only measures: of that the journal tells nothing.
    public var measuredChecks: [Check] {
        checks.filter { check in
            switch check {
            case .lightLevel, .temperature: true
            case .motion, .contact, .power, .bridge: false
            }
        }
    }
}

extension Automation.Condition {
    fileprivate var checks: [Automation.Check] {
        switch self {
        case .between, .days, .elevation: []
        case let .check(check): [check]
        case let .not(condition): condition.checks
        case let .any(conditions): conditions.flatMap(\.checks)
        }
    }
}
