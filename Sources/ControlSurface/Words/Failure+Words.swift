import ControlProtocol
import Lighting

// A failure for programs and people: its code, what happened, with the names of the home, and what to do about it.

extension Failure {
    func reply(in home: Directory) -> ErrorReply {
        switch self {
        case let .partly(parts, of: count):
            ErrorReply(
                .partly, "\(parts.count) of \(count) failed",
                hint: parts.lazy.compactMap { $0.failure.remedy?.hint }.first,
                parts: parts.map { $0.body(in: home) })
        case let .whichBridge(ids):
            ErrorReply(code, message(in: home), hint: remedy?.hint, candidates: ids.map(\.description))
        default:
            ErrorReply(code, message(in: home), hint: remedy?.hint, bridgeWords: rawWords)
        }
    }

    /// What happened and what to do, for the journal.
    func words(in home: Directory) -> String {
        let message = message(in: home)
        return remedy.map { "\(message); \($0.hint)" } ?? message
    }

    /// Why the connection to a bridge is lost, and how to get it back if that takes a person. Does not name the bridge.
    var reasonAndRemedy: String {
        switch remedy {
        case let .pair(bridge)?: "\(reason); \(Remedy.pair(bridge).hint)"
        case let .trustAgain(bridge)?: "\(reason); \(Remedy.trustAgain(bridge).hint)"
        default: reason
        }
    }

    /// What happened, with the names of the home.
    fileprivate func message(in home: Directory) -> String { words(naming: home.failureNames) }

    var code: ErrorCode {
        switch self {
        case .noSuchTarget, .noSuchScene, .noSuchBridge, .noSuchSensor, .noSuchAutomation, .notBound, .noBridgeCalled,
            .noLights, .notPinned, .followsNothing, .noSuchCurve, .noSuchName:
            .noSuchTarget
        case .cannot, .nothingToReverse, .notUndoable, .tooFewDays, .roomExists, .sceneExists, .severalBridges,
            .noCommonRoom, .placeUnknown, .impossible:
            .cannot
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
        case .followed, .changedMeanwhile: .changedSince
        case .automationExists: .nameTaken
        case .invalid: .invalid
        case .partly: .partly
        }
    }
}

extension Directory {
    fileprivate var failureNames: Failure.Names {
        Failure.Names(
            target: { name(of: $0) }, text: { text(naming: $0) },
            room: { "\(kind(of: $0)) '\(name(of: $0) ?? $0.description)'" }, scene: { name(of: $0) },
            sensor: { name(of: $0) }, bridge: { name(of: $0) }, command: { words(ofCommand: $0) })
    }
}

extension Failure.Part {
    func body(in home: Directory) -> ErrorReply.Part {
        ErrorReply.Part(
            target: home.text(naming: target), code: failure.code, message: failure.message(in: home),
            bridgeWords: failure.rawWords)
    }
}

extension PlannedRequest {
    func body(in home: Directory) -> PlannedRequestBody {
        PlannedRequestBody(
            bridge: bridge.description, method: method, path: path, body: body,
            held: held.map { "\($0.reply(in: home).error.message); sent only if it is back in time" })
    }
}

extension Remedy {
    /// The remedy as a command of `lightctl`. No other room names its commands.
    var hint: String {
        switch self {
        case .discover: "run 'lightctl discover' to list the bridges in reach"
        case .pair(nil): "run 'lightctl pair' and press the bridge's link button"
        case let .pair(bridge?):
            "run '\(ShellQuote.line("lightctl pair", operand: "\(bridge)"))' and press its link button"
        case .pairByID: "name one of them: 'lightctl pair ID'"
        case .pressLinkButton: "run 'lightctl pair' again"
        case let .trustAgain(bridge):
            "if the bridge was reset, run '\(ShellQuote.line("lightctl pair", operand: "\(bridge)"))' to trust its new certificate; if another has taken its "
                + "place, run 'lightctl pair', then '\(ShellQuote.line("lightctl forget", operand: "\(bridge)"))'"
        case .checkPower: "check that the bridge is powered and on this network"
        case .checkConnection: "run 'lightctl status' to see whether a bridge is connected"
        case let .other(words): words
        case .addLights:
            "choose another name; 'lightctl room add' and 'lightctl zone add' put lights into the one that exists"
        case .updateScene:
            "choose another name; 'lightctl scene update' makes the one that exists store what its lights show now"
        case .createZone: "'lightctl zone create' makes a zone of them"
        case .configurePlace: "set 'latitude' and 'longitude' under 'home:' in lightd's configuration"
        case .follow: "'lightctl list followings' shows what follows what; 'lightctl follow' begins"
        case .plainEvening:
            "'lightctl away on --plain' makes up an evening instead; without a journal lightd learns nothing"
        case .pin: "'lightctl dashboard' shows what is; 'lightctl dashboard pin' adds to it"
        }
    }
}
