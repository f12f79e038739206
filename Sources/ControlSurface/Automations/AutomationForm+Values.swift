import ControlProtocol
import FoundationEssentials
import Lighting

// A form as the texts that a client keeps and sends back, by the keys of its questions.

extension AutomationForm {
    typealias Values = [String: String]

    var name: AutomationFormName {
        switch self {
        case .wakeUp: .wakeUp
        case .off: .off
        case .evening: .evening
        case let .motion(form): if case .between = form.when { .night } else { .motion }
        }
    }

    var values: Values {
        switch self {
        case let .wakeUp(form):
            var then = "stays"
            if case let .off(after: minutes) = form.then { then = "\(minutes)" }
            if form.then == .followsTheDay { then = "follows" }
            return [
                "lights": form.lights, "at": "\(form.at)", "days": form.days.lines, "rises": "\(form.rises)",
                "then": then,
            ]
        case let .off(form): return ["lights": form.lights, "after": "\(form.after)"]
        case let .evening(form):
            return [
                "lights": form.lights, "shows": form.shows.text, "start": "\(form.start)", "days": form.days.lines,
                "only_if_off": "\(form.onlyIfOff)", "then": form.offAfter.map { "\($0)" } ?? "stays",
            ]
        case let .motion(form):
            var values = [
                "sensor": form.sensor, "lights": form.lights,
                "shows": (form.level.map(Shows.level) ?? .asBefore).text, "warm": "\(form.isWarm)",
                "after": "\(form.after)", "then": form.restores ? "restore" : "off", "only_if_off": "\(form.onlyIfOff)",
            ]
            switch form.when {
            case .anyTime: values["when"] = "any"
            case let .darkerThan(lux): values["when"] = "\(lux)"
            case .afterSunset: values["when"] = "sunset"
            case let .between(start, end): (values["from"], values["to"]) = ("\(start)", "\(end)")
            }
            return values
        }
    }

    /// - Throws: `invalid` for a value that is not there, or cannot be read.
    init(_ name: AutomationFormName, _ texts: Values) throws(ErrorReply) {
        let values = FormValues(texts)
        switch name {
        case .wakeUp:
            let then: WakeUp.Then =
                switch try values.text("then") {
                case "stays": .stays
                case "follows": .followsTheDay
                default: .off(after: try values.number("then", 0...1440))
                }
            self = .wakeUp(
                WakeUp(
                    lights: try values.text("lights"), at: try values.time("at"), days: try values.days,
                    rises: try values.number("rises", 1...240), then: then))
        case .off:
            self = .off(OffAfter(lights: try values.text("lights"), after: try values.number("after", 1...1440)))
        case .evening:
            self = .evening(
                Evening(
                    lights: try values.text("lights"), shows: try values.shows,
                    start: try values.read("start") { (text) throws(TimeTextError) in try Moment(text) },
                    days: try values.days, onlyIfOff: try values.flag("only_if_off"),
                    offAfter: try values.text("then") == "stays" ? nil : try values.number("then", 1...1440)))
        case .motion, .night:
            let when: Motion.When =
                switch name == .night ? "night" : try values.text("when") {
                case "night": .between(try values.time("from"), try values.time("to"))
                case "any": .anyTime
                case "sunset": .afterSunset
                default: .darkerThan(lux: try values.number("when", 1...100_000))
                }
            var level: Int?
            if case let .level(percent) = try values.shows { level = percent }
            self = .motion(
                Motion(
                    sensor: try values.text("sensor"), when: when, lights: try values.text("lights"), level: level,
                    isWarm: try values.flag("warm"), after: try values.number("after", 1...1440),
                    restores: try values.text("then") == "restore", onlyIfOff: try values.flag("only_if_off")))
        case .switch, .away: throw ErrorReply(.invalid, "'\(name.rawValue)' makes no automation")
        }
    }
}

/// What a client has filled in, to be read.
struct FormValues {
    private let texts: AutomationForm.Values

    init(_ texts: AutomationForm.Values) { self.texts = texts }

    private static let longestText = 500

    func text(_ key: String) throws(ErrorReply) -> String {
        guard let text = texts[key], !text.isEmpty, text.utf8.count <= Self.longestText else { throw wrong(key) }
        return text
    }

    func number(_ key: String, _ range: ClosedRange<Int>) throws(ErrorReply) -> Int {
        guard let number = Int(try text(key)), range.contains(number) else { throw wrong(key) }
        return number
    }

    func flag(_ key: String) throws(ErrorReply) -> Bool {
        guard let flag = Bool(try text(key)) else { throw wrong(key) }
        return flag
    }

    func read<Value>(_ key: String, _ read: (String) throws(TimeTextError) -> Value) throws(ErrorReply) -> Value {
        do throws(TimeTextError) {
            return try read(texts[key] ?? "")
        } catch {
            throw wrong(key)
        }
    }

    func time(_ key: String) throws(ErrorReply) -> TimeOfDay {
        try read(key) { (text) throws(TimeTextError) in try TimeOfDay(text) }
    }

    var days: Weekdays {
        get throws(ErrorReply) {
            try read("days") { (text) throws(TimeTextError) in
                try Weekdays(text.replacing("\n", with: ","))
            }
        }
    }

    fileprivate var shows: AutomationForm.Shows {
        get throws(ErrorReply) {
            let text = try text("shows")
            if text == "before" { return .asBefore }
            if text.hasPrefix(AutomationForm.Shows.scenePrefix) {
                return .scene(String(text.dropFirst(AutomationForm.Shows.scenePrefix.count)))
            }
            return .level(try number("shows", 1...100))
        }
    }

    private func wrong(_ key: String) -> ErrorReply {
        ErrorReply(.invalid, "'\(key)' is \(texts[key].map { "'\($0.prefix(100))'" } ?? "missing"), and cannot be that")
    }
}

extension AutomationForm.Shows {
    fileprivate static let scenePrefix = "scene:"

    var text: String {
        switch self {
        case .asBefore: "before"
        case let .level(percent): "\(percent)"
        case let .scene(name): Self.scenePrefix + name
        }
    }
}

extension Weekdays {
    /// Each on a line.
    var lines: String { Self.each.filter(contains).map(\.description).joined(separator: "\n") }
}
