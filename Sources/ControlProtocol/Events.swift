/// The names of the server-sent events of `/v1/events`. The data of each is one line of JSON; every event has an id that
/// rises, to be sent back as `Last-Event-ID` after a break.
public enum EventName: String, Codable, Sendable, CaseIterable {
    /// Fetch everything anew: sent first on every new stream, and where events were missed. Data: ``ResyncBody``.
    case resync
    /// A light as it is now. Data: ``LightBody``.
    case light
    /// A room as it is now. Data: ``RoomBody``.
    case room
    /// Data: ``SceneBody``.
    case scene
    /// Data: ``BridgeBody``.
    case bridge
    /// Data: an array of ``PinBody``.
    case dashboard
    /// Something is gone. Data: ``RemovedBody``.
    case removed
    /// A new journal entry, on `/v1/log`. Data: ``LogBody``.
    case log
}

public struct ResyncBody: Codable, Equatable, Sendable {
    /// "connected" on a new stream, "missed" where events were lost in between.
    public var reason: String

    public init(reason: String) {
        self.reason = reason
    }
}

public struct RemovedBody: Codable, Equatable, Sendable {
    /// "light", "room", "scene" or "bridge".
    public var kind: String
    public var id: String

    public init(kind: String, id: String) {
        self.kind = kind
        self.id = id
    }
}
