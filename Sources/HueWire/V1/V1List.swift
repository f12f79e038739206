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
