/// An automation or a timer, in the words of its file.
public struct AutomationBody: Codable, Equatable, Sendable {
    public var name: String
    public var enabled: Bool
    /// Any of them starts it. Of a timer none if it has begun.
    public var when: [String]
    /// All must hold then.
    public var conditions: [String]
    public var steps: [String]
    public var mode: RunMode
    /// What happens to a run that was missed: "skip" or "catch up"; `nil` leaves it to the steps.
    public var late: String?
    /// Of a timer: who asked for it.
    public var by: String?
    /// When the clock starts it next; ISO 8601 in the home's time, as all times here. `nil` if only something in the home does.
    public var next: String?
    /// Until when it pauses, because the home's changes have started it too often.
    public var pausedUntil: String?
    /// Under way.
    public var running: [AutomationRunBody]
    /// The last runs that are over, newest first.
    public var runs: [AutomationRunBody]
    /// When the clock would start it, and it is left out, once: ``next`` is the one after that.
    public var skipping: String?
    /// When and why it last did not run although it was triggered; forgotten when lightd restarts.
    public var skipped: Skipped?
    /// What it names and nothing in the home has now, in sentences; `nil` if it has everything.
    public var missing: [String]?

    enum CodingKeys: String, CodingKey {
        case name, enabled, when, mode, late, by, next, running, runs, skipping, skipped, missing
        case conditions = "if"
        case steps = "do"
        case pausedUntil = "paused_until"
    }

    public struct Skipped: Codable, Equatable, Sendable {
        public var time: String
        public var reason: String

        public init(time: String, reason: String) { (self.time, self.reason) = (time, reason) }
    }

    public init(
        name: String, enabled: Bool = true, when: [String], conditions: [String] = [], steps: [String],
        mode: RunMode = .single, late: String? = nil, by: String? = nil, next: String? = nil,
        pausedUntil: String? = nil, running: [AutomationRunBody] = [], runs: [AutomationRunBody] = [],
        skipping: String? = nil, skipped: Skipped? = nil, missing: [String]? = nil
    ) {
        self.name = name
        self.enabled = enabled
        self.when = when
        self.conditions = conditions
        self.steps = steps
        self.mode = mode
        self.late = late
        self.by = by
        self.next = next
        self.pausedUntil = pausedUntil
        self.running = running
        self.runs = runs
        self.skipping = skipping
        self.skipped = skipped
        self.missing = missing
    }
}

/// One run of an automation.
public struct AutomationRunBody: Codable, Equatable, Sendable {
    /// What started it: "motion Hall", "sunset - 20m, 3 min late", "asked for by lightctl".
    public var reason: String
    public var started: String
    /// `nil` while it is under way.
    public var ended: String?
    /// The step that is under way.
    public var step: String?
    /// While it waits: when that is over, at the latest.
    public var until: String?
    /// What went wrong; `nil` if nothing did.
    public var error: String?

    public init(
        reason: String, started: String, ended: String? = nil, step: String? = nil, until: String? = nil,
        error: String? = nil
    ) {
        (self.reason, self.started, self.ended) = (reason, started, ended)
        (self.step, self.until, self.error) = (step, until, error)
    }
}

/// What a file changes, or would change.
public struct AutomationChangesBody: Codable, Equatable, Sendable {
    public var added: [String]
    public var changed: [Changed]
    public var removed: [String]
    /// How many stay as they are.
    public var unchanged: Int
    /// What may be a mistake: names that nothing in the home has now. "3: nothing is called 'Hal'"
    public var warnings: [String]

    public struct Changed: Codable, Equatable, Sendable {
        public var name: String
        /// "when: sunset → sunset - 20m"
        public var changes: [String]

        public init(name: String, changes: [String]) { (self.name, self.changes) = (name, changes) }
    }

    public init(added: [String], changed: [Changed], removed: [String], unchanged: Int, warnings: [String] = []) {
        self.added = added
        self.changed = changed
        self.removed = removed
        self.unchanged = unchanged
        self.warnings = warnings
    }
}

/// One day of the home, before it happens.
public struct AutomationPreviewBody: Codable, Equatable, Sendable {
    /// "2026-12-24"
    public var date: String
    /// "thu"
    public var weekday: String
    /// When the sun does what, in the home's time: "sunrise", "08:12". What does not happen on this day is left out.
    public var sun: [Event]
    /// What the clock would start, in the order of time.
    public var runs: [Run]

    public struct Event: Codable, Equatable, Sendable {
        public var name: String
        /// "08:12"
        public var at: String

        public init(name: String, at: String) { (self.name, self.at) = (name, at) }
    }

    public struct Run: Codable, Equatable, Sendable {
        /// In the home's time: "15:38".
        public var at: String
        /// ISO 8601 in UTC.
        public var time: String
        public var automation: String
        public var when: String
        /// The conditions that nobody can know yet.
        public var conditions: [String]
        /// A condition that will not hold then: it will not run.
        public var prevented: String?
        public var steps: [String]
        /// What it names and nothing in the home has now, in sentences; `nil` if it has everything.
        public var missing: [String]?

        enum CodingKeys: String, CodingKey {
            case at, time, automation, when, prevented, missing
            case conditions = "if"
            case steps = "do"
        }

        public init(
            at: String, time: String, automation: String, when: String, conditions: [String], prevented: String?,
            steps: [String], missing: [String]? = nil
        ) {
            (self.at, self.time, self.automation, self.when) = (at, time, automation, when)
            (self.conditions, self.prevented, self.steps, self.missing) = (conditions, prevented, steps, missing)
        }
    }

    public init(date: String, weekday: String, sun: [Event], runs: [Run]) {
        (self.date, self.weekday, self.sun, self.runs) = (date, weekday, sun, runs)
    }
}

/// What the automations of a file would have done in a time that is over.
public struct AutomationSimulationBody: Codable, Equatable, Sendable {
    /// ISO 8601 in UTC.
    public var since: String
    public var until: String
    /// In the order of time.
    public var runs: [Run]
    /// What may be a mistake, as for a file that is applied, and what cannot be simulated; with lines.
    public var warnings: [String]
    /// What the journal does not tell.
    public var notes: [String]

    public struct Run: Codable, Equatable, Sendable {
        /// In the home's time: "2026-11-20", "fri", "15:38".
        public var date: String
        public var weekday: String
        public var at: String
        /// ISO 8601 in UTC.
        public var time: String
        public var automation: String
        /// What started it; `nil` if it did not run.
        public var reason: String?
        /// Why it did not run although it was triggered.
        public var prevented: String?
        /// What it would have sent, in order.
        public var commands: [Command]
        /// What would have gone wrong; `nil` if nothing.
        public var error: String?

        public init(
            date: String, weekday: String, at: String, time: String, automation: String, reason: String? = nil,
            prevented: String? = nil, commands: [Command] = [], error: String? = nil
        ) {
            (self.date, self.weekday, self.at, self.time) = (date, weekday, at, time)
            (self.automation, self.reason, self.prevented) = (automation, reason, prevented)
            (self.commands, self.error) = (commands, error)
        }
    }

    public struct Command: Codable, Equatable, Sendable {
        /// In the home's time: "15:38".
        public var at: String
        /// ISO 8601 in UTC.
        public var time: String
        /// "turn Desk on"
        public var text: String

        public init(at: String, time: String, text: String) { (self.at, self.time, self.text) = (at, time, text) }
    }

    public init(since: String, until: String, runs: [Run], warnings: [String] = [], notes: [String] = []) {
        (self.since, self.until, self.runs) = (since, until, runs)
        (self.warnings, self.notes) = (warnings, notes)
    }
}
