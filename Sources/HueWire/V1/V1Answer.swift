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
