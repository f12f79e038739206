import ControlProtocol
import Khipu
import Lighting

extension Bridge {
    func body(lights: Int) -> BridgeBody {
        let connected: Bool
        let since: Timestamp
        let reason: String?
        var polled: Double?
        switch connection {
        case let .connected(since: time, by: hearing):
            (connected, since, reason) = (true, time, nil)
            if case let .polling(every: interval) = hearing { polled = interval / .seconds(1) }
        case let .lost(since: time, because: failure): (connected, since, reason) = (false, time, failure.reason)
        }
        return BridgeBody(
            id: id.description, name: name, model: model, address: address.description, connected: connected,
            since: since.iso8601, reason: reason, polled: polled, lights: lights
        )
    }

    var isConnected: Bool {
        if case .connected = connection { true } else { false }
    }
}
