/// Something a bridge reported, whether we asked for it or not.
public enum BridgeUpdate: Equatable, Codable, Sendable {
    /// Everything on a bridge, after it was connected or loaded. What it does not list no longer exists.
    case home(Bridge.ID, lights: [Light], rooms: [Room], scenes: [Scene], sensors: [Sensor] = [])
    /// Some values of a light.
    case light(Light.ID, Light.Report)
    /// What a sensor told just now: only this may trigger anything.
    case sensor(Sensor.ID, Sensor.Report)
    case renamed(Target, to: String)
    case added(Added)
    case changed(Changed)
    case removed(Removed)

    public enum Added: Equatable, Codable, Sendable { case light(Light), room(Room), scene(Scene), sensor(Sensor) }
    /// As it is now. Of a sensor also what was missed: it may have happened at any time.
    public enum Changed: Equatable, Codable, Sendable { case room(Room), scene(Scene), sensor(Sensor) }
    public enum Removed: Equatable, Codable, Sendable {
        case light(Light.ID), room(Room.ID), scene(Scene.ID), sensor(Sensor.ID)
    }

    /// The bridge that reported it.
    var bridge: Bridge.ID {
        switch self {
        case let .home(bridge, _, _, _, _): bridge
        case let .light(id, _): id.bridge
        case let .sensor(id, _), let .removed(.sensor(id)): id.bridge
        case let .renamed(.light(id), _), let .removed(.light(id)): id.bridge
        case let .renamed(.room(id), _), let .removed(.room(id)): id.bridge
        case let .removed(.scene(id)): id.bridge
        case let .added(.light(light)): light.id.bridge
        case let .added(.room(room)), let .changed(.room(room)): room.id.bridge
        case let .added(.scene(scene)), let .changed(.scene(scene)): scene.id.bridge
        case let .added(.sensor(sensor)), let .changed(.sensor(sensor)): sensor.id.bridge
        case .renamed(.all, _): Bridge.ID("")
        }
    }
}
