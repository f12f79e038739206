import AutomationFiles
import CommandGrammar
import ControlProtocol
import FoundationEssentials
import Khipu
import Lighting

extension Command {
    /// With the moment of a timer in the home's time: "2026-12-24T17:30" is half past five there.
    ///
    /// - Throws: `invalid` for a moment that cannot be read, comes more than once, is past, or would never come because
    ///   lightd does not know where the home is; `cannot` for an hour by a clock that cannot be right.
    func timed(by time: HomeTime, at now: Timestamp) throws(ErrorReply) -> Command {
        guard case let .schedule(steps, at: text?, seconds) = self else { return self }
        let trigger: ClockTrigger
        do throws(TimeTextError) {
            var reader = TimeReader(text)
            trigger = try reader.clockTrigger(in: time)
            try reader.end()
        } catch {
            throw ErrorReply(.invalid, "'at' is '\(text)': \(error)", hint: "a time such as 22:30 or sunset - 20m")
        }
        switch trigger {
        case .every:
            throw ErrorReply(
                .invalid, "'\(text)' comes more than once, and a timer runs once",
                hint: "'lightctl automation' is for what runs again and again")
        case _ where trigger.moment.map { $0 <= now } ?? false:
            throw ErrorReply(.invalid, "'\(text)' is past", hint: "it is \(now.iso8601(in: time)) in the home")
        case .at where !now.isPlausible:
            throw ErrorReply(
                .cannot, "nobody knows when '\(text)' is: \(now.wrongClockWords)",
                hint: "set the clock, or say how long to wait: 'in 20m'")
        case .at, .once, .after: break
        }
        guard time.place != nil || !trigger.needsPlace else {
            throw ErrorReply(.invalid, "'\(text)' never comes", hint: Automation.placeIsMissing)
        }
        return .schedule(steps: steps, at: "\(trigger)", after: seconds)
    }
}

extension Automation {
    /// What `schedule` asks for. It gets its name when it is added.
    ///
    /// - Throws: `invalid` for a step or a moment that cannot be read; `noSuchTarget` if nothing has the name that a
    ///   command is for.
    init(
        timer texts: [String], at moment: String?, after seconds: Double?, now: Timestamp, in home: Directory
    ) throws(ErrorReply) {
        guard moment == nil || seconds == nil else {
            throw ErrorReply(.invalid, "'schedule' takes 'at' or 'after', not both")
        }
        var steps: [Step] = []
        for text in texts {
            do throws(TextError) {
                steps += try Step.steps(from: text)
            } catch {
                throw ErrorReply(.invalid, "'\(text)', \(error)")
            }
        }
        // Who sets a timer means what is there now.
        for case let .command(command) in steps {
            do throws(ErrorReply) {
                _ = try CommandRequest(json: command.data).command.resolved(in: home, at: now)
            } catch  where error.error.code == .noSuchTarget {
                throw error
            } catch {}
        }
        var triggers: [Trigger] = []
        if let seconds {
            let wait = Duration.seconds(seconds)
            // What is longer than a year is planned by the calendar.
            let isCounted = ClockTrigger.waits.contains(wait)
            triggers = [.clock(isCounted ? .after(wait, since: now) : .once(now.advanced(by: wait)))]
        }
        if let moment {
            do throws(TimeTextError) {
                triggers = [.clock(try ClockTrigger(moment))]
            } catch {
                throw ErrorReply(.invalid, "'at' is '\(moment)': \(error)")
            }
        }
        self.init(name: "timer", triggers: triggers, steps: steps, kind: .once(by: ""))
    }

    /// The timer of this client.
    func asked(by client: String) -> Automation {
        Automation(name: name, triggers: triggers, steps: steps, kind: .once(by: client))
    }
}

extension StoredCommand {
    var data: Data { Data(json.utf8) }
}
