import HashTreeCollections

/// A name that means nothing in the home now.
public struct MissingName: Equatable, Sendable {
    /// `nil` if any bridge is meant, and none is paired.
    public let use: NameUse?
    /// As a sentence: "no light or room is called 'Sofa'".
    public let text: String
}

extension AppState {
    /// What an automation is about and nothing in the home has now.
    ///
    /// - Parameter withCommands: whether also what its commands name, as far as that was looked at already.
    public func missing(
        in automation: Automation, _ names: HomeNames? = nil, withCommands: Bool = true
    ) -> [MissingName] {
        let names = names ?? HomeNames(self)
        var missing: [MissingName] = []
        for case let .press(name, _, _) in automation.triggers {
            let isSwitch = names.sensors(named: name).contains { sensors[$0]?.buttons.isEmpty == false }
            if !isSwitch {
                missing.append(MissingName(use: NameUse(.sensor, name), text: "no switch is called '\(name)'"))
            }
        }
        for check in automation.checks {
            if let failure = names.missing(in: check, self) {
                missing.append(MissingName(use: check.nameUse, text: failure.description))
            }
        }
        for case let .restore(name) in automation.steps {
            if let failure = names.missing(target: name) {
                missing.append(MissingName(use: NameUse(.lights, name), text: failure.description))
            }
        }
        let found = Set(missing.map(\.use))
        for name in automation.names ?? []
        where withCommands && !found.contains(name.use) && names.things(of: name.use).isEmpty {
            missing.append(MissingName(use: name.use, text: name.missing))
        }
        var seen: Set<String> = []
        return missing.filter { seen.insert($0.text.folded).inserted }
    }
}

extension Automation.Name {
    fileprivate var missing: String {
        if let replaced {
            return "the \(thing?.kind ?? "thing") '\(replaced)' is gone, and something else has its name"
        }
        if let thing { return "the \(thing.kind) '\(use.text)' is gone" }
        return switch use.role {
        case .lights: "no light or room is called '\(use.text)'"
        case .room: "no room or zone is called '\(use.text)'"
        case .scene: "no scene is called '\(use.text)'"
        case .sensor: "no sensor is called '\(use.text)'"
        case .bridge: "no bridge is called '\(use.text)'"
        }
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
