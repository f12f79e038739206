import ControlProtocol
import Khipu
import Lighting

extension Command {
    /// A command in the domain's language, its names resolved, and what it is aimed at.
    struct Resolved: Sendable {
        let message: @Sendable (Ticket) -> Message
        /// The lights to be told of in the answer; `nil` where the command is not aimed at lights.
        var target: Target?
        /// The same for a scene.
        var scene: Scene.ID?

        fileprivate init(_ message: Message.Lighting, at target: Target? = nil, scene: Scene.ID? = nil) {
            self.message = { .lighting(message, ticket: $0) }
            self.target = target
            self.scene = scene
        }

        fileprivate init(_ message: Message.Bridges) { self.message = { .bridges(message, ticket: $0) } }
        fileprivate init(_ message: Message.Dashboard) { self.message = { .dashboard(message, ticket: $0) } }
        fileprivate init(_ message: Message.Logging) { self.message = { .logging(message, ticket: $0) } }
    }

    /// - Throws: `invalid` for values out of their range, `noSuchTarget` and `ambiguousTarget` with candidates for names.
    func resolved(in home: Directory, at now: Timestamp) throws(ErrorReply) -> Resolved {
        switch self {
        case let .turn(to: power, target: text, over: time):
            let target = try home.aim(text)
            return Resolved(.turn(power.turn, target, over: try transition(time)), at: target)
        case let .toggle(target: text, over: time):
            let target = try home.aim(text)
            return Resolved(.toggle(target, over: try transition(time)), at: target)
        case let .set(values, target: text, over: time):
            let target = try home.aim(text)
            return Resolved(.apply(.values(try values.setting), on: target, over: try transition(time)), at: target)
        case let .increase(value, by: points, target: text, over: time):
            let (target, step) = (try home.aim(text), try step(points))
            return Resolved(.increase(value.value, by: step, on: target, over: try transition(time)), at: target)
        case let .decrease(value, by: points, target: text, over: time):
            let (target, step) = (try home.aim(text), try step(points))
            return Resolved(.decrease(value.value, by: step, on: target, over: try transition(time)), at: target)
        case let .rename(target: text, name: name):
            let target = try home.aim(text)
            return Resolved(.change(.name(name), on: target), at: target)
        case let .recall(scene: text, over: time):
            let scene = try home.seeing(home.scene(text)).found("scene", text)
            return Resolved(.recall(scene, over: try transition(time)), scene: scene)
        case let .undo(steps: count, over: time):
            return Resolved(.undo(try steps(count), over: try transition(time)))
        case let .redo(steps: count, over: time):
            return Resolved(.redo(try steps(count), over: try transition(time)))
        case let .powerup(target: text, preset: preset):
            let target = try home.aim(text)
            return Resolved(.change(.powerup(preset.powerup), on: target), at: target)
        case .load:
            return Resolved(.load)
        case let .discover(seconds: seconds):
            return Resolved(.discover(for: .seconds(try held(seconds, "seconds", to: 0...60))))
        case let .pair(bridge: text, seconds: seconds):
            let bridge: Bridge.ID? =
                if let text { try home.bridgeOrID(text) } else { nil }
            return Resolved(.pair(bridge, waiting: .seconds(try held(seconds, "seconds", to: 0...600))))
        case let .forget(bridge: text):
            return Resolved(.forget(try home.bridge(text).found("bridge", text)))
        case let .pin(target: text):
            return Resolved(.pin(try home.aim(text)))
        case let .unpin(target: text):
            return Resolved(.unpin(try home.pinned(text)))
        case let .move(target: text, place: place):
            guard place >= 1 else { throw ErrorReply(.invalid, "'place' is \(place), but places are counted from 1") }
            return Resolved(.move(try home.pinned(text), to: place - 1))
        case let .display(target: text, as: display):
            return Resolved(.toggle(.display(to: display.interface), of: try home.pinned(text)))
        case let .prune(days: days):
            let days = try held(days, "days", to: 0...36_500)
            return Resolved(.prune(olderThan: now.advanced(by: .seconds(-days * 86_400))))
        }
    }
}

