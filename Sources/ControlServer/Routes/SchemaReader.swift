import ControlProtocol

/// A body of the API as a schema. Which fields it has, what they hold and which are always there is read off its type;
/// the notes say what a type cannot.
struct BodySchema: Sendable {
    let type: any (Decodable & Sendable).Type
    fileprivate let description: String?
    fileprivate let values: LightValuesBody.Place?
    fileprivate let isClosed: Bool
    fileprivate let notes: [String: Note]

    /// - Parameters:
    ///   - values: where the values of a light stand that are among its fields.
    ///   - isClosed: whether another field is refused.
    ///   - notes: by the field's name; of an object within by the path, as in "buttons.number"; of all fields called so
    ///     as in "*.since".
    init(
        _ type: any (Decodable & Sendable).Type, _ description: String? = nil, values: LightValuesBody.Place? = nil,
        isClosed: Bool = false, notes: [String: Note] = [:]
    ) {
        (self.type, self.description, self.values) = (type, description, values)
        (self.isClosed, self.notes) = (isClosed, notes)
    }

    /// The paths of the fields that have notes, but for those of all fields of a name.
    var notedPaths: [String] { notes.keys.filter { !$0.hasPrefix("*") } }

    /// What is added to the schema of one field; a text is its description.
    struct Note: Sendable, ExpressibleByStringInterpolation {
        fileprivate let change: @Sendable (inout JSONSchema) -> Void

        init(_ change: @escaping @Sendable (inout JSONSchema) -> Void) { self.change = change }
        init(stringLiteral description: String) { self.init { $0.description = description } }

        static let moment = moment(nil)
        static let date = Self { $0.format = "date" }
        static let percent = component("Percent")

        static func moment(_ description: String?) -> Self {
            Self { ($0.format, $0.description) = ("date-time", description) }
        }
        static func words(_ words: [String], _ description: String? = nil) -> Self {
            Self { ($0.type, $0.values, $0.description) = (nil, words, description) }
        }
        static func words<Word: CaseIterable & RawRepresentable<String>>(_: Word.Type) -> Self {
            words(Word.allCases.map(\.rawValue))
        }
        static func otherwise(_ value: String) -> Self { Self { $0.default = .text(value) } }
        /// What each element of an array is.
        static func each(_ note: Self) -> Self {
            Self {
                guard case .each(var element)? = $0.items else { return }
                note.change(&element)
                $0.items = .each(element)
            }
        }
        static func component(_ name: String) -> Self { Self { $0 = .component(name) } }
    }

    /// - Parameter inlined: bodies that have notes or values of their own and are no components.
    static func components(_ bodies: [String: BodySchema], inlined: [BodySchema]) throws -> [String: JSONSchema] {
        let known = bodies.map { SchemaReader.Known(name: $0, body: $1) } + inlined.map { .init(name: nil, body: $0) }
        let byType = Dictionary(uniqueKeysWithValues: known.map { (ObjectIdentifier($0.body.type), $0) })
        return try bodies.mapValues { try SchemaReader(body: $0, known: byType).schema(of: $0.type).schema }
    }
}

/// Reads the schema of a body off its `Decodable`: has it decode from a place where every field is there, and notes
/// what it asks for.
private struct SchemaReader {
    let body: BodySchema
    let known: [ObjectIdentifier: Known]

    struct Known {
        /// Among the components; `nil` if it is written where it is used.
        let name: String?
        let body: BodySchema
    }

    /// The schema of its body, and some value with which decoding goes on.
    func schema<Value: Decodable>(of type: Value.Type) throws -> (schema: JSONSchema, value: Value) {
        var (schema, value) = try plain(type, at: "")
        schema.description = body.description
        if body.isClosed { schema.additionalProperties = .refused }
        if let values = body.values {
            schema.properties?.merge(LightValuesBody.schemas(in: values)) { $1 }
        }
        return (schema, value)
    }

    /// The values of a light have rows of their own.
    func describes(_ field: String) -> Bool {
        body.values == nil || LightValuesBody.schemas(in: .list)[field] == nil
    }

    func note(at path: String) -> BodySchema.Note? {
        body.notes[path] ?? path.split(separator: ".").last.flatMap { body.notes["*.\($0)"] }
    }

