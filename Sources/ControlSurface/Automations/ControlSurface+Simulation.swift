import AutomationFiles
public import ControlProtocol
import FoundationEssentials
public import Khipu
import Lighting

extension ControlSurface {
    /// What the automations of a file would have done in a time that is over, by the journal. Nothing changes, and nothing
    /// is sent.
    ///
    /// - Parameters:
    ///   - start: a week before the end if `nil`.
    ///   - end: now if `nil`.
    /// - Throws: `wrongFile`, with a part for each mistake; `invalid` for a time that cannot be simulated; `cannot` if
    ///   there is no journal.
    public func simulate(
        _ yaml: String, from start: Timestamp?, until end: Timestamp?, for client: String
    ) async throws -> AutomationSimulationBody {
        let file = try AutomationFile(reading: yaml, without: "simulated", in: time)
        let now = clock.now()
        let end = min(end ?? now, now)
        let start = start ?? end.advanced(by: .seconds(-7 * 86_400))
        guard start < end else { throw ErrorReply(.invalid, "the time to simulate ends before it begins") }
        guard end.since(start) <= Self.longestSimulation else {
            throw ErrorReply(.invalid, "the time to simulate is longer than 31 days")
        }
        guard journalIsOn else {
            throw ErrorReply(
                .cannot, "the journal is off, so that nothing is known of that time",
                hint: "set 'journal.enabled' in lightd.yaml")
        }
        let state = await store.state()
        let home = Directory(state)
        let (automations, settling) = home.settled(file, resolver)
        let simulation: Simulation
        do {
            simulation = try await Lighting.simulate(
                automations, on: state, time: time, resolve: Self.resolver(in: home), from: start, through: end
            ) { [self] in try await entries($0, for: client) }
        } catch let failure as Failure {
            throw failure.reply(in: home)
        }
        var warnings = settling + home.warnings(about: automations, of: file, at: now, in: time)
        warnings += automations.flatMap { automation in
            automation.measuredChecks.map {
                file.warning(
                    "'\($0)': the journal does not tell what sensors measure; it is taken as it is now",
                    about: automation)
            }
        }
        var notes: [String] = []
        if let first = simulation.firstEntry {
            if first > start { notes.append("the journal begins at \(first.iso8601)") }
        } else {
            notes.append("the journal tells nothing of that time")
        }
        return AutomationSimulationBody(
            since: start.iso8601, until: end.iso8601, runs: simulation.runs.map { body(of: $0, in: home) },
            warnings: warnings, notes: notes)
    }

    /// Longer than the journal usually remembers.
    private static let longestSimulation = Duration.seconds(31 * 86_400)

    private func body(of run: Simulation.Run, in home: Directory) -> AutomationSimulationBody.Run {
        let date = time.date(at: run.time)
        var body = AutomationSimulationBody.Run(
            date: "\(date)", weekday: date.weekday.description, at: clockText(run.time), time: run.time.iso8601,
            automation: run.automation,
            commands: run.commands.map {
                .init(
                    at: clockText($0.ticket.time), time: $0.ticket.time.iso8601, text: $0.words(in: home))
            },
            error: run.outcome?.failure?.words(in: home))
        switch run.start {
        case let .began(reason): body.reason = reason.words
        case let .skipped(reason): body.prevented = reason.words
        }
        return body
    }
}
