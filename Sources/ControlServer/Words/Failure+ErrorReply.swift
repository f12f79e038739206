import ControlProtocol
import Lighting

extension Failure {
    /// The failure as the API reports it: a code for programs, and for people what happened and what to do about it,
    /// with the names they know.
    func reply(in home: Directory) -> ErrorReply {
        switch self {
        case let .partly(parts, of: count):
            ErrorReply(
                .partly,
                "\(parts.count) of \(count) failed",
                hint: parts.lazy.compactMap { $0.failure.remedy?.hint }.first,
                parts: parts.map {
                    .init(
                        target: home.text(naming: $0.target), code: $0.failure.code,
                        message: $0.failure.description)
                }
            )
        case let .whichBridge(ids):
            ErrorReply(code, description, hint: remedy?.hint, candidates: ids.map(\.description))
        default:
            ErrorReply(code, description, hint: remedy?.hint)
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

    /// Why a bridge is lost, and how to get it back if that takes a person.
    var reasonAndRemedy: String {
        switch remedy {
        case .pair, .trustAgain: "\(reason); \(remedy?.hint ?? "")"
        default: reason
        }
    }
}

extension Remedy {
    /// The remedy as a command of lightctl.
    var hint: String {
        switch self {
        case .discover: "run 'lightctl discover' to list the bridges in reach"
        case .pair(nil): "run 'lightctl pair' and press the bridge's link button"
        case let .pair(bridge?): "run 'lightctl pair \(bridge)' and press its link button"
        case .pairByID: "name one of them: 'lightctl pair ID'"
        case .pressLinkButton: "run 'lightctl pair' again"
        case let .trustAgain(bridge):
            "if the bridge was reset or replaced, run 'lightctl pair \(bridge)' to trust its new certificate"
        case .checkPower: "check that the bridge is powered and on this network"
        case .checkConnection: "run 'lightctl status' to see whether a bridge is connected"
        }
    }
}
