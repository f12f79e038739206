import ControlProtocol
import FoundationEssentials
import Khipu
import Languages
import Lighting

/// What automations say, as a household says it: "Sunset − 20 min: Living 40%, Fan off".
///
/// An hour stands in braces, "{06:45}": whoever shows it writes it as the reader's clocks do.
struct AutomationWords {
    let home: Directory
    let words: Language

    /// The whole automation in a sentence.
    func sentence(_ automation: Automation) -> String {
        let start = reason(automation.triggers) + automation.conditions.map { qualifier($0) }
        return "\(start.joined(separator: ", ").withCapital): \(steps(automation.steps))"
    }

    private func reason(_ triggers: [Automation.Trigger]) -> [String] {
        triggers.isEmpty ? [words("by hand")] : [triggers.map { trigger($0) }.joined(separator: words(" or "))]
    }

    // MARK: When

    func trigger(_ trigger: Automation.Trigger) -> String {
        switch trigger {
        case let .clock(trigger): clock(trigger)
        case let .becomes(check, for: duration?): lasting(self.check(check), duration)
        case let .becomes(check, for: nil): self.check(check)
        case let .press(sensor, button, press): self.press(name(sensor), button, press)
        }
    }

    func clock(_ trigger: ClockTrigger) -> String {
        switch trigger {
        case let .at(moment, days): self.moment(moment) + on(days)
        case .every(let step, .time(.midnight), .time(.midnight), let days): words("every \(time(step))") + on(days)
        case let .every(step, from, to, days):
            words("every \(time(step)), \(moment(from)) to \(moment(to))") + on(days)
        case .once: words("once")
        case let .after(duration, since: _): words("after \(time(duration))")
        }
    }

    private func on(_ days: Weekdays) -> String { days == .all ? "" : " \(self.days(days))" }

    func moment(_ moment: Moment) -> String {
        switch moment {
        case let .time(time): hour(time)
        case let .sun(event, .zero): sun(event)
        case let .sun(event, offset):
            "\(sun(event)) \(offset < .zero ? "−" : "+") \(time(max(offset, .zero - offset)))"
        }
    }

    func hour(_ time: TimeOfDay) -> String { "{\(time)}" }

    private func sun(_ event: SunEvent) -> String {
        switch event {
        case .midnight: words("midnight by the sun")
        case .dawn: words("dawn")
        case .sunrise: words("sunrise")
        case .noon: words("noon by the sun")
        case .sunset: words("sunset")
        case .dusk: words("dusk")
        }
    }

    /// "Mon–Fri", "Sat, Sun"
    func days(_ days: Weekdays) -> String {
        let names = [
            words("Mon"), words("Tue"), words("Wed"), words("Thu"), words("Fri"), words("Sat"), words("Sun"),
        ]
        var runs: [ClosedRange<Int>] = []
        for (day, weekday) in Weekdays.each.enumerated() where days.contains(weekday) {
            if let run = runs.last, run.upperBound == day - 1 {
                runs[runs.count - 1] = run.lowerBound...day
            } else {
                runs.append(day...day)
            }
        }
        return runs.map { run in
            run.count == 1
                ? names[run.lowerBound]
                : "\(names[run.lowerBound])\(run.count == 2 ? ", " : "–")\(names[run.upperBound])"
        }.joined(separator: ", ")
    }

    /// "20 min", "1 h 30 min"
    func time(_ duration: Duration) -> String {
        let seconds = max(Int(duration / .seconds(1)), 1)
        var parts: [String] = []
        if seconds >= 3600 { parts.append(words("\(seconds / 3600) h")) }
        if seconds % 3600 >= 60 { parts.append(words("\(seconds % 3600 / 60) min")) }
        if seconds % 60 > 0 { parts.append(words("\(seconds % 60) s")) }
        return parts.joined(separator: " ")
    }

    private func lasting(_ what: String, _ duration: Duration) -> String { words("\(what) for \(time(duration))") }

    // MARK: If

    /// "if Hall off"; of days and hours only these, "Sat, Sun".
    func qualifier(_ condition: Automation.Condition) -> String {
        switch condition {
        case .between, .days: self.condition(condition)
        case .elevation, .check, .not, .any: words("if \(self.condition(condition))")
        }
    }

    func condition(_ condition: Automation.Condition) -> String {
        switch condition {
        case let .between(start, end): words("\(moment(start)) to \(moment(end))")
        case let .days(days): self.days(days)
        case let .elevation(.below(degrees)): words("sun below \(number(degrees))°")
        case let .elevation(.above(degrees)): words("sun above \(number(degrees))°")
        case let .check(check): self.check(check)
        case let .not(condition): words("not \(self.condition(condition))")
        case let .any(conditions): conditions.map { self.condition($0) }.joined(separator: words(" or "))
        }
    }

