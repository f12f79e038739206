import ControlProtocol
import Lighting

extension Failure {
    /// The failure as the API tells it: its code for programs, and its own words for people, with the names they know.
    func reply(in home: Directory) -> ErrorReply {
        switch self {
        case let .partly(parts, of: count):
            ErrorReply(
                .partly,
                "\(parts.count) of \(count) failed",
                parts: parts.map {
                    .init(
                        target: home.text(naming: $0.target), code: $0.failure.code,
                        message: $0.failure.description)
                }
            )
        case let .whichBridge(ids):
            ErrorReply(code, description, candidates: ids.map(\.description))
        default:
            ErrorReply(code, description)
        }
    }

    var code: ErrorCode {
        switch self {
        case .noSuchTarget, .noSuchScene, .noSuchBridge, .noLights: .noSuchTarget
        case .cannot, .nothingToReverse: .cannot
        case .refused: .refused
        case .unconfirmed: .unconfirmed
        case .unreachable: .bridgeUnreachable
        case .notPaired: .notPaired
        case .keyRefused: .keyRefused
        case .buttonNotPressed: .buttonNotPressed
        case .certificateRefused: .certificateRefused
        case .whichBridge: .whichBridge
        case .noBridgeFound: .noBridgeFound
        case .notSaved: .notSaved
        case .invalid: .invalid
        case .partly: .partly
        }
    }
}
