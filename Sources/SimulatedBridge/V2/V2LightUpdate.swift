import HueWire

/// The body of a PUT to a light or a grouped light, or of a light's action in a scene, after the schema check.
struct V2LightUpdate: Equatable, Sendable {
    var on: Bool?
    /// Per cent.
    var brightness: Double?
    /// Points up or down.
    var step: Double?
    var mirek: Int?
    var mirekStep: Int?
    var xy: XY?
    /// Stops a running fade of the level, or of the white.
    var stopsLevel = false
    var stopsTint = false
    var gradient: [XY]?
    var gradientMode: String?
    var effect: Effect?
    /// The fade duration; 400 ms by default.
    var duration: Duration = .milliseconds(400)
    /// Whether a duration was given.
    var hasDuration = false
    /// Of a running palette or effect, 0…1.
    var speed: Double?
    var alert = false
    var identify = false
    var signal: Signal?
    var powerup: Powerup?
    var name: String?
    var archetype: String?
    var function: String?

    /// An effect, and the attribute that requested it.
    struct Effect: Equatable, Sendable {
        var attribute: String
        var name: String
        var parameters: JSONValue?
        var milliseconds: Int?
    }

    struct Signal: Equatable, Sendable {
        var name: String
        var milliseconds: Int
        var colors: [XY]
    }

    /// Checks the body as a bridge does: refuses it as a whole if one property is unknown, of another type, or out of
    /// range.
    init(_ fields: V2Body, for type: ResourceType = .light) throws(V2Failure) {
        try fields.only(Self.known[type] ?? [])
        try readLightState(fields)
        try readSteps(fields)
        if let dynamics = try fields.object("dynamics") {
            if let milliseconds = try dynamics.number("duration", 0...6_000_000) {
                duration = .milliseconds(Int64(milliseconds))
                hasDuration = true
            }
            speed = try dynamics.number("speed", 0...1)
        }
        try readEffects(fields)
        if let alert = try fields.object("alert") {
            _ = try alert.need("action", alert.word("action", ["breathe"]))
            self.alert = true
        }
        if let identify = try fields.object("identify") {
            _ = try identify.need("action", identify.word("action", ["identify"]))
            self.identify = true
        }
        if let signaling = try fields.object("signaling") { signal = try Signal(signaling) }
        powerup = try fields.object("powerup").map { fields throws(V2Failure) in try Powerup(fields) }
        if let metadata = try fields.object("metadata") {
            name = try metadata.text("name")
            archetype = try metadata.word("archetype", Archetypes.devices)
            function = try metadata.word("function", ["functional", "decorative", "mixed", "unknown"])
        }
    }

    private mutating func readLightState(_ fields: V2Body) throws(V2Failure) {
        if let part = try fields.object("on") {
            on = try part.need("on", part.bool("on"))
        }
        if let part = try fields.object("dimming") {
            brightness = try part.need("brightness", part.number("brightness", 0...100))
        }
        if let part = try fields.object("color_temperature") {
            // The schema of the API, not of the lamp: newer lamps go from 50 to 1000.
            mirek = Int(try part.need("mirek", part.number("mirek", 50...1000)))
        }
        xy = try fields.object("color").map { part throws(V2Failure) in try part.xy() }
        if let part = try fields.object("gradient") {
            var points: [XY] = []
            for point in try part.need("points", part.list("points", 2...5)) {
                points.append(try point.color())
            }
            gradient = points
            gradientMode = try part.word("mode", LampKind.gradientModes + ["segmented_palette"])
        }
    }

    private mutating func readSteps(_ fields: V2Body) throws(V2Failure) {
        for (property, delta, range) in [
            ("dimming_delta", "brightness_delta", 0.0...100), ("color_temperature_delta", "mirek_delta", 0.0...347),
        ] {
            guard let part = try fields.object(property) else { continue }
            let action = try part.need("action", part.word("action", ["up", "down", "stop"]))
            let isLevel = property == "dimming_delta"
            if action == "stop" {
                if isLevel { stopsLevel = true } else { stopsTint = true }
                continue
            }
            let size = try part.need(delta, part.number(delta, range))
            let way = action == "down" ? -size : size
            if isLevel { step = way } else { mirekStep = Int(way) }
        }
    }

