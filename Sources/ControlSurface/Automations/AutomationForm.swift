import AutomationFiles
import CommandGrammar
import ControlProtocol
import FoundationEssentials
import Khipu
import Lighting

/// An automation of one of the frequent kinds, as the few answers that make it.
///
/// Every form makes an automation, and is read from that again as the same. An automation that says anything else than
/// a form would make is not taken for one: what a form cannot say is left alone.
enum AutomationForm: Equatable, Sendable {
    case wakeUp(WakeUp)
    case off(OffAfter)
    case evening(Evening)
    /// Also a night light.
    case motion(Motion)

    /// A target of commands: "@Bedroom", "Desk", "all".
    typealias Lights = String
    typealias Minutes = Int

    /// A sunrise.
    struct WakeUp: Equatable, Sendable {
        var lights: Lights
        var at: TimeOfDay
        var days: Weekdays
        var rises: Minutes
        var then: Then

        enum Then: Equatable, Sendable {
            case stays
            /// So long after the light is full.
            case off(after: Minutes)
            case followsTheDay
        }
    }

    /// Whatever was left on.
    struct OffAfter: Equatable, Sendable {
        var lights: Lights
        var after: Minutes
    }

    /// By the sun or by the clock.
    struct Evening: Equatable, Sendable {
        var lights: Lights
        var shows: Shows
        var start: Moment
        var days: Weekdays
        /// Not if somebody has turned something on already.
        var onlyIfOff: Bool
        /// `nil`: it stays on.
        var offAfter: Minutes?
    }

    struct Motion: Equatable, Sendable {
        /// A sensor, or a room with some.
        var sensor: String
        var when: When
        var lights: Lights
        /// Per cent; `nil`: as it last was.
        var level: Int?
        var isWarm: Bool
        /// Without motion for so long.
        var after: Minutes
        /// Afterwards everything is as it was; else it is off.
        var restores: Bool
        /// Not if somebody has turned something on already.
        var onlyIfOff: Bool

        enum When: Equatable, Sendable {
            case anyTime
            case darkerThan(lux: Int)
            case afterSunset
            case between(TimeOfDay, TimeOfDay)
        }
    }

    enum Shows: Equatable, Sendable {
        case asBefore
        /// Per cent.
        case level(Int)
        /// Of the room that the lights are.
        case scene(String)
    }
}

// MARK: To an automation

extension AutomationForm {
    /// - Throws: if a name cannot be part of a command.
    func automation(named name: String, isEnabled: Bool = true) throws(TextError) -> Automation {
        func made(
            _ trigger: Automation.Trigger, if conditions: [Automation.Condition] = [], _ steps: [Automation.Step],
            _ mode: RunMode = .single
        ) -> Automation {
            Automation(
                name: name, triggers: [trigger], conditions: conditions, steps: steps, mode: mode,
                isEnabled: isEnabled)
        }
        switch self {
        case let .wakeUp(form):
            var steps = [try Self.command("wake", form.lights, "--over", form.rises.spanText)]
            switch form.then {
            case .stays: break
            case let .off(after: minutes):
                steps += [.wait((form.rises + minutes).duration), try Self.turnOff(form.lights)]
            case .followsTheDay:
                steps += [.wait(form.rises.duration), try Self.command("follow", form.lights, after: "daylight")]
            }
            return made(.clock(.at(.time(form.at), form.days)), steps, .restart)
        case let .off(form):
            return made(
                .becomes(.power(form.lights, .on), for: form.after.duration), [try Self.turnOff(form.lights)])
        case let .evening(form):
            var steps: [Automation.Step]
            switch form.shows {
            case .asBefore: steps = [try Self.command("turn on", form.lights)]
            case let .level(percent):
                steps = [try Self.command("set", form.lights, "--brightness", "\(percent)%", "--over", "1m")]
            case let .scene(name):
                guard form.lights.hasPrefix("@") else { throw TextError("only a room or zone has scenes", at: 0) }
                steps = [try Self.command("recall", "\(form.lights.dropFirst())/\(name)", "--over", "1m")]
            }
            if let minutes = form.offAfter {
                steps += [.wait(minutes.duration), try Self.turnOff(form.lights, "--over", "1m")]
            }
            return made(
                .clock(.at(form.start, form.days)),
                if: form.onlyIfOff ? [.check(.power(form.lights, .off))] : [], steps)
        case let .motion(form):
            var conditions = form.when.condition(form.sensor).map { [$0] } ?? []
            if form.onlyIfOff { conditions.append(.check(.power(form.lights, .off))) }
            var options: [String] = []
            if let level = form.level { options += ["--brightness", "\(level)%"] }
            if form.isWarm { options += ["--temperature", "2200K"] }
            return made(
                .becomes(.motion(form.sensor, true)), if: conditions,
                [
                    options.isEmpty
                        ? try Self.command("turn on", form.lights) : try Self.command("set", form.lights, options),
                    .waitFor(.motion(form.sensor, false), for: form.after.duration),
                    form.restores ? .restore(form.lights) : try Self.turnOff(form.lights, "--over", "10s"),
                ])
        }
    }

