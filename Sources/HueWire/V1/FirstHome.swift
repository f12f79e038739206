/// `GET /api/KEY`: everything that a bridge has, in one document.
public struct FirstHome: Decodable, Sendable {
    public let lights: FirstList<FirstLight>
    /// All but the group 0, which is every light and in no list.
    public let groups: FirstList<FirstGroup>
    public let scenes: FirstList<FirstScene>
    public let config: PublicConfig?

    private enum CodingKeys: String, CodingKey { case lights, groups, scenes, config }

    /// - Throws: where it has no list of lights: half an answer is not an empty home.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        lights = try container.decode(FirstList<FirstLight>.self, forKey: .lights)
        groups = container.feature(.groups) ?? FirstList()
        scenes = container.feature(.scenes) ?? FirstList()
        config = container.feature(.config)
    }

    /// Why elements were passed over.
    public var unreadable: [String] {
        lights.unreadable.map { "light \($0)" } + groups.unreadable.map { "group \($0)" }
            + scenes.unreadable.map { "scene \($0)" }
    }
}