    func check(_ check: Automation.Check) -> String {
        switch check {
        case let .motion(sensor, true): words("motion at \(name(sensor))")
        case let .motion(sensor, false): words("no motion at \(name(sensor))")
        case let .contact(sensor, isOpen: true): words("\(name(sensor)) open")
        case let .contact(sensor, isOpen: false): words("\(name(sensor)) closed")
        case let .power(target, power): turned(target, power)
        case let .lightLevel(sensor, .below(lux)): words("\(name(sensor)) darker than \(number(lux)) lux")
        case let .lightLevel(sensor, .above(lux)): words("\(name(sensor)) brighter than \(number(lux)) lux")
        case let .temperature(sensor, .below(degrees)): words("\(name(sensor)) colder than \(number(degrees))°")
        case let .temperature(sensor, .above(degrees)): words("\(name(sensor)) warmer than \(number(degrees))°")
        case let .bridge(bridge, isConnected: true): words("\(name(ofBridge: bridge)) connected")
        case let .bridge(bridge, isConnected: false): words("\(name(ofBridge: bridge)) lost")
        }
    }

    private func name(ofBridge name: String?) -> String { name.map(\.asName) ?? words("a bridge") }

    private func press(_ sensor: String, _ button: Int?, _ press: ButtonPress) -> String {
        let button = button.map { words("\(sensor), button \($0)") } ?? sensor
        return switch press {
        case .pressed, .released: words("\(button) pressed")
        case .held, .longPressed, .releasedLong: words("\(button) held")
        case .releasedTwice: words("\(button) pressed twice")
        }
    }

    /// "12", "0.5"
    private func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
    }

    // MARK: What

    func steps(_ steps: [Automation.Step]) -> String {
        zip([nil] + steps, steps).map { step($1, after: $0) }.joined(separator: ", ")
    }

    func step(_ step: Automation.Step, after last: Automation.Step? = nil) -> String {
        switch step {
        case let .command(command): self.command(command)
        // As its form asks for it.
        case let .wait(duration) where last?.rise.map { $0 < duration } ?? false:
            words("after \(time(duration - (last?.rise ?? .zero))) of full light")
        case let .wait(duration): words("after \(time(duration))")
        case let .waitFor(check, for: nil, atMost: _): words("then, once \(self.check(check))")
        case let .waitFor(check, for: duration?, atMost: _):
            words("then, once \(lasting(self.check(check), duration))")
        case let .restore(target): words("\(name(target)) as before")
        }
    }

    /// "Hall off"
    func turned(_ target: String, _ power: Turn) -> String {
        let name = name(target)
        return power == .on ? words("\(name) on") : words("\(name) off")
    }

    private func command(_ stored: StoredCommand) -> String {
        guard let request = stored.request else { return stored.text.asName }
        switch request.command {
        case let .turn(to: power, target: target, over: _): return turned(target, power)
        case let .toggle(target: target, over: _): return words("\(name(target)) on or off")
        case let .set(values, target: target, over: _, keepRatios: _):
            let values = [
                values.brightness.map { words.percent($0 / 100) }, values.temperature.map { ColorName.of(mirek: $0) },
                values.color, values.effect.flatMap { $0 == LightValuesBody.noEffect ? nil : $0 },
            ].compactMap(\.self)
            return values.isEmpty
                ? stored.text.asName : "\(name(target)) \(values.joined(separator: ", ").withoutMarks)"
        case let .recall(scene: scene, over: _, dynamic: _, speed: _):
            return words("scene \((scene.split(separator: "/").last.map(String.init) ?? scene).asName)")
        case let .wake(target: target, over: _): return words("wake-up in \(name(target))")
        case let .sleep(target: target, over: _): return words("\(name(target)) slowly off")
        case let .follow(target: target, curve: "daylight", only: _, until: _, resumeAfter: _):
            return words("\(name(target)) follows the day")
        default: return stored.text.asName
        }
    }

    /// As people say a target: "Living" for "@living".
    func name(_ text: String) -> String {
        guard text.lowercased() != "all" else { return words("all lights") }
        let known = (try? home.target(named: text)).map { home.name(of: $0) } ?? text
        return (known.hasPrefix("@") ? String(known.dropFirst()) : known).asName
    }

    func name(of target: Target) -> String {
        guard target != .all else { return words("all lights") }
        let name = home.name(of: target)
        return (name.hasPrefix("@") ? String(name.dropFirst()) : name).asName
    }
}

extension Automation.Step {
    /// How long the light rises, of a wake-up.
    fileprivate var rise: Duration? {
        guard case let .command(stored) = self, case let .wake(target: _, over: time)? = stored.request?.command
        else { return nil }
        return .milliseconds(time)
    }
}

extension StoredCommand {
    fileprivate var request: CommandRequest? { try? CommandRequest(json: data) }
}

extension String {
    /// A name in a sentence: it cannot be taken for a mark, and turns no word around it to its own direction.
    var asName: String {
        let isPlain = unicodeScalars.allSatisfy { $0.value < 0x590 || ("\u{1E00}"..."\u{1FFF}").contains($0) }
        return isPlain ? withoutMarks : "\u{2068}\(withoutMarks)\u{2069}"
    }

    /// A sentence within another. A name's first letter stays as it is: words begin with none of ours.
    var withSmall: String { prefix(1).lowercased() + dropFirst() }

    /// A sentence's first letter.
    var withCapital: String { prefix(1).uppercased() + dropFirst() }
}
