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

    /// What a light does in a scene of deCONZ, which lists the states in place of the numbers.
    private struct OwnState: Decodable {
        let id: String
        let state: V1Light.State

        private enum CodingKeys: String, CodingKey { case id }

        init(from decoder: any Decoder) throws {
            id = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .id)
            state = try V1Light.State(from: decoder)
        }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = container.feature(.name)
        group = container.feature(.group)
        let own: [OwnState] = container.list(.lights)
        lights = own.isEmpty ? container.list(.lights) : own.map(\.id)
        lightStates =
            container.feature(.lightStates) ?? Dictionary(own.map { ($0.id, $0.state) }) { first, _ in first }
    }
}
