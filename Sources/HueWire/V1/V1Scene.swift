/// A scene of API v1.
public struct V1Scene: Hashable, Decodable, Sendable {
    public let name: String?
    /// The number of its group; `nil` for a "LightScene", the only kind on firmware before API 1.28.
    public let group: String?
    /// By their numbers.
    public let lights: [String]
    /// What each light does, by its number; empty in a list of scenes.
    public let lightStates: [String: V1Light.State]

    private enum CodingKeys: String, CodingKey {
        case name, group, lights
        case lightStates = "lightstates"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = container.feature(.name)
        group = container.feature(.group)
        lights = container.list(.lights)
        lightStates = container.feature(.lightStates) ?? [:]
    }
}
