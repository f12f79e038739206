import ControlProtocol
import Khipu
import Lighting

extension Bridge {
    func body(lights: Int) -> BridgeBody {
        let connected: Bool
        let since: Timestamp
        var failure: Failure?
        var updates: UpdateMode?
        switch connection {
        case let .connected(since: time, by: mode): (connected, since, updates) = (true, time, mode)
        case let .lost(since: time, because: reason): (connected, since, failure) = (false, time, reason)
        }
        return BridgeBody(
            id: id.description, name: name, model: model, address: address.description, connected: connected,
            since: since.iso8601, reason: failure?.reasonAndRemedy, reasonCode: failure?.code, lights: lights,
            updates: updates.map { $0 == .stream ? .stream : .polling }, intervalSeconds: updates?.interval
        )
    }
}

extension Bridge.UpdateMode {
    /// Seconds between two polls.
    fileprivate var interval: Double? {
        switch self {
        case .stream: nil
        case let .polling(every: interval): interval / .seconds(1)
        }
    }
}
