public import Khipu

/// One run of an automation, from its trigger to its last step.
public struct AutomationRun: Identifiable, Equatable, Codable, Sendable {
    /// Rises with every run, also over restarts.
    public let id: UInt64
    /// As it was when the run began: what becomes of the automation later does not change the run. Only its names are
    /// today's.
    public internal(set) var automation: Automation
    public let reason: Reason
    public let started: Timestamp
    /// What the lights that it restores showed before it, and what they are to show then.
    public internal(set) var before: [DesiredState]
    /// The step that is under way, counted from 0.
    public internal(set) var step = 0
    public internal(set) var phase: Phase
    /// What went wrong so far; the run goes on with its next step.
    public internal(set) var problems: [Problem] = []
    /// Until when its step is tried again, and why it failed.
    var retry: Retry?
    /// The command that asked for the run by hand, until it is answered.
    var asker: Ticket?
    /// The save after which it is answered that the run waits: what was promised is not lost if lightd is killed.
    var promise: UInt64?

    public enum Reason: Hashable, Codable, Sendable {
        /// With how late it came, if it did.
        case trigger(Automation.Trigger, late: Duration? = nil)
        /// Started by this client.
        case hand(String)
    }

    public enum Phase: Equatable, Codable, Sendable {
        /// The next step is about to be done.
        case ready
        /// The next step is done once this is saved, so that no restart does it twice: the first step of what the clock
        /// has started, and later each that must not be repeated or that follows a condition. With the number of the
        /// save.
        case unsaved(UInt64)
        /// The command of this step, with this ticket's number, is not answered yet.
        case sent(UInt64)
        /// A bridge of this step is away. It is tried again when the bridge is back, which is looked at then.
        case retrying(at: Timestamp)
        case waiting(from: Timestamp, until: Timestamp)
        /// Until a check has been true since a moment; `nil` while it is not.
        case waitingFor(since: Timestamp?, until: Timestamp?)

        /// Whether it waits for time to pass or for something to become true.
        public var isWaiting: Bool {
            switch self {
            case .waiting, .waitingFor: true
            case .ready, .unsaved, .sent, .retrying: false
            }
        }
    }

    struct Retry: Equatable, Codable, Sendable {
        let until: Timestamp
        let failure: Failure
    }

    public struct Problem: Equatable, Codable, Sendable {
        /// Counted from 0.
        public let step: Int
        public let failure: Failure
    }

    /// Whether it began before lightd started.
    var wasResumed = false

    /// The run that it took the place of, or the first of several; its own id if it began by itself.
    let origin: UInt64

    /// The lights that its commands were for; `nil`, as in the next three, if there are none.
    var named: Set<Light.ID>?
    /// The run, by its origin, that each light showed the doing of when this one began: it takes the light back when this
    /// one has restored it.
    var below: [Light.ID: UInt64]?
    /// Whose doing else counts as this run's: of runs above it that have given a light back, and of runs below it that
    /// have left one to it.
    var takenOver: [Light.ID: Set<Doer>]?

    /// Why lights already showed what it asked of them.
    var found: [Light.ID: Cause]?

    /// Who has sent a command of a run.
    struct Doer: Hashable, Codable, Sendable {
        let gesture: String
        let holder: String

        init(gesture: String, holder: String) { (self.gesture, self.holder) = (gesture, holder) }

        /// `nil` if the command belongs to no gesture, and so to no run.
        init?(of ticket: Ticket) {
            guard let gesture = ticket.gesture else { return nil }
            self.init(gesture: gesture, holder: ticket.holder)
        }
    }

    var doer: Doer { Doer(gesture: gesture, holder: automation.holder) }

    /// What its commands have in common, also with those of the runs that it took the place of: they are one step to
    /// undo.
    public var gesture: String { "run \(origin)" }

    public var outcome: Outcome {
        switch problems.count {
        case 0: .succeeded
        case 1: .failed(problems[0].failure)
        default: .failed(.impossible(problems.map { "step \($0.step + 1): \($0.failure)" }.joined(separator: "; ")))
        }
    }

    /// A run that is over.
    public struct Ended: Equatable, Codable, Sendable {
        public let run: UInt64
        public let reason: Reason
        public let started: Timestamp
        public let ended: Timestamp
        public let outcome: Outcome
    }
}
