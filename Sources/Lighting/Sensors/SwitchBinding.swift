import HashTreeCollections

/// A switch or dial whose presses and turns lightd turns into commands to a room, or to whatever it is bound to.
public struct SwitchBinding: Identifiable, Equatable, Codable, Sendable {
    /// The switch.
    public let id: Sensor.ID
    public let target: Target
    /// The scenes that it recalls, in this order; `nil` for those of the room, in their order.
    public let scenes: [Scene.ID]?
    /// What the switch, the target and the scenes were called when it was bound, for people once they are gone.
    public let names: Journal.Names

    /// - Parameter names: `nil` before it is known what they are called.
    public init(
        of switch: Sensor.ID, to target: Target, scenes: [Scene.ID]? = nil, names: Journal.Names = Journal.Names()
    ) {
        id = `switch`
        self.target = target
        self.scenes = scenes
        self.names = names
    }
}

extension AppState {
    /// The scenes that a bound switch recalls, in their order. A smart one must have been named: it goes on by itself.
    public func scenes(of binding: SwitchBinding) -> [Scene.ID] {
        if let scenes = binding.scenes { return scenes }
        guard case let .room(room) = binding.target else { return [] }
        return scenes(of: room).filter { $0.smart == nil }.map(\.id)
    }

    /// What the switch of a binding is called, or was when it was bound.
    public func name(of binding: SwitchBinding) -> String {
        sensors[binding.id]?.name ?? binding.names.name(of: binding.id) ?? binding.id.description
    }
}
