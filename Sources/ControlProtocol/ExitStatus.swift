/// The exit codes of `lightctl`, which scripts may rely on.
public enum ExitStatus: Int32, Sendable, CaseIterable {
    case done = 0
    /// The bridge refused, or the lamp is not able to do it.
    case refused = 1
    /// Not paired, or not allowed.
    case notAllowed = 2
    /// The daemon or the bridge is unreachable.
    case unreachable = 3
    case noSuchTarget = 4
    /// Sent, but not confirmed in time.
    case unconfirmed = 5
    case badConfiguration = 6
    /// Some parts were done, some failed.
    case partly = 7
    case usage = 64
}

extension ErrorCode {
    /// The exit code of `lightctl`.
    public var exitCode: ExitStatus {
        switch self {
        case .refused, .cannot, .nameTaken, .signedIn, .notSaved, .internalError: .refused
        case .notPaired, .keyRefused, .buttonNotPressed, .certificateRefused, .notAllowed, .tooManyAttempts:
            .notAllowed
        case .bridgeUnreachable, .noBridgeFound, .daemonUnreachable, .daemonStopping: .unreachable
        case .noSuchTarget, .ambiguousTarget, .whichBridge: .noSuchTarget
        case .unconfirmed: .unconfirmed
        case .partly, .changedSince: .partly
        case .wrongFile: .badConfiguration
        case .invalid, .noSuchPath: .usage
        }
    }
}
