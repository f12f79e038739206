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
