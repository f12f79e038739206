/// `GET /api/KEY`: everything that a bridge has, in one document.
public struct V1Home: Decodable, Sendable {
    public let lights: V1List<V1Light>
    /// All but group 0, which is every light and in no list.
    public let groups: V1List<V1Group>
    public let scenes: V1List<V1Scene>
    public let sensors: V1List<V1Sensor>
    public let config: PublicConfig?

    private enum CodingKeys: String, CodingKey { case lights, groups, scenes, sensors, config }

    /// - Throws: if it has no list of lights: half an answer is not an empty home.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        lights = try container.decode(V1List<V1Light>.self, forKey: .lights)
        groups = container.feature(.groups) ?? V1List()
        scenes = container.feature(.scenes) ?? V1List()
        sensors = container.feature(.sensors) ?? V1List()
        config = container.feature(.config)
    }

    /// Why elements were skipped.
    public var unreadable: [String] {
        lights.unreadable.map { "light \($0)" } + groups.unreadable.map { "group \($0)" }
            + scenes.unreadable.map { "scene \($0)" } + sensors.unreadable.map { "sensor \($0)" }
    }
}
