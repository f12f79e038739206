/// Values of a light in the units of the API, as far as they are named: what a list shows, a scene sets, and commands ask
/// for. In JSON they stand flat beside the other fields of the body that has them. Each has a row in ``fields``.
public struct LightValuesBody: Hashable, Sendable {
    /// Per cent, 0…100; 0 is the lowest level, not off. Absent if the lamp cannot be dimmed.
    public var brightness: Double?
    /// In an answer "#rrggbb" at full brightness, for a swatch; absent for lamps without colours or white tones. In a
    /// command as ``LightColor`` reads it: hue and saturation, or a white tone; "hsb(…)" also gives the brightness if that
    /// is not named.
    public var color: String?
    /// Degrees, 0…360; absent if the lamp has no colours.
    public var hue: Double?
    /// Per cent, 0…100; absent if the lamp has no colours.
    public var saturation: Double?
    /// Mirek; absent if the lamp has no white tones.
    public var temperature: Int?
    /// Which of colour and white tone the lamp shows; absent if that is unknown.
    public var mode: Mode?
    /// Colours from one end of a strip to the other, as in `color`; absent if the lamp shows one colour.
    public var gradient: [String]?
    /// How a strip arranges them; absent in a command leaves that as it is.
    public var gradientMode: GradientMode?
    /// What runs on the lamp, in its bridge's word: "candle", "prism". Absent in an answer if nothing does; in a command
    /// "none" ends what runs, and a colour or white tone without an effect does, too.
    public var effect: String?
    /// Per cent, 0…100; absent if the lamp does not say.
    public var effectSpeed: Double?
    /// The colour or white tone in which the effect runs, as in `color`; absent for its own.
    public var effectColor: String?
    /// How long a timed effect, such as "sunrise", takes in milliseconds; absent for one that goes on.
    public var effectDuration: Int?

    public enum GradientMode: String, Codable, Sendable, CaseIterable { case linear, mirrored, random, segmented }

    /// What `effect` is in a command that ends one.
    public static let noEffect = "none"
    /// What runs on a light that a dynamic scene moves. No command begins it but 'recall'.
    public static let dynamicPalette = "dynamic_palette"

    public enum Mode: String, Codable, Sendable, CaseIterable { case color, temperature }

    public init(
        brightness: Double? = nil, color: String? = nil, hue: Double? = nil, saturation: Double? = nil,
        temperature: Int? = nil, mode: Mode? = nil, gradient: [String]? = nil, gradientMode: GradientMode? = nil,
        effect: String? = nil, effectSpeed: Double? = nil, effectColor: String? = nil, effectDuration: Int? = nil
    ) {
        self.brightness = brightness
        self.color = color
        self.hue = hue
        self.saturation = saturation
        self.temperature = temperature
        self.mode = mode
        self.gradient = gradient
        self.gradientMode = gradientMode
        self.effect = effect
        self.effectSpeed = effectSpeed
        self.effectColor = effectColor
        self.effectDuration = effectDuration
    }

    static let fields = [
        LightField("brightness", \.brightness, .level, "Per cent; 0 is the lowest level, not off."),
        LightField(
            "color", \.color, .text,
            "A CSS name, #rrggbb, #rgb, rgb(255,136,0), rgb(100%,50%,0%), hsb(30,100%,80%), xy(0.6,0.3), 2700K or 370mirek. "
                + "Gives hue and saturation, or a white tone; hsb() also the brightness, if it is not given.",
            shown: "#rrggbb at full brightness, for a swatch."),
        LightField("hue", \.hue, .hue, "Degrees."),
        LightField("saturation", \.saturation, .level, "Per cent."),
        LightField(
            "temperature", \.temperature, .mirek, ValueKind<Int>.mirekWords, shown: "Mirek.", as: .wholeNumber),
        mode,
        LightField(
            "gradient", \.gradient, .colors(2...9),
            "Colours from one end of a strip to the other, each as in 'color'; how many a lamp takes, its limits say.",
            shown: "Each rgb(100%,50%,0%) at full brightness, from one end of a strip to the other."),
        LightField(
            "gradient_mode", \.gradientMode, .choice(LightValuesBody.GradientMode.allCases),
            "How a strip arranges them: from end to end, from the middle to both ends, mixed, or each in a segment. "
                + "As it is if left out."),
        LightField(
            "effect", \.effect, .nonEmptyText,
            "What is to run, in the bridge's word, such as candle or prism; none ends what runs, as does a colour or a "
                + "temperature without an effect. Over the colour beside it, or over what the lamp shows.",
            shown: "What runs on the lamp, in the bridge's word, such as candle or prism; absent if nothing does."),
        LightField("effect_speed", \.effectSpeed, .level, "Per cent."),
        LightField(
            "effect_color", \.effectColor, .text, "The colour or white tone in which the effect runs, as in 'color'."),
        LightField(
            "effect_duration", \.effectDuration, .integer(0...21_600_000),
            "How long a timed effect, such as sunrise, takes, in milliseconds; those need it, and others take none."),
    ]

    /// `apply` takes it beside others; nothing sets it.
    private static let mode = LightField(
        "mode", \.mode, .choice(Mode.allCases), "Which of colour and temperature is meant, if both are there.",
        shown: "Whether the lamp shows a colour or a white tone.")

    /// The rows of what `set` sets.
    static let settable = fields.filter { $0.name != mode.name }
}

/// A row of ``LightValuesBody/fields``: reading, writing, the check of the range and the schema of one value.
struct LightField: Sendable {
    let name: String
    /// What it is in a command.
    let summary: String
    let schema: JSONSchema
    /// In an answer.
    let shownSchema: JSONSchema
    let read: @Sendable (KeyedDecodingContainer<CommandKey>, inout LightValuesBody) throws -> Void
    let write: @Sendable (LightValuesBody, inout KeyedEncodingContainer<CommandKey>) throws -> Void
    /// What is wrong with its value, if it is out of range: "'hue' of 'Desk' is 400, which …".
    let objection: @Sendable (LightValuesBody, _ subject: String) -> String?

    /// - Parameters:
    ///   - shown: what it is in an answer, if that is something else.
    ///   - shownKind: what an answer may hold, if that is more than a command may ask for.
    init<Value>(
        _ name: String, _ path: any WritableKeyPath<LightValuesBody, Value?> & Sendable, _ kind: ValueKind<Value>,
        _ summary: String, shown: String? = nil, as shownKind: ValueKind<Value>? = nil
    ) {
        let key = CommandKey(name)
        self.name = name
        self.summary = summary
        schema = kind.schema(summary)
        shownSchema = (shownKind ?? kind).schema(shown ?? summary)
        read = { $1[keyPath: path] = try kind.readIfPresent($0, key) }
        write = { try $1.encodeIfPresent($0[keyPath: path], forKey: key) }
        objection = { kind.objection(to: $0[keyPath: path], $1) }
    }
}

extension LightValuesBody: Codable {
    public init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: CommandKey.self)
        for field in Self.fields { try field.read(container, &self) }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CommandKey.self)
        for field in Self.fields { try field.write(self, &container) }
    }
}

extension LightValuesBody {
    /// Where its fields stand: in a list of lights, in what a scene sets, in what a light is to show.
    public enum Place: Sendable { case list, scene, wish }

    /// The schemas of its fields there, by their names. In a wish each may be null.
    public static func schemas(in place: Place) -> [String: JSONSchema] {
        let rows = place == .scene ? settable : fields
        return Dictionary(
            uniqueKeysWithValues: rows.map { ($0.name, place == .wish ? $0.schema.orNull : $0.shownSchema) })
    }
}