    func read<Value: Decodable>(_ type: Value.Type, at path: String) throws -> (schema: JSONSchema, value: Value) {
        guard let other = known[ObjectIdentifier(type)] else { return try plain(type, at: path) }
        let (schema, value) = try SchemaReader(body: other.body, known: known).schema(of: type)
        return (other.name.map(JSONSchema.component) ?? schema, value)
    }

    private func plain<Value: Decodable>(_ type: Value.Type, at path: String) throws -> (
        schema: JSONSchema, value: Value
    ) {
        if let word = type as? any (CaseIterable & RawRepresentable<String>).Type,
            case let (schema, first) = words(of: word), let value = first as? Value
        {
            return (schema, value)
        }
        if let value = false as? Value { return (.of("boolean"), value) }
        if let value = "" as? Value { return (.of("string"), value) }
        if let value = 0.0 as? Value { return (.of("number"), value) }
        if let number = type as? any FixedWidthInteger.Type, let value = number.zero as? Value {
            return (.of("integer"), value)
        }
        let place = Place(reader: self, path: path)
        let value = try type.init(from: place)
        return (place.schema, value)
    }

    private func words<Word: CaseIterable & RawRepresentable<String>>(of _: Word.Type) -> (JSONSchema, Any?) {
        var schema = JSONSchema()
        schema.values = Word.allCases.map(\.rawValue)
        return (schema, Word.allCases.first)
    }
}

/// What a body decodes from.
private final class Place: Decoder {
    let reader: SchemaReader
    let path: String
    private(set) var schema = JSONSchema()
    private var optional: Set<String> = []
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    init(reader: SchemaReader, path: String) { (self.reader, self.path) = (reader, path) }

    /// A container of a kind that no body asks for.
    struct Unknown: Error {}

    func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedDecodingContainer<Key> {
        schema.type = "object"
        return KeyedDecodingContainer(Fields(place: self))
    }
    func unkeyedContainer() -> any UnkeyedDecodingContainer {
        schema.type = "array"
        return Elements(place: self)
    }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Unknown() }

    private func field<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value {
        let path = path.isEmpty ? name : "\(path).\(name)"
        var (schema, value) = try reader.read(type, at: path)
        reader.note(at: path)?.change(&schema)
        self.schema.properties = (self.schema.properties ?? [:]).merging([name: schema]) { $1 }
        if !optional.contains(name) { self.schema.required = (self.schema.required ?? []) + [name] }
        return value
    }

    private struct Fields<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let place: Place
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { [] }

        /// Only for a field that need not be there is this asked.
        func contains(_ key: Key) -> Bool {
            guard place.reader.describes(key.stringValue) else { return false }
            place.optional.insert(key.stringValue)
            return true
        }
        func decodeNil(forKey _: Key) -> Bool { false }
        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try place.field(type, key.stringValue)
        }
        func nestedContainer<Nested: CodingKey>(
            keyedBy _: Nested.Type, forKey _: Key
        ) throws -> KeyedDecodingContainer<Nested> { throw Unknown() }
        func nestedUnkeyedContainer(forKey _: Key) throws -> any UnkeyedDecodingContainer { throw Unknown() }
        func superDecoder() throws -> any Decoder { throw Unknown() }
        func superDecoder(forKey _: Key) throws -> any Decoder { throw Unknown() }
    }

    /// One element stands for all.
    private struct Elements: UnkeyedDecodingContainer {
        let place: Place
        let codingPath: [any CodingKey] = []
        let count: Int? = 1
        private(set) var currentIndex = 0
        var isAtEnd: Bool { currentIndex > 0 }

        init(place: Place) { self.place = place }

        mutating func decodeNil() -> Bool { false }
        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            let (schema, value) = try place.reader.read(type, at: place.path)
            place.schema.items = .each(schema)
            currentIndex += 1
            return value
        }
        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy _: Nested.Type
        ) throws -> KeyedDecodingContainer<Nested> { throw Unknown() }
        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Unknown() }
        mutating func superDecoder() throws -> any Decoder { throw Unknown() }
    }
}
