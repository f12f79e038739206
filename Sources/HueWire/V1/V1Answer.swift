/// The answer to every write of API v1, and to every refused request: an array with one element for each attribute.
public struct V1Answer: Hashable, Decodable, Sendable {
    /// What was done: "/lights/1/state/on" and similar.
    public let done: [String]
    public let errors: [V1Error]
    /// The id of what was created: a number for a group, some fifteen characters for a scene.
    public let created: String?

    private struct Item: Decodable {
        let success: JSONValue?
        let error: V1Error?

        enum CodingKeys: String, CodingKey { case success, error }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            // Anything counts as an error, however it is written: a dropped one would read as success.
            success = container.contains(.success) ? (container.feature(.success) ?? .null) : nil
            error =
                container.contains(.error)
                ? (container.feature(.error) ?? V1Error(0, address: "", "an error without words")) : nil
        }
    }

    public init(from decoder: any Decoder) throws {
        let items = try decoder.singleValueContainer().decode([Item].self)
        errors = items.compactMap(\.error)
        created = items.lazy.compactMap { $0.success?["id"]?.string }.first
        done = items.flatMap { item -> [String] in
            switch item.success {
            case nil: []
            case let .object(members)?: members.keys.sorted()
            case let .string(words)?: [words]
            default: [""]
            }
        }
    }
}

/// A collection of API v1: an object whose members are named by their ids. A member that cannot be read is noted, and
/// never fatal.
public struct V1List<Element: Decodable & Sendable>: Decodable, Sendable {
    /// In the order of their numbers; the object itself has no order.
    public let members: [Member]
    /// Why members were skipped.
    public let unreadable: [String]

    public struct Member: Sendable {
        /// "1", "2"… for lights and groups, some fifteen characters for scenes.
        public let id: String
        public let value: Element
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        var members: [Member] = []
        var unreadable: [String] = []
        for name in container.allKeys.sorted(by: Self.isBefore) {
            guard ResourceID.isUsable(name.stringValue) else {
                unreadable.append("an id that no resource has")
                continue
            }
            let element = try container.decode(Lenient<Element>.self, forKey: name)
            if let value = element.value { members.append(Member(id: name.stringValue, value: value)) }
            if let problem = element.problem { unreadable.append("\(name.stringValue): \(problem)") }
        }
        self.members = members
        self.unreadable = unreadable
    }

    /// An empty list, for what a bridge does not have at all.
    public init() { (members, unreadable) = ([], []) }

    public subscript(_ id: String) -> Element? { members.first { $0.id == id }?.value }

    private static func isBefore(_ one: Name, _ other: Name) -> Bool {
        let (first, second) = (Int(one.stringValue), Int(other.stringValue))
        return (first ?? .max, one.stringValue) < (second ?? .max, other.stringValue)
    }
}
