/// Why a command failed. A failure is a response like any other; its words for a person are ``description``.
public indirect enum Failure: Error, Hashable, Codable, Sendable {
    /// Nothing by that id.
    case noSuchTarget(Target)
    case noSuchScene(Scene.ID)
    case noSuchBridge(Bridge.ID)
    /// A room without lights, or a home without any.
    case noLights(in: Target)
    /// The lamp cannot do it. `what` completes the sentence "'Stove' cannot …".
    case cannot(light: String, what: String)
    /// The bridge said no, in its own words.
    case refused(by: Bridge.ID, words: String)
    /// Sent and taken, but the bridge could not say that it reached the lamp; its own words.
    case unconfirmed(by: Bridge.ID, words: String)
    /// The bridge is not there, or did not answer in time.
    case unreachable(Bridge.ID, because: String)
    /// No bridge is paired yet.
    case notPaired
    /// The bridge no longer takes our key.
    case keyRefused(by: Bridge.ID)
    /// Nobody pressed the link button in time.
    case buttonNotPressed(on: Bridge.ID)
    /// The bridge's certificate is not the one it was paired with.
    case certificateRefused(of: Bridge.ID, because: String)
    /// Several bridges were found and none was named.
    case whichBridge([Bridge.ID])
    case noBridgeFound(because: String)
    /// The state directory could not be written.
    case notSaved(because: String)
    /// No command is left to "undo" or "redo".
    case nothingToReverse(String)
    /// The words cannot be carried out: a name too long, a step that is not a number.
    case invalid(String)
    /// Some parts failed, of so many.
    case partly([Part], of: Int)

    public struct Part: Hashable, Codable, Sendable {
        public let target: Target
        public let failure: Failure

        public init(_ target: Target, _ failure: Failure) {
            self.target = target
            self.failure = failure
        }
    }
}

extension Failure {
    /// Whether nothing of the command was, or may have been, carried out.
    var isTotal: Bool {
        switch self {
        case .partly, .unconfirmed: false
        default: true
        }
    }
}

extension Failure: CustomStringConvertible {
    public var description: String {
        switch self {
        case let .noSuchTarget(target): "there is no \(target.words)"
        case let .noSuchScene(id): "there is no scene \(id)"
        case let .noSuchBridge(id): "there is no bridge \(id); 'lightctl discover' lists those in reach"
        case .noLights(in: .all): "there are no lights yet; 'lightctl status' tells whether a bridge is connected"
        case let .noLights(in: target): "there are no lights in \(target.words)"
        case let .cannot(light, what): "'\(light)' cannot \(what)"
        case let .refused(bridge, words): "bridge \(bridge) refused: \(words)"
        case let .unconfirmed(bridge, words): "bridge \(bridge) could not confirm it: \(words)"
        case let .unreachable(bridge, cause):
            "cannot reach bridge \(bridge) (\(cause)); is it powered, and on this network?"
        case .notPaired: "no bridge is paired yet; run 'lightctl pair' and press the bridge's link button"
        case let .keyRefused(bridge):
            "bridge \(bridge) no longer accepts our key; run 'lightctl pair \(bridge)' and press its link button"
        case let .buttonNotPressed(bridge):
            "nobody pressed the link button of bridge \(bridge) in time; run 'lightctl pair' again"
        case let .certificateRefused(bridge, cause):
            "bridge \(bridge) showed a certificate that is not its own (\(cause)); nothing was sent to it. "
                + "If the bridge was reset or replaced, run 'lightctl pair \(bridge)' to trust it anew"
        case let .whichBridge(ids):
            "several bridges were found: \(ids.map(\.description).joined(separator: ", ")); name one: 'lightctl pair ID'"
        case let .noBridgeFound(cause): "no bridge was found (\(cause))"
        case let .notSaved(cause): "it could not be saved: \(cause)"
        case let .nothingToReverse(verb): "there is nothing to \(verb)"
        case let .invalid(words): words
        case let .partly(parts, of: count):
            "\(parts.count) of \(count) failed: "
                + parts.map { "\($0.target.words): \($0.failure)" }.joined(separator: "; ")
        }
    }
}

extension Failure {
    /// Why a line is lost, for sentences that name the bridge already; with the way out where it is ours to take.
    public var reason: String {
        switch self {
        case let .unreachable(_, cause): cause
        case let .certificateRefused(bridge, cause):
            "its certificate is not the one it was paired with (\(cause)); 'lightctl pair \(bridge)' trusts it anew"
        case let .keyRefused(bridge): "it no longer accepts our key; 'lightctl pair \(bridge)' wins another"
        default: description
        }
    }
}

extension Target {
    /// For sentences about something that has no name we know.
    var words: String {
        switch self {
        case let .light(id): "light \(id)"
        case let .room(id): "room \(id)"
        case .all: "home"
        }
    }
}