    /// Effects in the three forms of successive firmware; the newest form takes precedence.
    private mutating func readEffects(_ fields: V2Body) throws(V2Failure) {
        if let part = try fields.object("effects") {
            effect = Effect(
                attribute: ".effects.effect",
                name: try part.need("effect", part.word("effect", Self.effects)))
        }
        if let part = try fields.object("timed_effects") {
            let name = try part.need("effect", part.word("effect", ["no_effect", "sunrise", "sunset"]))
            let milliseconds =
                try name == "no_effect"
                ? part.integer("duration", 0...21_600_000)
                : part.need("duration", part.integer("duration", 0...21_600_000))
            effect = Effect(attribute: ".timed_effects.effect", name: name, milliseconds: milliseconds)
        }
        if let action = try fields.object("effects_v2")?.inside("action") {
            let name = try action.need("effect", action.word("effect", Self.effects))
            if let parameters = try action.object("parameters") {
                _ = try parameters.object("color").map { part throws(V2Failure) in try part.xy() }
                _ = try parameters.object("color_temperature")?.number("mirek", 50...1000)
                _ = try parameters.number("speed", 0...1)
            }
            effect = Effect(
                attribute: ".effects_v2.action.effect", name: name, parameters: try action.value("parameters"))
        }
    }

    private static let effects: Set = Set(["no_effect"] + LampKind.color.effects)

    private static let lightState: Set = [
        "on", "dimming", "color_temperature", "color", "dynamics", "gradient", "effects", "effects_v2",
    ]
    /// A grouped light has no name, effects or power-on behaviour of its own.
    private static let known: [ResourceType: Set<String>] = [
        .light: lightState.union([
            "type", "dimming_delta", "color_temperature_delta", "alert", "identify", "signaling", "timed_effects",
            "powerup", "metadata",
        ]),
        .groupedLight: [
            "type", "on", "dimming", "dimming_delta", "color_temperature", "color_temperature_delta", "color",
            "dynamics", "alert", "signaling",
        ],
        .scene: lightState,
    ]
}

extension V2LightUpdate.Signal {
    fileprivate init(_ fields: V2Body) throws(V2Failure) {
        name = try fields.need("signal", fields.word("signal", ["no_signal", "on_off", "on_off_color", "alternating"]))
        let duration = try fields.integer("duration", 0...65_534_000)
        guard name == "no_signal" || duration != nil else { throw .missing(fields.memberPath("duration")) }
        // In steps of a second.
        milliseconds = (duration ?? 0) / 1000 * 1000
        // The OpenHue schema writes `color`, clients write `colors`.
        var points: [XY] = []
        for color in try fields.list(fields.has("colors") ? "colors" : "color", 1...2) ?? [] {
            points.append(try color.color())
        }
        colors = points
        let wanted = ["on_off_color": 1, "alternating": 2][name] ?? 0
        guard colors.count == wanted || wanted == 0 else {
            throw V2Failure("\(fields.memberPath("colors")) must be of \(wanted) elements for \(name)")
        }
    }
}

extension Powerup {
    /// Checks the parts of a custom behaviour. Only a custom one has parts.
    fileprivate init(_ fields: V2Body) throws(V2Failure) {
        let word = try fields.need("preset", fields.word("preset", Preset.allCases.map(\.rawValue)))
        let preset = Preset(rawValue: word) ?? .safety
        guard preset == .custom else {
            for part in ["color", "dimming", "on"] where fields.has(part) {
                throw V2Failure("\(fields.memberPath(part)) needs the preset custom")
            }
            self.init(preset)
            return
        }
        var custom: [String: JSONValue] = [:]
        if let part = try fields.object("on") {
            let mode = try part.need("mode", part.word("mode", ["on", "toggle", "previous"]))
            if mode == "on" {
                let on = try part.inside("on")
                _ = try on.need("on", on.bool("on"))
            }
            custom["on"] = try fields.value("on")
        }
        if let part = try fields.object("dimming") {
            let mode = try part.need("mode", part.word("mode", ["dimming", "previous"]))
            if mode == "dimming" {
                let dimming = try part.inside("dimming")
                _ = try dimming.need("brightness", dimming.number("brightness", 0...100))
            }
            custom["dimming"] = try fields.value("dimming")
        }
        if let part = try fields.object("color") {
            let mode = try part.need("mode", part.word("mode", ["color_temperature", "color", "previous"]))
            switch mode {
            case "color_temperature":
                let white = try part.inside(mode)
                _ = try white.need("mirek", white.integer("mirek", 50...1000))
            case "color":
                _ = try part.inside(mode).xy()
            default: break
            }
            custom["color"] = try fields.value("color")
        }
        self.init(.custom, custom: .object(custom))
    }
}
