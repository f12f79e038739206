/// The names of the server-sent events of `/v1/events`. The data of each is one line of JSON. Ids rise; a client sends
/// the last one back as `Last-Event-ID` after an interruption.
public enum EventName: String, Codable, Sendable, CaseIterable {
    /// Fetch everything again: sent first on every new stream, and after missed events. Data: ``ResyncBody``.
    case resync
    /// A light that changed. Data: ``LightBody``.
    case light
    /// A room that changed. Data: ``RoomBody``.
    case room
    /// Data: ``SceneBody``.
    case scene
    /// A sensor or switch that changed. Data: ``SensorBody``.
    case sensor
    /// A button that was used, or a dial that was turned. Data: ``PressBody``.
    case press
    /// Data: ``BridgeBody``.
    case bridge
    /// Data: an array of ``PinBody``.
    case dashboard
    /// Something was removed. Data: ``RemovedBody``.
    case removed
    /// A new journal entry, on `/v1/log`. Data: ``LogBody``.
    case log
}

public struct ResyncBody: Codable, Equatable, Sendable {
    /// "connected" on a new stream, "missed" if events were lost.
    public var reason: String

    public init(reason: String) {
        self.reason = reason
    }
}

public struct RemovedBody: Codable, Equatable, Sendable {
    /// "light", "room", "scene", "sensor" or "bridge".
    public var kind: String
    public var id: String

    public init(kind: String, id: String) {
        self.kind = kind
        self.id = id
    }
}
