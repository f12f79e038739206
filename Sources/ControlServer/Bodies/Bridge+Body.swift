import ControlProtocol
import Khipu
import Lighting

extension Bridge {
    func body(lights: Int) -> BridgeBody {
        let connected: Bool
        let since: Timestamp
        let reason: String?
        let hearing: UpdateMode?
        switch connection {
        case let .connected(since: time, by: way): (connected, since, reason, hearing) = (true, time, nil, way)
        case let .lost(since: time, because: failure):
            (connected, since, reason, hearing) = (false, time, failure.reasonAndRemedy, nil)
        }
        return BridgeBody(
            id: id.description, name: name, model: model, address: address.description, connected: connected,
            since: since.iso8601, reason: reason, lights: lights,
            updates: hearing.map { $0 == .stream ? .stream : .polling }, intervalSeconds: hearing?.interval
        )
    }

    var isConnected: Bool {
        if case .connected = connection { true } else { false }
    }
}

extension Bridge.UpdateMode {
    /// Seconds between two questions.
    fileprivate var interval: Double? {
        switch self {
        case .stream: nil
        case let .polling(every: pause): pause / .seconds(1)
        }
    }
}
