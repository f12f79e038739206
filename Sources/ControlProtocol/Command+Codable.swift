extension Command: Codable {
    /// Every field that any verb knows.
    private enum Field: String, CodingKey, CaseIterable {
        case command, to, target, over, brightness, color, hue, saturation, temperature, value, by, name, scene,
            seconds, bridge
        case place, display, days, steps, preset, wait
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        let intValue: Int? = nil
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private enum Verb: String, Codable, CaseIterable {
        case turn, toggle, set, increase, decrease, rename, recall, load, discover, pair, forget, pin, unpin, move,
            display, prune, undo, redo, powerup

        /// `wait` is read by ``CommandRequest``: it is about the answer.
        var fields: Set<Field> {
            switch self {
            case .turn: [.to, .target, .over, .wait]
            case .toggle: [.target, .over, .wait]
            case .set: [.target, .over, .brightness, .color, .hue, .saturation, .temperature, .wait]
            case .increase, .decrease: [.value, .by, .target, .over, .wait]
            case .rename: [.target, .name]
            case .recall: [.scene, .over, .wait]
            case .undo, .redo: [.steps, .over, .wait]
            case .powerup: [.target, .preset]
            case .load: []
            case .discover: [.seconds]
            case .pair: [.bridge, .seconds]
            case .forget: [.bridge]
            case .pin, .unpin: [.target]
            case .move: [.target, .place]
            case .display: [.target, .display]
            case .prune: [.days]
            }
        }
    }

    public init(from decoder: any Decoder) throws {
        let all = try decoder.container(keyedBy: AnyKey.self)
        let fields = try decoder.container(keyedBy: Field.self)
        let word = try fields.decode(String.self, forKey: .command)
        guard let verb = Verb(rawValue: word) else {
            let known = Verb.allCases.map(\.rawValue).joined(separator: ", ")
            throw DecodingError.dataCorruptedError(
                forKey: .command,
                in: fields,
                debugDescription: "there is no command '\(word)'; there are \(known)"
            )
        }
        for key in all.allKeys where key.stringValue != Field.command.rawValue {
            guard let field = Field(rawValue: key.stringValue), verb.fields.contains(field) else {
                let known = verb.fields.map(\.rawValue).sorted().joined(separator: ", ")
                throw DecodingError.dataCorruptedError(
                    forKey: key,
                    in: all,
                    debugDescription:
                        "'\(word)' has no field '\(key.stringValue)'; it has \(known.isEmpty ? "none" : known)"
                )
            }
        }
        func text(_ field: Field) throws -> String { try fields.decode(String.self, forKey: field) }
        func over() throws -> Int? { try fields.decodeIfPresent(Int.self, forKey: .over) }
        switch verb {
        case .turn:
            self = .turn(to: try fields.decode(Power.self, forKey: .to), target: try text(.target), over: try over())
        case .toggle: self = .toggle(target: try text(.target), over: try over())
        case .set:
            let values = Values(
                brightness: try fields.decodeIfPresent(Double.self, forKey: .brightness),
                color: try fields.decodeIfPresent(String.self, forKey: .color),
                hue: try fields.decodeIfPresent(Double.self, forKey: .hue),
                saturation: try fields.decodeIfPresent(Double.self, forKey: .saturation),
                temperature: try fields.decodeIfPresent(Int.self, forKey: .temperature)
            )
            self = .set(values, target: try text(.target), over: try over())
        case .increase, .decrease:
            let value = try fields.decode(Value.self, forKey: .value)
            let by = try fields.decodeIfPresent(Double.self, forKey: .by) ?? 10
            let (target, over) = (try text(.target), try over())
            self =
                verb == .increase
                ? .increase(value, by: by, target: target, over: over)
                : .decrease(value, by: by, target: target, over: over)
        case .rename: self = .rename(target: try text(.target), name: try text(.name))
        case .recall: self = .recall(scene: try text(.scene), over: try over())
        case .load: self = .load
        case .discover: self = .discover(seconds: try fields.decodeIfPresent(Double.self, forKey: .seconds) ?? 3)
        case .pair:
            self = .pair(
                bridge: try fields.decodeIfPresent(String.self, forKey: .bridge),
                seconds: try fields.decodeIfPresent(Double.self, forKey: .seconds) ?? 30
            )
        case .forget: self = .forget(bridge: try text(.bridge))
        case .pin: self = .pin(target: try text(.target))
        case .unpin: self = .unpin(target: try text(.target))
        case .move: self = .move(target: try text(.target), place: try fields.decode(Int.self, forKey: .place))
        case .display:
            self = .display(target: try text(.target), as: try fields.decode(Display.self, forKey: .display))
        case .undo, .redo:
            let steps = try fields.decodeIfPresent(Int.self, forKey: .steps) ?? 1
            self = verb == .undo ? .undo(steps: steps, over: try over()) : .redo(steps: steps, over: try over())
        case .powerup:
            self = .powerup(target: try text(.target), preset: try fields.decode(Powerup.self, forKey: .preset))
        case .prune: self = .prune(days: try fields.decode(Double.self, forKey: .days))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Field.self)
        func put(_ verb: Verb, target: String? = nil, over: Int? = nil) throws {
            try fields.encode(verb, forKey: .command)
            try fields.encodeIfPresent(target, forKey: .target)
            try fields.encodeIfPresent(over, forKey: .over)
        }
        switch self {
        case let .turn(to, target, over):
            try put(.turn, target: target, over: over)
            try fields.encode(to, forKey: .to)
        case let .toggle(target, over): try put(.toggle, target: target, over: over)
        case let .set(values, target, over):
            try put(.set, target: target, over: over)
            try fields.encodeIfPresent(values.brightness, forKey: .brightness)
            try fields.encodeIfPresent(values.color, forKey: .color)
            try fields.encodeIfPresent(values.hue, forKey: .hue)
            try fields.encodeIfPresent(values.saturation, forKey: .saturation)
            try fields.encodeIfPresent(values.temperature, forKey: .temperature)
        case let .increase(value, by, target, over), let .decrease(value, by, target, over):
            if case .increase = self {
                try put(.increase, target: target, over: over)
            } else {
                try put(.decrease, target: target, over: over)
            }
            try fields.encode(value, forKey: .value)
            try fields.encode(by, forKey: .by)
        case let .rename(target, name):
            try put(.rename, target: target)
            try fields.encode(name, forKey: .name)
        case let .recall(scene, over):
            try put(.recall, over: over)
            try fields.encode(scene, forKey: .scene)
        case let .undo(steps, over):
            try put(.undo, over: over)
            try fields.encode(steps, forKey: .steps)
        case let .redo(steps, over):
            try put(.redo, over: over)
            try fields.encode(steps, forKey: .steps)
        case let .powerup(target, preset):
            try put(.powerup, target: target)
            try fields.encode(preset, forKey: .preset)
        case .load: try put(.load)
        case let .discover(seconds):
            try put(.discover)
            try fields.encode(seconds, forKey: .seconds)
        case let .pair(bridge, seconds):
            try put(.pair)
            try fields.encodeIfPresent(bridge, forKey: .bridge)
            try fields.encode(seconds, forKey: .seconds)
        case let .forget(bridge):
            try put(.forget)
            try fields.encode(bridge, forKey: .bridge)
        case let .pin(target): try put(.pin, target: target)
        case let .unpin(target): try put(.unpin, target: target)
        case let .move(target, place):
            try put(.move, target: target)
            try fields.encode(place, forKey: .place)
        case let .display(target, display):
            try put(.display, target: target)
            try fields.encode(display, forKey: .display)
        case let .prune(days):
            try put(.prune)
            try fields.encode(days, forKey: .days)
        }
    }
}
