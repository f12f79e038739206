import ControlProtocol
import CoreMetrics
import HashTreeCollections
import Khipu
import Lighting

/// Counts commands and runs of automations, as their outcomes pass by.
@DomainActor
final class CommandMetrics {
    private struct Key: Hashable {
        let source: CommandSource
        let result: String
    }

    /// How a run of an automation ended, or why there was none.
    private enum Run: String, CaseIterable { case succeeded, failed, skipped }

    private static let succeeded = "succeeded"
    /// What took longer was waited for on purpose, or the clock was set meanwhile.
    private static let longest = Duration.seconds(600)

    private let factory: any MetricsFactory
    private let now: @Sendable () -> Timestamp
    private let seconds: Timer
    private var commands: [Key: Counter] = [:]
    private var runs: [Automation.ID: (name: String, counters: [Run: Counter])] = [:]

    /// - Parameter now: by the clock of the tickets.
    init(_ factory: any MetricsFactory, _ automations: AutomationState, now: @escaping @Sendable () -> Timestamp) {
        (self.factory, self.now) = (factory, now)
        seconds = Timer(label: MetricFamily.commandSeconds.rawValue, factory: factory)
        // From the start, so that the first of each is a rise.
        for source in CommandSource.allCases { _ = counter(Key(source: source, result: Self.succeeded)) }
        follow(automations)
    }

    /// - Parameter automations: as they are after this message.
    func take(_ message: Message, _ automations: @autoclosure () -> AutomationState) {
        if message.isOutcomeOfCommand, let outcome = message.outcome {
            let result = outcome.failure?.code.rawValue ?? Self.succeeded
            counter(Key(source: CommandSource(message.ticket), result: result)).increment()
            if case .lighting = message, message.ticket.isOfPerson {
                let duration = now().since(message.ticket.time)
                if .zero <= duration, duration <= Self.longest { seconds.record(duration) }
            }
        }
        switch message {
        case let .automations(.ended(id, named: _, ended), _):
            runs[id]?.counters[ended.outcome.failure == nil ? .succeeded : .failed]?.increment()
        case let .automations(.skipped(id, named: _, because: _), _): runs[id]?.counters[.skipped]?.increment()
        case .automations(.replacing, _), .automations(.removing, _): follow(automations())
        default: break
        }
    }

    private func counter(_ key: Key) -> Counter {
        if let known = commands[key] { return known }
        let counter = Counter(
            label: MetricFamily.commands.rawValue,
            dimensions: [("source", key.source.rawValue), ("result", key.result)], factory: factory)
        commands[key] = counter
        return counter
    }

    /// Counts the runs of these automations, and no longer those of others. Timers have no series: each has a name of its
    /// own.
    private func follow(_ automations: AutomationState) {
        // Its id is the same in other letters; its name is the label.
        let lasting = Dictionary(automations.lasting.map { ($0.id, $0.name) }) { first, _ in first }
        for (id, run) in runs where lasting[id] != run.name {
            for counter in run.counters.values { counter.destroy() }
            runs[id] = nil
        }
        for (id, name) in lasting where runs[id] == nil {
            let counters = Run.allCases.map { run in
                let labels = [("automation", name), ("result", run.rawValue)]
                return (run, Counter(label: MetricFamily.automationRuns.rawValue, dimensions: labels, factory: factory))
            }
            runs[id] = (name, Dictionary(uniqueKeysWithValues: counters))
        }
    }
}

/// Who sends a command.
public enum CommandSource: String, CaseIterable, Sendable {
    /// A client of the control API: lightctl, a page, another program.
    case api
    case mqtt
    /// A switch that is bound to lights.
    case `switch`
    case automation, timer
    /// What lights follow: a curve, a wake-up.
    case following
    /// The presence replay.
    case away

    init(_ ticket: Ticket) {
        self =
            if ticket.isOwn != true {
                Self.isMQTT(ticket.holder) ? .mqtt : .api
            } else if ticket.isOfPerson {
                .switch
            } else if ticket.isOfAutomation {
                .automation
            } else if ticket.holder == Ticket.replayHolder {
                .away
            } else {
                // Only the commands of a run are one gesture.
                ticket.gesture != nil ? .timer : .following
            }
    }

    /// No client of the API is named so.
    private static func isMQTT(_ holder: String) -> Bool {
        let client = ClientName.sender(overMQTT: nil)
        return holder == client || holder.hasPrefix("\(client) as \"")
    }
}

extension Message {
    /// Whether it says how a command ended that changes something, or was to.
    fileprivate var isOutcomeOfCommand: Bool { isResponse && (isJournaled || ticket.isFollowUpStep) }
}

extension Timer {
    func record(_ duration: Duration) {
        recordNanoseconds(duration.nanoseconds)
    }
}
