/// What a field holds: text, one of a few words, or a number in a range.
struct ValueKind<Value: Codable & Sendable>: Sendable {
    private var form = JSONSchema()
    /// What is wrong with a value of this subject: "'hue'", "'hue' of 'Desk'".
    private var objection: @Sendable (Value, _ subject: String) -> String? = { _, _ in nil }
    /// What to do about that, if the field's description does not say it.
    private var hint: @Sendable (Value) -> String? = { _ in nil }
    private var decode: @Sendable (KeyedDecodingContainer<CommandKey>, CommandKey) throws -> Value = {
        try $0.decode(Value.self, forKey: $1)
    }
    private(set) var asDefault: @Sendable (Value) -> JSONSchema.Default? = { _ in nil }

    func schema(_ summary: String) -> JSONSchema {
        var schema = form
        schema.description = summary
        return schema
    }

    func read(_ fields: KeyedDecodingContainer<CommandKey>, _ key: CommandKey) throws -> Value {
        try decode(fields, key)
    }

    /// `nil` for a field that is left out or null.
    func readIfPresent(_ fields: KeyedDecodingContainer<CommandKey>, _ key: CommandKey) throws -> Value? {
        guard fields.contains(key), try !fields.decodeNil(forKey: key) else { return nil }
        return try decode(fields, key)
    }

    /// - Throws: `invalid` for a value out of range.
    func check(_ value: Value, _ name: String, _ summary: String) throws(ErrorReply) {
        if let words = objection(value, "'\(name)'") { throw ErrorReply(.invalid, words, hint: hint(value) ?? summary) }
    }

    func objection(to value: Value?, _ subject: String) -> String? {
        value.flatMap { objection($0, subject) }
    }
}

extension ValueKind<String> {
    static var text: Self { text(nil) }

    /// The length goes only into the schema: the domain checks it.
    static func text(_ length: ClosedRange<Int>?) -> Self {
        var kind = Self()
        kind.form.type = "string"
        (kind.form.minLength, kind.form.maxLength) = (length?.lowerBound, length?.upperBound)
        return kind
    }

    /// A new name: nothing in it may be invisible, or change the order in which a line is read.
    static func name(_ length: ClosedRange<Int>) -> Self {
        var kind = text(length)
        kind.objection = { value, _ in
            PrintableText.isPrintable(value) ? nil : "a name must consist of printable characters"
        }
        return kind
    }

    /// Text that must say something.
    static var nonEmptyText: Self {
        var kind = text
        kind.form.minLength = 1
        kind.objection = { value, subject in value.allSatisfy(\.isWhitespace) ? "\(subject) is empty" : nil }
        return kind
    }
}

extension ValueKind<Bool> {
    static var flag: Self {
        var kind = Self()
        kind.form.type = "boolean"
        return kind
    }
}

extension ValueKind<[String]> {
    /// Targets.
    static func targets(atLeast count: Int = 0) -> Self {
        var kind = Self()
        (kind.form.type, kind.form.items) = ("array", .each(.component("Target")))
        if count > 0 { kind.form.minItems = count }
        kind.objection = { value, subject in value.count < count ? "\(subject) names too few: at least \(count)" : nil }
        return kind
    }
}

extension ValueKind<[String]> {
    /// Colours.
    static func colors(_ count: ClosedRange<Int>) -> Self {
        var kind = Self()
        var color = JSONSchema()
        color.type = "string"
        (kind.form.type, kind.form.items) = ("array", .each(color))
        (kind.form.minItems, kind.form.maxItems) = (count.lowerBound, count.upperBound)
        kind.objection = { value, subject in
            count.contains(value.count)
                ? nil
                : "\(subject) has \(counted(value.count, "colour")): use \(count.lowerBound) to \(count.upperBound)"
        }
        return kind
    }

    /// Texts that a component of the schema describes, at least one. Reading one may take milliseconds, so they are
    /// bounded in number.
    static func atLeastOne(_ component: String) -> Self {
        let most = 100
        var kind = Self()
        (kind.form.type, kind.form.items) = ("array", .each(.component(component)))
        (kind.form.minItems, kind.form.maxItems) = (1, most)
        kind.objection = { value, subject in
            value.isEmpty
                ? "\(subject) is empty" : value.count > most ? "\(subject) has more than \(most) entries" : nil
        }
        return kind
    }
}

