import AnyJSON
import CommandGrammar
import ControlProtocol

extension MCPTool {
    /// What only looks. Each asks what the verb of the same name asks, and answers with what that prints on a terminal.
    static let reading = [
        MCPTool(
            "list",
            """
            List what the home has, and what it shows: lights with their room, state and colour; rooms and zones; scenes; \
            sensors and switches; automations; timers; bridges; which switch is bound to what; which lights follow a curve \
            over the day.
            """,
            [
                Field("what", .choice(Listed.allCases.map(\.rawValue)), "What to list; lights if left out."),
                Field("target", .text, "Of lights and sensors only these: a name, @room, all, or an id."),
            ]
        ) { session, arguments in
            let what = try arguments.choice("what", of: Listed.self) ?? .lights
            return try session.list(what, try arguments.text("target"))
        },
        MCPTool(
            "show", "Show every detail of a light, of all lights of a room, or of a sensor or switch.",
            [Field("target", .text, "A light's or sensor's name, @room, all, or an id.", isRequired: true)]
        ) { session, arguments in
            let query = [(Routes.Query.target, try arguments.needed("target"))]
            let clock = WallClock.local()
            return try ShowCommand.lights {
                let lights: [LightBody] = try session.get(Routes.lights, query)
                return Outcome(
                    text: Details.lights(lights, on: session.terminal, clock), structured: ["lights": lights])
            } elseSensors: {
                let sensors: [SensorBody] = try session.get(Routes.sensors, query)
                return Outcome(
                    text: Details.sensors(sensors, on: session.terminal, clock), structured: ["sensors": sensors])
            }
        },
        MCPTool(
            "why", "Say who or what last changed lights, and when.",
            [Field("target", .text, "A light's name, @room, all, or an id.", isRequired: true)]
        ) { session, arguments in
            let lights: [LightBody] = try session.get(Routes.lights, [(.target, try arguments.needed("target"))])
            return Outcome(text: CauseText.lines(lights, on: session.terminal, .local()))
        },
        MCPTool(
            "log", "Read the journal, oldest first: who asked for what, what came of it, and what bridges reported.",
            [
                Field("target", .text, "Only entries about this: a light's or sensor's name, @room, all, or an id."),
                Field("by", .text, "Only what came from a sender, switch or sensor with this in its name."),
                Field("cause", .choice(CauseBody.Kind.allCases.map(\.rawValue)), "Only what was caused like this."),
                Field("since", .text, "From this age or local time on: 1h, 2d, yesterday, 2026-11-21T10:00."),
                Field("until", .text, "Before this age or local time."),
                Field("limit", .integer, "At most this many entries, the newest; 50 if left out."),
            ], role: .readOnly
        ) { session, arguments in
            let clock = WallClock.local()
            var query: [(Routes.Query, String)] = []
            func add(_ field: Routes.Query, _ value: String?) { if let value { query.append((field, value)) } }
            for field in [Routes.Query.target, .by] { add(field, try arguments.text(field.rawValue)) }
            add(.cause, try arguments.choice("cause", of: CauseBody.Kind.self)?.rawValue)
            for field in [Routes.Query.since, .until] { add(field, try arguments.moment(field.rawValue, clock)?.iso) }
            add(.limit, "\(try arguments.integer("limit") ?? 50)")
            let entries: [LogBody] = try session.get(Routes.log, query)
            return Outcome(text: LogText.lines(entries, on: session.terminal, clock))
        },
        MCPTool(
            "preview",
            "Preview automations: what the clock would start on a day, what would keep it from that, and the sun's times.",
            [Field("date", .text, "today, tomorrow, or a day such as 2026-12-24; today if left out.")]
        ) { session, arguments in
            let day: AutomationPreviewBody = try session.get(
                Routes.preview, try arguments.text("date").map { [(.date, $0)] } ?? [])
            return Outcome(text: AutomationText.preview(day, on: session.terminal), structured: day)
        },
    ]

    private init(
        _ name: String, _ summary: String, _ fields: [Field], role: TokenAccess = .look,
        _ call: @escaping @Sendable (Session, Arguments) throws -> Outcome
    ) {
        self.init(
            name: name, summary: summary, role: role,
            input: .object(
                Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.schema) }),
                required: fields.filter(\.isRequired).map(\.name)),
            effect: .none
        ) { session, members in
            let known = fields.map(\.name)
            if let unknown = members.keys.filter({ !known.contains($0) }).min() {
                throw ErrorReply(
                    .invalid, "'\(name)' has no field '\(unknown)'; " + didYouMean(unknown, of: known, else: "it has"))
            }
            return try call(session, Arguments(members: members))
        }
    }
}

