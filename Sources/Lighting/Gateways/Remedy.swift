/// What a person can do about a ``Failure`` or about what a ``Check`` found.
public enum Remedy: Hashable, Sendable {
    /// Look for the bridges in reach.
    case discover
    /// Pair with this bridge, or with the only one in reach, and press its link button.
    case pair(Bridge.ID?)
    /// Several bridges are in reach: pair with one of them by its id.
    case pairByID
    /// Try again, and press the link button of this bridge while lightd waits for it.
    case pressLinkButton(on: Bridge.ID)
    /// Pair with this bridge again if it was reset, to trust its new certificate; or with the one that has taken its
    /// place, and forget this one.
    case trustAgain(Bridge.ID)
    /// See whether this bridge is powered and on the same network.
    case checkPower(Bridge.ID)
    /// See whether a bridge is connected.
    case checkConnection
    /// Something outside of lightd, in words: "start it with 'systemctl start avahi-daemon'".
    case other(String)
    /// Add lights to the room or zone that exists.
    case addLights
    /// Store the present state in the scene that exists.
    case updateScene
    /// Make a zone of the lights.
    case createZone
    /// Let an evening be made up in place of the home's own.
    case plainEvening
    /// See what is on the dashboard, or pin it.
    case pin
    /// Put the home's latitude and longitude into the configuration.
    case configurePlace
    /// Let the target follow something.
    case follow
}

extension Failure {
    /// What to do about it, if a person can do anything that the description does not already say.
    public var remedy: Remedy? {
        switch self {
        case .noSuchBridge: .discover
        case .noLights(in: .all): .checkConnection
        case let .unreachable(bridge, _): .checkPower(bridge)
        case .notPaired: .pair(nil)
        case let .keyRefused(bridge): .pair(bridge)
        case let .buttonNotPressed(bridge): .pressLinkButton(on: bridge)
        case let .certificateRefused(bridge, _): .trustAgain(bridge)
        case .whichBridge: .pairByID
        case .roomExists: .addLights
        case .sceneExists: .updateScene
        case .noCommonRoom: .createZone
        case .notPinned: .pin
        case .placeUnknown: .configurePlace
        case .followsNothing: .follow
        case .tooFewDays: .plainEvening
        case .nothingToReverse("undo"):
            .other(
                "commands are remembered over a restart, but a kill or a power cut loses those of the last seconds, "
                    + "which then cannot be undone")
        case .changedMeanwhile, .automationExists: nil
        case .noSuchTarget, .noSuchScene, .noSuchSensor, .notBound, .noSuchAutomation, .severalBridges, .noLights,
            .cannot, .refused, .unconfirmed, .noBridgeCalled, .noBridgeFound, .notSaved, .nothingToReverse,
            .notUndoable,
            .followed, .noSuchCurve, .noSuchName, .impossible, .invalid, .partly:
            nil
        }
    }
}