extension ValueKind where Value: RawRepresentable<String> {
    /// - Parameter offered: the values that the schema lists.
    static func choice(_ offered: [Value]) -> Self {
        var kind = Self()
        let words = offered.map(\.rawValue)
        kind.form.values = words
        kind.asDefault = { .text($0.rawValue) }
        kind.decode = { fields, key in
            let word = try fields.decode(String.self, forKey: key)
            guard let value = Value(rawValue: word) else {
                throw DecodingError.expected(enumeration(words, "or"), at: key, in: fields)
            }
            return value
        }
        return kind
    }
}

extension ValueKind<Double> {
    static func number(_ range: ClosedRange<Double>) -> Self {
        var kind = Self()
        (kind.form.type, kind.form.minimum, kind.form.maximum) = ("number", range.lowerBound, range.upperBound)
        kind.objection = { outOfRange($0, range, $1) }
        kind.asDefault = { .number($0) }
        return kind
    }
}

extension ValueKind<Int> {
    static func integer(_ range: ClosedRange<Int>) -> Self {
        var kind = Self()
        kind.form.type = "integer"
        (kind.form.minimum, kind.form.maximum) = (Double(range.lowerBound), Double(range.upperBound))
        let words = "\(range.lowerBound) to \(range.upperBound)"
        kind.objection = { outOfRange(Double($0), Double(range.lowerBound)...Double(range.upperBound), $1) }
        kind.asDefault = { .number(Double($0)) }
        // Read as an Int, a fraction would be reported as broken JSON.
        kind.decode = { fields, key in
            let number = try fields.decode(Double.self, forKey: key)
            guard let integer = Int(exactly: number) else {
                throw DecodingError.expected("a whole number from \(words)", at: key, in: fields)
            }
            return integer
        }
        return kind
    }
}

extension ValueKind<Int> {
    /// In an answer: whatever a bridge has reported.
    static var wholeNumber: Self {
        var kind = Self()
        kind.form.type = "integer"
        return kind
    }
}

// The values of lights, in the units in which lights are listed.

extension ValueKind<Double> {
    /// A brightness or a saturation, in per cent.
    static var level: Self { number(0...100) }
    /// A hue, in degrees.
    static var hue: Self { number(0...360) }
}

extension ValueKind<Int> {
    /// A white tone, at most 1000: who sends 2700 means kelvin.
    static var mirek: Self { integer(1...1000) }
    static var mirekWords: String { "Mirek: 1,000,000 divided by kelvin. Lamps take about 153 (cool) to 500 (warm)." }
}

extension ValueKind<[Command.LightState]> {
    static var lights: Self {
        var kind = Self()
        kind.form.type = "array"
        kind.form.items = .each(.component("LightState"))
        // As many as lightd is made for; what each of them means is looked up.
        kind.form.maxItems = 5000
        kind.objection = { lights, subject in
            if lights.count > 5000 { return "\(subject) has more than 5000 entries" }
            return repeated(lights) ?? firstOutOfRange(lights)?.words
        }
        kind.hint = { firstOutOfRange($0)?.hint }
        return kind
    }

    private static func firstOutOfRange(_ lights: [Command.LightState]) -> (words: String, hint: String)? {
        for light in lights {
            for field in LightValuesBody.fields {
                let subject = "'\(field.name)' of '\(light.id.prefix(100))'"
                if let words = field.objection(light.values, subject) { return (words, field.summary) }
            }
        }
        return nil
    }
}

/// Says that a light is listed more than once; `nil` if none is.
private func repeated(_ lights: [Command.LightState]) -> String? {
    var places: [String: Int] = [:]
    for (place, light) in lights.enumerated() {
        guard let first = places.updateValue(place, forKey: light.id.lowercased()) else { continue }
        return "'\((light.name ?? light.id).prefix(100))' is listed twice, as entry \(first + 1) and \(place + 1)"
    }
    return nil
}

/// Says that a number is not in its range; `nil` if it is.
private func outOfRange(_ value: Double, _ range: ClosedRange<Double>, _ subject: String) -> String? {
    guard !range.contains(value) else { return nil }
    return
        "\(subject) is \(shortest(value)), which is out of range: use \(Int(range.lowerBound)) to \(Int(range.upperBound))"
}
