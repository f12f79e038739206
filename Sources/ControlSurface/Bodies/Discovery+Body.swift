import ControlProtocol
import Lighting

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
