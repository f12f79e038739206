/// The gateway to rooms and zones, which bridges keep.
///
/// Each function returns at once and calls its reply exactly once: when the bridge has reported the change, so that the
/// update arrives before the reply, or with `unconfirmed` if it has accepted the change and does not report it in time.
public struct RoomStack: Sendable {
    /// Creates a room or zone of these lights, which are all on this bridge. A room takes them from other rooms.
    public var create:
        @Sendable (RoomKind, String, [Light.ID], Bridge.ID, @escaping Reply<Result<Room.ID, Failure>>) -> Void
    /// Puts lights of the same bridge into it. A room takes them from other rooms.
    public var add: @Sendable ([Light.ID], Room.ID, @escaping Reply<Outcome>) -> Void
    public var remove: @Sendable ([Light.ID], Room.ID, @escaping Reply<Outcome>) -> Void
    /// Deletes it, and on the bridge its scenes with it; its lights stay.
    public var delete: @Sendable (Room.ID, @escaping Reply<Outcome>) -> Void

    public init(
        create:
            @escaping @Sendable (
                RoomKind, String, [Light.ID], Bridge.ID, @escaping Reply<Result<Room.ID, Failure>>
            ) -> Void,
        add: @escaping @Sendable ([Light.ID], Room.ID, @escaping Reply<Outcome>) -> Void,
        remove: @escaping @Sendable ([Light.ID], Room.ID, @escaping Reply<Outcome>) -> Void,
        delete: @escaping @Sendable (Room.ID, @escaping Reply<Outcome>) -> Void
    ) {
        self.create = create
        self.add = add
        self.remove = remove
        self.delete = delete
    }
}

/// The gateway to scenes, which bridges keep. Recalling one is a command to lights: ``LightStack/recall``.
///
/// Each function returns at once and calls its reply exactly once, as those of ``RoomStack`` do.
public struct SceneStack: Sendable {
    /// Creates a scene that stores what these lights of a room or zone show, after what was asked of them before.
    public var save: @Sendable (String, [Light.ID], Room.ID, @escaping Reply<Result<Scene.ID, Failure>>) -> Void
    /// Stores what the scene's lights show now. Bridges do not report that: the reply comes with the bridge's answer.
    public var update: @Sendable (Scene.ID, @escaping Reply<Outcome>) -> Void
    /// Merges what is to be set on lights into what the scene stores then, and takes lights out of it.
    public var edit: @Sendable (Scene.ID, [DesiredState], _ removed: [Light.ID], @escaping Reply<Outcome>) -> Void
    public var rename: @Sendable (Scene.ID, String, @escaping Reply<Outcome>) -> Void
    public var delete: @Sendable (Scene.ID, @escaping Reply<Outcome>) -> Void
    /// Reads from the bridge what the scene sets on each of its lights.
    public var read: @Sendable (Scene.ID, @escaping Reply<Result<[DesiredState], Failure>>) -> Void
    /// Lets an active smart scene recall no more scenes.
    public var deactivate: @Sendable (Scene.ID, @escaping Reply<Outcome>) -> Void

    public init(
        save: @escaping @Sendable (String, [Light.ID], Room.ID, @escaping Reply<Result<Scene.ID, Failure>>) -> Void,
        update: @escaping @Sendable (Scene.ID, @escaping Reply<Outcome>) -> Void,
        edit: @escaping @Sendable (Scene.ID, [DesiredState], [Light.ID], @escaping Reply<Outcome>) -> Void,
        rename: @escaping @Sendable (Scene.ID, String, @escaping Reply<Outcome>) -> Void,
        delete: @escaping @Sendable (Scene.ID, @escaping Reply<Outcome>) -> Void,
        read: @escaping @Sendable (Scene.ID, @escaping Reply<Result<[DesiredState], Failure>>) -> Void,
        deactivate: @escaping @Sendable (Scene.ID, @escaping Reply<Outcome>) -> Void
    ) {
        self.save = save
        self.update = update
        self.edit = edit
        self.rename = rename
        self.delete = delete
        self.read = read
        self.deactivate = deactivate
    }
}

/// The gateway to how sensors are set up, which bridges keep. What they report comes with ``LightStack/listen``.
public struct SensorStack: Sendable {
    /// Lets a sensor report again, or no longer. Calls its reply exactly once, as ``RoomStack`` does.
    public var enable: @Sendable (Sensor.ID, Bool, @escaping Reply<Outcome>) -> Void

    public init(enable: @escaping @Sendable (Sensor.ID, Bool, @escaping Reply<Outcome>) -> Void) {
        self.enable = enable
    }
}