    private static func turnOff(_ lights: Lights, _ options: String...) throws(TextError) -> Automation.Step {
        try command("turn off", lights, options)
    }

    private static func command(
        _ verb: String, _ operand: String, _ options: String..., after last: String? = nil
    ) throws(TextError) -> Automation.Step {
        try command(verb, operand, options, after: last)
    }

    /// As a person types it.
    private static func command(
        _ verb: String, _ operand: String, _ options: [String], after last: String? = nil
    ) throws(TextError) -> Automation.Step {
        // What begins with a dash is an option, but not after "--".
        let text =
            operand.hasPrefix("-")
            ? [verb] + options + ["--", ShellQuote.word(operand)] : [verb, ShellQuote.word(operand)] + options
        let steps = try Automation.Step.steps(from: (text + (last.map { [$0] } ?? [])).joined(separator: " "))
        guard let step = steps.first, steps.count == 1 else { throw TextError("expected one command", at: 0) }
        return step
    }
}

extension AutomationForm.Motion.When {
    fileprivate func condition(_ sensor: String) -> Automation.Condition? {
        switch self {
        case .anyTime: nil
        case let .darkerThan(lux): .check(.lightLevel(sensor, .below(Double(lux))))
        case .afterSunset: .between(.sun(.sunset), .sun(.sunrise))
        case let .between(start, end): .between(.time(start), .time(end))
        }
    }
}

extension Int {
    fileprivate var duration: Duration { .seconds(self * 60) }
    /// Of so many minutes, as one types it.
    fileprivate var spanText: String { duration.timeText }
}

// MARK: From an automation

extension AutomationForm {
    /// `nil` if no form says exactly this.
    init?(_ automation: Automation) {
        let found = [Self.readWakeUp, Self.readOff, Self.readEvening, Self.readMotion].lazy.compactMap {
            $0(automation)
        }.first
        guard let found, let made = try? found.automation(named: automation.name, isEnabled: automation.isEnabled),
            made.does(as: automation),
            // What its questions do not allow, it cannot show.
            (try? Self(found.name, found.values)) == found
        else { return nil }
        self = found
    }

    // What follows takes what it needs, and does not look whether there is more: what is made of it anew tells.

    private static func readWakeUp(_ automation: Automation) -> Self? {
        let commands = automation.commands
        guard case let .clock(.at(.time(at), days))? = automation.triggers.first,
            case let .wake(lights, milliseconds)? = commands.first
        else { return nil }
        let rises = milliseconds / 60_000
        var then = WakeUp.Then.stays
        if case let .wait(time)? = automation.steps.dropFirst().first {
            if case .turn(to: .off, target: _, over: _)? = commands.last { then = .off(after: time.minutes - rises) }
            if case .follow? = commands.last { then = .followsTheDay }
        }
        if case let .off(after: minutes) = then, minutes < 0 { return nil }
        return .wakeUp(WakeUp(lights: lights, at: at, days: days, rises: rises, then: then))
    }