/// What `list` lists.
private enum Listed: String, CaseIterable {
    case lights, rooms, scenes, sensors, automations, timers, bridges, bindings, followings
}

extension Session {
    fileprivate func list(_ what: Listed, _ target: String?) throws -> MCPTool.Outcome {
        let clock = WallClock.local()
        guard target == nil || [.lights, .sensors].contains(what) else {
            throw ErrorReply(.invalid, "'target' is for lights and sensors: all \(what.rawValue) are listed")
        }
        let query = target.map { [(Routes.Query.target, $0)] } ?? []
        func names(_ bridges: [String]) throws -> [String: String] { try ListCommand.bridges(bridges, self) }
        func listed<Body: Decodable>(_ path: String, _ text: ([Body]) throws -> String) throws -> MCPTool.Outcome {
            let document = try document(path, query)
            let text = try text(try client.decoded([Body].self, document.json))
            do {
                try requireLights(of: document.unreadBridges, in: "list")
                return MCPTool.Outcome(text: text)
            } catch let incomplete as ErrorReply {
                return MCPTool.Outcome(text: text + "\n" + incomplete.text, isError: true)
            }
        }
        return switch what {
        case .lights:
            try listed(Routes.lights) { Lists.lights($0, on: terminal, clock, bridges: try names($0.map(\.bridge))) }
        case .rooms: try listed(Routes.rooms) { Lists.rooms($0, on: terminal, bridges: try names($0.map(\.bridge))) }
        case .scenes: try listed(Routes.scenes) { Lists.scenes($0, on: terminal, bridges: try names($0.map(\.bridge))) }
        case .sensors:
            try listed(Routes.sensors) { Lists.sensors($0, on: terminal, clock, bridges: try names($0.map(\.bridge))) }
        case .automations: try listed(Routes.automations) { AutomationText.list($0, on: terminal, clock) }
        case .timers: try listed(Routes.timers) { AutomationText.timers($0, on: terminal, clock) }
        case .bridges: try listed(Routes.bridges) { Lists.bridges($0, on: terminal, clock) }
        case .bindings: try listed(Routes.bindings) { Lists.bindings($0, on: terminal) }
        case .followings: try listed(Routes.followings) { FollowingText.list($0, on: terminal, clock) }
        }
    }
}

/// A field of a tool that only looks.
private struct Field {
    enum Kind {
        case text, integer
        case choice([String])
    }

    let name: String
    let schema: JSONSchema
    let isRequired: Bool

    init(_ name: String, _ kind: Kind, _ summary: String, isRequired: Bool = false) {
        (self.name, self.isRequired) = (name, isRequired)
        var schema = JSONSchema()
        schema.description = summary
        switch kind {
        case .text: schema.type = "string"
        case .integer: schema.type = "integer"
        case let .choice(words): (schema.type, schema.values) = ("string", words)
        }
        self.schema = schema
    }
}

/// What was given for the fields of a tool that only looks. One that is null was left out.
private struct Arguments {
    let members: [String: JSONValue]

    func text(_ name: String) throws(ErrorReply) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.string else { throw ErrorReply(.invalid, "'\(name)' must be text") }
        return text
    }

    func needed(_ name: String) throws(ErrorReply) -> String {
        guard let text = try text(name) else { throw ErrorReply(.invalid, "'\(name)' is missing") }
        return text
    }

    func integer(_ name: String) throws(ErrorReply) -> Int? {
        guard let value = value(name) else { return nil }
        guard let number = value.int else { throw ErrorReply(.invalid, "'\(name)' must be a whole number") }
        return number
    }

    func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String, of type: Choice.Type
    ) throws(ErrorReply) -> Choice? {
        guard let text = try text(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let words = didYouMean(text, of: Choice.allCases.map(\.rawValue), else: "use one of")
            throw ErrorReply(.invalid, "'\(name)' cannot be '\(text)'; \(words)")
        }
        return choice
    }

    func moment(_ name: String, _ clock: WallClock) throws(ErrorReply) -> Moment? {
        guard let text = try text(name) else { return nil }
        do throws(ArgumentError) {
            return try Since(argument: text).moment(in: clock)
        } catch {
            throw ErrorReply(.invalid, "'\(name)' cannot be '\(text)': \(error)")
        }
    }

    private func value(_ name: String) -> JSONValue? { members[name].flatMap { $0 == .null ? nil : $0 } }
}
