public import ControlProtocol
import HashTreeCollections
import Khipu
import Lighting

extension Directory {
    /// The presence replay that goes on, or the last one.
    public var awayBody: AwayBody {
        guard let replay = state.presence else { return AwayBody(on: false) }
        let plan = replay.plan.flatMap { changes(of: $0.use).dropFirst($0.isLit ? 1 : 0) }
        return AwayBody(
            on: replay.isGoingOn, since: replay.began.iso8601,
            until: replay.isGoingOn ? replay.settings.until?.iso8601 : nil, seed: replay.settings.seed,
            ended: replay.ending.map {
                AwayBody.Ended(at: $0.time.iso8601, because: $0.reason.words(in: self))
            },
            lit: replay.lit.map { name(of: .light($0)) },
            plan: plan.sorted { ($0.at, $0.name) < ($1.at, $1.name) })
    }

    /// The presence replay that goes on.
    var awayStatus: StatusBody.Away? {
        state.presence.flatMap { replay in
            replay.isGoingOn
                ? StatusBody.Away(since: replay.began.iso8601, until: replay.settings.until?.iso8601) : nil
        }
    }

    /// What a replay that begins now would do.
    func awayBody(planning uses: [UsageHistory.Use]) -> AwayBody {
        AwayBody(on: false, plan: uses.flatMap(changes(of:)).sorted { ($0.at, $0.name) < ($1.at, $1.name) })
    }

    private func changes(of use: UsageHistory.Use) -> [AwayBody.Change] {
        let (id, name) = (use.light.description, name(of: .light(use.light)))
        return [
            AwayBody.Change(
                at: use.start.iso8601, light: id, name: name, power: .on,
                brightness: use.level.map { ($0 * 1000).rounded() / 10 }),
            AwayBody.Change(at: use.end.iso8601, light: id, name: name, power: .off),
        ]
    }
}

// MARK: The journal's words

extension Message.Presence {
    func words(in home: Directory) -> String {
        switch self {
        case let .begin(settings), let .beginning(settings, _): "away\(settings.words)"
        case .end, .ending: "away mode ended"
        case .preview, .previewing: "plan to be away"
        case let .recalled(history, _): "found \(counted(history.uses.count, "use")) of lamps in the journal"
        case let .planned(uses): "plans to turn on lamps \(counted(uses.count, "time"))"
        case let .ended(ending): "ends: \(ending.reason.words(in: home))"
        }
    }
}

extension PresenceReplay.Settings {
    fileprivate var words: String { until.map { " until \($0.iso8601)" } ?? "" }
}

extension PresenceReplay.Ending.Reason {
    fileprivate func words(in home: Directory) -> String {
        switch self {
        case .over: "its time is over"
        case let .asked(by: ticket): "\(ticket.holder) asked for it"
        case let .noticed(cause, light): cause.sign(in: home) + (light.map { ": \(home.name(of: .light($0)))" } ?? "")
        }
    }
}

extension Cause.Kind {
    /// What a person at home did.
    fileprivate func sign(in home: Directory) -> String {
        switch self {
        case let .command(ticket): "\(ticket.holder) sent a command"
        case let .scene(scene, _): "another app recalled \(home.name(of: scene))"
        case let .accessory(name): name.isEmpty ? "somebody used a switch" : "somebody was at '\(name)'"
        case .power, .otherApp, .unseen: "another app or a switch changed a light"
        }
    }
}