extension Command.Values {
    fileprivate var setting: Light.Setting {
        get throws(ErrorReply) {
            let level = try brightness.map { (value) throws(ErrorReply) in
                try held(value, "brightness", to: 0...100) / 100
            }
            let coloured = color != nil || hue != nil || saturation != nil
            if let temperature {
                guard !coloured else {
                    throw ErrorReply(.invalid, "a lamp shows a colour or a temperature; send one of the two")
                }
                guard (1...10_000).contains(temperature) else {
                    throw ErrorReply(
                        .invalid, "'temperature' is \(temperature), but it is told in mirek, 1 to 10000",
                        hint: "lamps take about 153 (cool) to 500 (warm); mirek is 1000000 divided by kelvin")
                }
                return .ct(temperature.mirek, brightness: level)
            }
            if let color {
                guard hue == nil, saturation == nil else {
                    throw ErrorReply(.invalid, "'color' gives hue and saturation; send it or them, not both")
                }
                guard let rgb = RGBColor(color) else {
                    throw ErrorReply(
                        .invalid, "'\(color)' is no colour",
                        hint: "write #rrggbb, #rgb or a name such as orange",
                        candidates: RGBColor.names.keys.sorted())
                }
                return .hsb(hue: rgb.hue / 360, saturation: rgb.saturation / 100, brightness: level)
            }
            if coloured {
                return .hsb(
                    hue: try hue.map { (value) throws(ErrorReply) in try held(value, "hue", to: 0...360) / 360 },
                    saturation: try saturation.map { (value) throws(ErrorReply) in
                        try held(value, "saturation", to: 0...100) / 100
                    },
                    brightness: level
                )
            }
            guard let level else {
                throw ErrorReply(
                    .invalid, "'set' has nothing to set",
                    hint: "send brightness, color, hue, saturation or temperature")
            }
            return .bri(level)
        }
    }
}

extension Directory {
    fileprivate func aim(_ text: String) throws(ErrorReply) -> Target {
        try seeing(target(text)).found("light or room", text)
    }

    /// A bridge that we know by its name, or one we do not know yet by its id.
    fileprivate func bridgeOrID(_ text: String) throws(ErrorReply) -> Bridge.ID {
        switch bridge(text) {
        case let .found(id): id
        case .unknown: Bridge.ID(text)
        case .ambiguous: try bridge(text).found("bridge", text)
        }
    }

    /// A target, also one that is only on the dashboard any more, by the text its pin bears.
    fileprivate func pinned(_ text: String) throws(ErrorReply) -> Target {
        if let pin = dashboard.pins.first(where: { $0.target.text.lowercased() == text.lowercased() }) {
            return pin.target
        }
        return try aim(text)
    }
}

extension Directory {
    /// A name that is unknown because its bridge has not been heard of yet is no wrong name: says what is the matter instead.
    func seeing<Found>(_ lookup: Lookup<Found>) throws(ErrorReply) -> Lookup<Found> {
        if case .unknown = lookup, let blindness { throw blindness.reply(in: self) }
        return lookup
    }
}

extension Lookup {
    /// - Parameter kind: what was looked for, for the sentence.
    func found(_ kind: String, _ text: String) throws(ErrorReply) -> Found {
        switch self {
        case let .found(found): return found
        case let .unknown(candidates: names):
            throw ErrorReply(
                .noSuchTarget, "there is no \(kind) '\(text)'",
                hint: names.isEmpty ? "'lightctl status' tells whether a bridge is connected" : nil,
                candidates: names.isEmpty ? nil : names)
        case let .ambiguous(candidates: names):
            throw ErrorReply(.ambiguousTarget, "several are called '\(text)'", candidates: names)
        }
    }
}

extension Command.Power {
    fileprivate var turn: Turn { self == .on ? .on : .off }
}

extension Command.Value {
    fileprivate var value: Light.Value {
        switch self {
        case .brightness: .brightness
        case .saturation: .saturation
        case .hue: .hue
        case .temperature: .temperature
        }
    }
}

extension Command.Powerup {
    fileprivate var powerup: Light.Powerup {
        switch self {
        case .safety: .safety
        case .powerfail: .powerfail
        case .lastOnState: .lastOnState
        case .custom: .custom
        }
    }
}

extension Command.Display {
    fileprivate var interface: Light.Interface {
        switch self {
        case .slider: .slider
        case .scrubbing: .scrubbing
        }
    }
}

private func transition(_ milliseconds: Int?) throws(ErrorReply) -> Transition {
    guard let milliseconds else { return .usual }
    guard (0...Transition.longest).contains(milliseconds) else {
        throw ErrorReply(
            .invalid, "'over' is \(milliseconds), but a change takes 0 to \(Transition.longest) milliseconds")
    }
    return .milliseconds(milliseconds)
}

private func steps(_ count: Int) throws(ErrorReply) -> Int {
    guard count >= 1 else { throw ErrorReply(.invalid, "'steps' is \(count), but at least one command is taken") }
    return count
}

private func step(_ points: Double) throws(ErrorReply) -> Message.Lighting.Increment {
    .pt(try held(points, "by", to: 0...100))
}

private func held(_ value: Double, _ field: String, to range: ClosedRange<Double>) throws(ErrorReply) -> Double {
    guard range.contains(value) else {
        throw ErrorReply(
            .invalid, "'\(field)' is \(value), but it goes from \(Int(range.lowerBound)) to \(Int(range.upperBound))")
    }
    return value
}
