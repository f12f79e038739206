import Lighting

/// Whether requests reach the bridge, with what belongs to each state.
enum ConnectionState: Equatable, Sendable {
    case connecting
    case connected
    /// Why the bridge is out of reach, and since when.
    case lost(Failure, since: Duration)
    /// For good: the bridge was forgotten or paired anew, or the gateway has ended.
    case closed
}
