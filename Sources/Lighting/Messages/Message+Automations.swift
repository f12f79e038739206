// swift-format-ignore
extension Message {
    public enum Automations: Equatable, Codable, Sendable {
        // Commands, each followed by its response.
        /// Makes these all lasting automations, in this order. One that is not listed is removed, unless others are kept;
        /// timers stay.
        case replace   ([Automation], keepsOthers: Bool? = nil)
        case replacing (Difference, Outcome)
        case enable    (Automation.ID, Bool)
        case enabling  (Automation.ID, Bool, Outcome)
        /// Removes an automation, or cancels a timer. Its runs are stopped.
        case remove    (Automation.ID)
        case removing  (Automation.ID, Outcome)
        /// Starts it whatever its conditions say; answered when it has ended, or waits.
        case run       (Automation.ID)
        case running   (Automation.ID, Outcome)
        /// Ends its runs: nothing more of them is done.
        case stop      (Automation.ID)
        case stopping  (Automation.ID, Outcome)
        /// Adds a timer, which gets a name of its own. Without a trigger it starts at once, and is answered as a run.
        case schedule  (Automation)
        case scheduling(Automation.ID, Outcome)

        // Facts.
        case started   (Automation.ID, named: String, run: UInt64, AutomationRun.Reason)
        case ended     (Automation.ID, named: String, AutomationRun.Ended)
        /// It was due and has not run, for this reason.
        case skipped   (Automation.ID, named: String, because: AutomationState.Skip.Reason)
        /// What this save and those before it were to keep is saved, or cannot be: what waited for that can begin.
        case saved     (UInt64, Outcome)

        /// What a new set changes.
        public struct Difference: Equatable, Codable, Sendable {
            public let added: [String]
            public let changed: [String]
            public let removed: [String]

            public init(added: [String] = [], changed: [String] = [], removed: [String] = []) {
                self.added = added
                self.changed = changed
                self.removed = removed
            }

            /// By name, in their order.
            public init(from known: [Automation], to new: [Automation]) {
                let before = Dictionary(known.map { ($0.id, $0) }) { $1 }
                let now = Set(new.map(\.id))
                added = new.filter { before[$0.id] == nil }.map(\.name)
                changed = new.filter { automation in before[automation.id].map { !$0.isWritten(like: automation) } ?? false }.map(\.name)
                removed = known.filter { !now.contains($0.id) }.map(\.name)
            }
        }

        public var outcome: Outcome? {
            switch self {
            case let .replacing(_, o), let .enabling(_, _, o), let .removing(_, o), let .running(_, o), let .stopping(_, o), let .scheduling(_, o): o
            case .replace, .enable, .remove, .run, .stop, .schedule, .started, .ended, .skipped, .saved: nil
            }
        }
    }
}
