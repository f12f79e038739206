import HashTreeCollections
public import Khipu

/// The home at one moment, as automations see it: what is true in it, and what things are called.
struct HomeView {
    let state: AppState
    let names: HomeNames
    let time: HomeTime
    var now: Timestamp

    /// Whether a check is true; `nil` if nobody knows: nothing has this name, it has not reported yet, or its bridge is
    /// lost. A sensor without battery is left out, and a lamp without power is off.
    ///
    /// - Parameter isSettled: whether it is not known either what lamps do of which something is asked that they have not
    ///   confirmed: what a run waits for must not be what it has just changed itself.
    func truth(of check: Automation.Check, isSettled: Bool = false) -> Bool? {
        switch check {
        case let .motion(name, isSeen): any(of: readings(of: name, \.motion), is: isSeen)
        case let .contact(name, isOpen):
            any(of: readings(of: name, \.contact).map { $0.map { $0 == .open } }, is: isOpen)
        case let .lightLevel(name, comparison): mean(of: readings(of: name, \.lightLevel)).map(comparison.holds)
        case let .temperature(name, comparison): mean(of: readings(of: name, \.temperature)).map(comparison.holds)
        case let .power(name, power):
            any(
                of: names.targets(named: name).flatMap(state.lights(in:)).map { light in
                    isSettled && light.isAboutToSwitch ? nil : light.seenPower.map { $0 == .on }
                },
                is: power == .on)
        case let .bridge(name, isConnected): bridges(named: name, isConnected)
        }
    }

    /// Why nobody will ever know whether a check is true; `nil` if somebody may, also because a bridge was not read yet.
    func missing(in check: Automation.Check) -> Failure? {
        let isWholeHome = state.bridges.values.allSatisfy { bridge in
            bridge.isConnected && state.lights.keys.contains { $0.bridge == bridge.id }
        }
        return isWholeHome ? names.missing(in: check, state) : nil
    }

    /// Why a name can be no target now: nothing is called so, or lightd has not reached a bridge that may have it.
    func missing(target name: String) -> Failure? {
        names.missing(target: name).map { state.missingBridge ?? $0 }
    }

    /// Whether a condition holds; `nil` if nobody knows.
    func holds(_ condition: Automation.Condition) -> Bool? {
        time.holds(condition, at: now) { truth(of: $0) }
    }

    /// What the lights of a target show now, or when they are back in reach, to be shown again later.
    func shown(by name: String) -> [DesiredState] {
        names.targets(named: name).flatMap(state.lights(in:)).map { light in
            state.history.valuesToCome(of: light).desired(for: light)
        }
    }

    /// Of the sensors in reach that have it; `nil` is what a lost bridge's sensor shows now.
    private func readings<Value>(of name: String, _ reading: KeyPath<Sensor, Sensor.Reading<Value>?>) -> [Value?] {
        names.sensors(named: name).compactMap { state.sensors[$0] }.filter(\.isReachable)
            .compactMap { sensor in sensor[keyPath: reading].map { sensor.staleSince == nil ? $0.value : nil } }
    }

    /// Whether one of them is true, or none; `nil` if there is none, or that depends on what is not known.
    private func any(of truths: [Bool?], is isWanted: Bool) -> Bool? {
        truths.isEmpty ? nil : HomeTime.any(of: truths).map { $0 == isWanted }
    }

    private func mean(of values: [Double?]) -> Double? {
        let known = values.compactMap(\.self)
        return known.isEmpty ? nil : known.reduce(0, +) / Double(known.count)
    }

    private func bridges(named name: String?, _ isConnected: Bool) -> Bool? {
        let bridges = state.bridges.values.filter { $0.isCalled(name) }
        guard !bridges.isEmpty, bridges.allSatisfy({ !$0.isNotTriedYet }) else { return nil }
        return isConnected ? bridges.allSatisfy(\.isConnected) : bridges.contains { !$0.isConnected }
    }
}

extension HomeTime {
    /// Whether a condition holds; `nil` if nobody knows, as with the hour if the clock cannot be right.
    ///
    /// - Parameter check: whether something in the home is true.
    public func holds(
        _ condition: Automation.Condition, at now: Timestamp, check: (Automation.Check) -> Bool?
    ) -> Bool? {
        switch condition {
        case let .between(start, end): now.isPlausible ? isBetween(start, end, at: now) : nil
        case let .days(days): now.isPlausible ? days.contains(date(at: now).weekday) : nil
        case let .elevation(comparison): now.isPlausible ? elevation(at: now).map(comparison.holds) : nil
        case let .check(wanted): check(wanted)
        case let .not(condition): holds(condition, at: now, check: check).map { !$0 }
        case let .any(conditions): Self.any(of: conditions.map { holds($0, at: now, check: check) })
        }
    }

    /// Whether one of them is true; `nil` if that depends on what is not known.
    fileprivate static func any(of truths: [Bool?]) -> Bool? {
        if truths.contains(true) { return true }
        return truths.contains(nil) ? nil : false
    }
}

extension Bridge {
    /// Whether this is its name or id; every bridge is meant if there is none.
    func isCalled(_ name: String?) -> Bool {
        name.map { [self.name.folded, id.description].contains($0.folded) } ?? true
    }

    public var isConnected: Bool { if case .connected = connection { true } else { false } }

    /// Whether lightd has not found out yet whether it can be reached.
    public var isNotTriedYet: Bool {
        guard case let .lost(_, because: failure) = connection else { return false }
        return failure == .notReachedYet(id) || failure == .justPaired(id)
    }
}

extension Light {
    /// As its bridge last reported it: not what was only asked. A lamp without power is off, and what a lost bridge's
    /// lamps do nobody knows.
    fileprivate var seenPower: Turn? {
        switch freshness {
        case .unreachable: .off
        case .stale: nil
        case .confirmed, .expected: reported.power
        }
    }

    /// Whether it was turned on or off, and its bridge has not reported that yet.
    fileprivate var isAboutToSwitch: Bool {
        if case .expected = freshness { values.power != reported.power } else { false }
    }
}
