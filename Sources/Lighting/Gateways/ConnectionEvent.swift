/// A change in the connection to a bridge.
public enum ConnectionEvent: Equatable, Codable, Sendable {
    /// Everything was read, and changes are received in this way from now on.
    case connected(Bridge.ID, by: Bridge.UpdateMode)
    case lost(Bridge.ID, because: Failure)
    /// Seen at another address, or with another name or model than before.
    case seen(Bridge.ID, at: Bridge.Address, name: String, model: String)
}
