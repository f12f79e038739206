/// `/capabilities`: how much room a bridge has in all and has left. Only API v1 tells it, also on bridges that have API v2.
public struct V1Capabilities: Hashable, Decodable, Sendable {
    /// `nil` for what a bridge does not tell.
    public let lights: Room?
    public let groups: Room?
    public let scenes: Room?

    public struct Room: Hashable, Decodable, Sendable {
        public let available: Int
        public let total: Int

        /// `nil` for what makes no sense.
        fileprivate init?(_ value: JSONValue?) {
            guard let available = value?["available"]?.int, let total = value?["total"]?.int, total > 0,
                (0...total).contains(available)
            else { return nil }
            (self.available, self.total) = (available, total)
        }
    }

    private enum CodingKeys: String, CodingKey { case lights, groups, scenes }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        lights = Room(container.feature(.lights))
        groups = Room(container.feature(.groups))
        scenes = Room(container.feature(.scenes))
    }
}