    private static func readOff(_ automation: Automation) -> Self? {
        guard case let .becomes(.power(lights, .on), for: time?)? = automation.triggers.first else { return nil }
        return .off(OffAfter(lights: lights, after: time.minutes))
    }

    private static func readEvening(_ automation: Automation) -> Self? {
        guard case let .clock(.at(start, days))? = automation.triggers.first, let first = automation.commands.first
        else { return nil }
        var checked: Lights?
        if case let .check(.power(name, .off))? = automation.conditions.first { checked = name }
        var (off, offAfter): (Lights?, Minutes?) = (nil, nil)
        if case let .turn(to: .off, target: target, over: _)? = automation.commands.dropFirst().first { off = target }
        if case let .wait(time)? = automation.steps.dropFirst().first { offAfter = time.minutes }
        let (lights, shows): (Lights, Shows)
        switch first {
        case let .turn(to: .on, target: target, over: _): (lights, shows) = (target, .asBefore)
        case let .set(values, target, _, _):
            guard let percent = values.brightness.flatMap({ Int(exactly: $0) }) else { return nil }
            (lights, shows) = (target, .level(percent))
        case let .recall(scene, _, _, _):
            guard let room = (checked ?? off).map({ String($0.dropFirst()) }) ?? scene.beforeLastSlash,
                scene.hasPrefix(room + "/")
            else { return nil }
            (lights, shows) = ("@" + room, .scene(String(scene.dropFirst(room.count + 1))))
        default: return nil
        }
        return .evening(
            Evening(
                lights: lights, shows: shows, start: start, days: days, onlyIfOff: checked != nil,
                offAfter: offAfter))
    }

    private static func readMotion(_ automation: Automation) -> Self? {
        guard case let .becomes(.motion(sensor, true), for: nil)? = automation.triggers.first,
            let first = automation.commands.first, automation.steps.count == 3,
            case let .waitFor(_, for: time?, atMost: nil) = automation.steps[1]
        else { return nil }
        var when = Motion.When.anyTime
        switch automation.conditions.first {
        case let .check(.lightLevel(_, .below(lux)))?:
            guard let lux = Int(exactly: lux) else { return nil }
            when = .darkerThan(lux: lux)
        case .between(.sun, .sun)?: when = .afterSunset
        case let .between(.time(start), .time(end))?: when = .between(start, end)
        default: break
        }
        var (lights, level, isWarm): (Lights, Int?, Bool)
        switch first {
        case let .turn(to: .on, target: target, over: _): (lights, level, isWarm) = (target, nil, false)
        case let .set(values, target, _, _):
            (lights, level, isWarm) = (
                target, values.brightness.flatMap { Int(exactly: $0) }, values.temperature != nil
            )
        default: return nil
        }
        var onlyIfOff = false
        if case .check(.power)? = automation.conditions.last { onlyIfOff = true }
        var restores = false
        if case .restore = automation.steps[2] { restores = true }
        return .motion(
            Motion(
                sensor: sensor, when: when, lights: lights, level: level, isWarm: isWarm, after: time.minutes,
                restores: restores, onlyIfOff: onlyIfOff))
    }
}

extension Automation {
    /// Those among its steps, read.
    fileprivate var commands: [Command] {
        steps.compactMap {
            guard case let .command(command) = $0 else { return nil }
            return try? JSONDecoder().decode(Command.self, from: command.data)
        }
    }

    /// Whether it does the same in every case, however its commands were typed.
    fileprivate func does(as other: Self) -> Bool {
        triggers == other.triggers && conditions == other.conditions && mode == other.mode
            && lateness == other.lateness && steps.count == other.steps.count
            && zip(steps, other.steps).allSatisfy { one, other in
                if case let (.command(one), .command(other)) = (one, other) {
                    one.json == other.json
                } else {
                    one == other
                }
            }
    }
}

extension Duration {
    /// Whole ones that it has.
    fileprivate var minutes: Int { Int(components.seconds / 60) }
}

extension String {
    fileprivate var beforeLastSlash: String? { lastIndex(of: "/").map { String(self[..<$0]) } }
}
