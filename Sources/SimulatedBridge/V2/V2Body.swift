import HueWire

/// An object in a body of API v2, read by its schema: a member of another type or out of range ends the request with an
/// error that names the member's path. An optional member that is absent is `nil`. ``V1BodyReader`` says why API v1 has
/// a reader of its own.
struct V2Body: Sendable {
    private let path: String
    /// `nil` if the value is not an object; reading a member then fails.
    private let members: [String: JSONValue]?

    /// The whole body.
    init(_ body: JSONValue) throws(V2Failure) {
        guard let members = body.object else { throw V2Failure("body is not an object") }
        (path, self.members) = ("", members)
    }

    private init(_ value: JSONValue, at path: String) {
        self.path = path
        members = value.object
    }

    /// Refuses members that are not in the schema. The error names the first in alphabetical order, so that two runs
    /// are equal.
    func only(_ known: Set<String>) throws(V2Failure) {
        for name in (members ?? [:]).keys.sorted() where !known.contains(name) { throw .unknown(name) }
    }

    /// The path of a member in errors: "metadata.name".
    func memberPath(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    func has(_ name: String) -> Bool { members?[name] != nil }

    /// The value as written; `nil` if absent.
    func value(_ name: String) throws(V2Failure) -> JSONValue? {
        guard let members else { throw .missing(memberPath(name)) }
        return members[name]
    }

    /// A value that must be present.
    func need<Value>(_ name: String, _ value: Value?) throws(V2Failure) -> Value {
        guard let value else { throw .missing(memberPath(name)) }
        return value
    }

    private func one<Value>(_ name: String, _ convert: (JSONValue) -> Value?) throws(V2Failure) -> Value? {
        guard let value = try value(name) else { return nil }
        guard let converted = convert(value) else { throw .missing(memberPath(name)) }
        return converted
    }

    func bool(_ name: String) throws(V2Failure) -> Bool? { try one(name, \.bool) }

    func number(_ name: String, _ range: ClosedRange<Double>) throws(V2Failure) -> Double? {
        try within(range, try one(name, \.double), name)
    }

    func integer(_ name: String, _ range: ClosedRange<Int>) throws(V2Failure) -> Int? {
        try within(range, try one(name, \.int), name)
    }

    private func within<Number: Comparable>(_ range: ClosedRange<Number>, _ value: Number?, _ name: String)
        throws(V2Failure) -> Number?
    {
        guard let value, !range.contains(value) else { return value }
        throw V2Failure("\(memberPath(name)) must be between \(range.lowerBound) and \(range.upperBound)")
    }

    /// A string of a length in this range.
    func text(_ name: String, _ length: ClosedRange<Int> = 1...32) throws(V2Failure) -> String? {
        guard let value = try value(name) else { return nil }
        guard let text = value.string, length.contains(text.unicodeScalars.count) else {
            throw V2Failure("\(memberPath(name)) must be of \(length.lowerBound) to \(length.upperBound) characters")
        }
        return text
    }

    /// One of a few words.
    func word(_ name: String, _ known: some Collection<String>) throws(V2Failure) -> String? {
        guard let word = try one(name, \.string) else { return nil }
        guard known.contains(word) else { throw V2Failure("\(memberPath(name)) is not known") }
        return word
    }

    /// A nested object; if it is not an object, reading a member fails.
    func object(_ name: String) throws(V2Failure) -> V2Body? {
        try value(name).map { V2Body($0, at: memberPath(name)) }
    }

    /// A nested object that must be present: if it is absent, reading a member fails.
    func inside(_ name: String) throws(V2Failure) -> V2Body { try object(name) ?? V2Body(.null, at: memberPath(name)) }

    /// A list of objects, with a length in this range.
    func list(_ name: String, _ count: ClosedRange<Int> = 0...1000) throws(V2Failure) -> [V2Body]? {
        guard let values = try one(name, \.array) else { return nil }
        guard count.contains(values.count) else {
            throw V2Failure("\(memberPath(name)) must be of \(count.lowerBound) to \(count.upperBound) elements")
        }
        return values.enumerated().map { V2Body($1, at: "\(memberPath(name))[\($0)]") }
    }

    /// A reference to a resource of one of these types.
    func reference(_ name: String, _ types: Set<ResourceType>) throws(V2Failure) -> ResourceReference? {
        guard let fields = try object(name) else { return nil }
        return try fields.reference(types)
    }

    /// References to distinct resources.
    func references(_ name: String, _ types: Set<ResourceType>) throws(V2Failure) -> [ResourceReference]? {
        guard let all = try list(name) else { return nil }
        var references: [ResourceReference] = []
        for fields in all {
            let reference = try fields.reference(types)
            guard !references.contains(reference) else { throw V2Failure("\(fields.path) is there twice") }
            references.append(reference)
        }
        return references
    }

    private func reference(_ types: Set<ResourceType>) throws(V2Failure) -> ResourceReference {
        let id = try need("rid", one("rid", \.string))
        let type = try need("rtype", word("rtype", types.map(\.rawValue)))
        return ResourceReference(ResourceID(id), ResourceType(rawValue: type))
    }

    /// The point in `{"color":{"xy":{"x":…,"y":…}}}` or in `{"xy":{"x":…,"y":…}}`.
    func color() throws(V2Failure) -> XY { try (object("color") ?? self).xy() }

    /// The point in `{"xy":{"x":…,"y":…}}`, each 0…1.
    func xy() throws(V2Failure) -> XY {
        let point = try inside("xy")
        return XY(x: try point.need("x", point.number("x", 0...1)), y: try point.need("y", point.number("y", 0...1)))
    }

    /// `metadata.name`, if present.
    func name() throws(V2Failure) -> String? { try object("metadata")?.text("name") }
}
