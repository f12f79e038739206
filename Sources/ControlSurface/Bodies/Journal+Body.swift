import ControlProtocol
import Khipu
import Lighting

extension Journal.Entry {
    /// - Parameter directory: the home as it is now, for the names that the entry does not remember.
    func body(in directory: Directory) -> LogBody {
        let ticket = message.ticket
        return LogBody(
            number: number,
            time: time.iso8601,
            feature: message.feature.rawValue,
            ticket: ticket.isUnasked ? nil : ticket.number,
            holder: ticket.holder,
            text: message.words(in: directory.remembering(names)),
            outcome: message.outcome.map { $0 == .succeeded ? "succeeded" : "failed" },
            gesture: ticket.gesture,
            causedBy: message.source?.ticket?.number
        )
    }
}

extension Message {
    /// What caused the change that it reports.
    fileprivate var source: Cause.Kind? {
        if case let .lighting(.reported(.light(_, report)), _) = self { report.source } else { nil }
    }
}

extension Cause {
    /// The cause with its names, and its command in words if the history still has it.
    ///
    /// - Parameter light: whose cause it is.
    func body(in home: Directory, of light: Light.ID? = nil) -> CauseBody {
        var body = CauseBody(kind: .unseen, at: time.iso8601, ticket: ticket?.number)
        body.by = ticket?.holder
        switch kind {
        case let .command(ticket):
            body.kind = .command
            body.what = home.words(ofCommand: ticket, at: light)
        case let .scene(scene, by: _):
            body.kind = .scene
            body.what = home.scene(scene).map { home.state.name(of: $0) }
        case let .accessory(name):
            body.kind = .accessory
            body.by = name.isEmpty ? nil : name
        case .power: body.kind = .power
        case .otherApp: body.kind = .otherApp
        case .unseen: body.kind = .unseen
        }
        return body
    }
}
