/// The gateway to scenes, which bridges keep. Recalling one is a command to lights: ``LightStack/recall``.
///
/// Each function returns at once and calls its reply exactly once, as those of ``RoomStack`` do.
public struct SceneStack: Sendable {
    /// Creates a scene that stores what these lights of a room or zone show, after what was asked of them before.
    public var save: @Sendable (String, [Light.ID], Room.ID, @escaping Reply<Result<Scene.ID, Failure>>) -> Void
    /// Stores what the scene's lights show now. Bridges do not report that: the reply comes with the bridge's answer.
    public var update: @Sendable (Scene.ID, @escaping Reply<Outcome>) -> Void
    public var rename: @Sendable (Scene.ID, String, @escaping Reply<Outcome>) -> Void
    public var delete: @Sendable (Scene.ID, @escaping Reply<Outcome>) -> Void
    /// Reads from the bridge what the scene sets on each of its lights.
    public var read: @Sendable (Scene.ID, @escaping Reply<Result<[DesiredState], Failure>>) -> Void

    public init(
        save: @escaping @Sendable (String, [Light.ID], Room.ID, @escaping Reply<Result<Scene.ID, Failure>>) -> Void,
        update: @escaping @Sendable (Scene.ID, @escaping Reply<Outcome>) -> Void,
        rename: @escaping @Sendable (Scene.ID, String, @escaping Reply<Outcome>) -> Void,
        delete: @escaping @Sendable (Scene.ID, @escaping Reply<Outcome>) -> Void,
        read: @escaping @Sendable (Scene.ID, @escaping Reply<Result<[DesiredState], Failure>>) -> Void
    ) {
        self.save = save
        self.update = update
        self.rename = rename
        self.delete = delete
        self.read = read
    }
}
