/// An area in which lamps notice that somebody moves (MotionAware of a Bridge Pro). What they notice is reported by its
/// services, a `convenience_area_motion` and a `security_area_motion`.
public struct MotionAreaResource: Hashable, Decodable, Sendable, Identifiable {
    public let id: ResourceID
    public let name: String?
    /// The room that it is in.
    public let group: ResourceReference?
    /// Its services; empty in an event that does not name them.
    public let services: [ResourceReference]
    /// `nil` in an event that does not name it, like ``health``.
    public let isEnabled: Bool?
    /// "not_running" if its lamps are not able to notice anybody (home-assistant/core, its hue component).
    public let health: String?

    private enum CodingKeys: String, CodingKey { case id, name, group, services, enabled, health }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ResourceID.self, forKey: .id)
        name = container.feature(.name)
        group = container.feature(.group)
        services = container.list(.services)
        isEnabled = container.feature(.enabled)
        health = container.feature(.health)
    }
}
