import ControlProtocol
import Khipu
import Lighting

extension Command.Away {
    /// - Throws: `invalid` for an end that is not a time.
    func message(
        _ settings: Command.AwaySettings, in home: Directory, at now: Timestamp
    ) throws(ErrorReply) -> Message.Presence {
        switch self {
        case .off: return .end
        case .on: return .begin(try settings.settings(in: home, at: now))
        case .plan: return .preview(try settings.settings(in: home, at: now))
        }
    }
}

extension Command.AwaySettings {
    fileprivate func settings(in home: Directory, at now: Timestamp) throws(ErrorReply) -> PresenceReplay.Settings {
        var end: Timestamp?
        if let until {
            guard let time = Timestamp(iso8601: until) else {
                throw ErrorReply(.invalid, "'until' is not a time: use ISO 8601, such as 2026-12-01T17:00:00Z")
            }
            end = time
        }
        // One that goes on keeps its plan; for a new one any number will do that the next does not have.
        let replay = home.state.presence.flatMap { $0.isGoingOn ? $0.settings.seed : nil }
        return PresenceReplay.Settings(
            until: end, seed: seed.map { UInt64(clamping: $0) } ?? replay ?? UInt64(clamping: now.milliseconds),
            includesPlugs: plugs, ignoresMotion: ignoreMotion, isPlain: plain)
    }
}
