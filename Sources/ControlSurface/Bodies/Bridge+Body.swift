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
            updates: updates.map { $0 == .stream ? .stream : .polling }, intervalSeconds: updates?.interval,
            firmware: firmware?.version, firmwareUpdate: firmware?.update
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

extension Check {
    var body: CheckBody {
        let (kind, status): (CheckBody.Result, ExitStatus?) =
            switch result {
            case .ok: (.ok, nil)
            case .warning: (.warning, nil)
            case .failure(.unreachable): (.failure, .unreachable)
            case .failure(.notAllowed): (.failure, .notAllowed)
            case .failure(.badConfiguration): (.failure, .badConfiguration)
            }
        return CheckBody(name, of: subject, kind, text, remedy: remedy?.hint, exitStatus: status)
    }
}

extension Discovery {
    func body(paired: Bool) -> DiscoveryBody {
        DiscoveryBody(
            id: id?.description, name: name, model: model, address: address?.description, paired: paired,
            attempts: attempts.map {
                .init(
                    way: $0.way.word, asked: $0.asked, result: $0.result, succeeded: $0.succeeded,
                    off: $0.isOff ? true : nil)
            }
        )
    }
}

extension Discovery.Way {
    fileprivate var word: String {
        switch self {
        case .mdns: "mdns"
        case .configured: "configured"
        case .lastKnown: "last_known"
        case .cloud: "cloud"
        }
    }
}
