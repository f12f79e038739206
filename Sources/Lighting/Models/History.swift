public import HashTreeCollections
public import Khipu

/// The commands that can be taken back: which lights each changed, and the whole home as it was before. Old states share their
/// structure with new ones, so that keeping them costs next to nothing.
public struct History: Equatable, Sendable {
    /// Oldest first. The newest may be undone: those that are stand at the end.
    public let steps: [Step]

    /// So many can be taken back; older ones are forgotten.
    public static let longest = 64
    /// A slider that is dragged is one step, however many commands it sends; so many of their tickets are remembered.
    public static let longestGesture = 64

    public struct Step: Equatable, Sendable {
        /// Whose effects it is: the commands of one gesture, and of those that did it again.
        public let tickets: [Ticket]
        /// The newest of its commands.
        public let command: Message.Lighting
        public let lights: [Light.ID]
        public let before: TreeDictionary<Light.ID, Light>
        /// Whether its newest command has been answered. A command on the same lights that comes before that is of the same gesture.
        public let isAnswered: Bool
        /// How it was when the step was undone, and by which command.
        public let undone: Undone?

        public struct Undone: Equatable, Sendable {
            public let ticket: Ticket
            public let after: TreeDictionary<Light.ID, Light>
        }

        public init(
            _ command: Message.Lighting, by ticket: Ticket, of lights: [Light.ID],
            before: TreeDictionary<Light.ID, Light>
        ) {
            self.init([ticket], command, lights, before, isAnswered: false, nil)
        }

        fileprivate init(
            _ tickets: [Ticket], _ command: Message.Lighting, _ lights: [Light.ID],
            _ before: TreeDictionary<Light.ID, Light>, isAnswered: Bool, _ undone: Undone?
        ) {
            self.tickets = tickets
            self.command = command
            self.lights = lights
            self.before = before
            self.isAnswered = isAnswered
            self.undone = undone
        }
    }

    // swift-format-ignore
    public enum Change: Equatable, Sendable {
        /// What was undone can then be redone no more.
        case recording(Recording); public enum Recording: Equatable, Sendable { case step(Step) }
        case closing  (Closing  ); public enum Closing  : Equatable, Sendable { case step(of: Ticket) }
        /// So many steps are undone by this command; the lights as they were just before.
        case undoing  (Undoing  ); public enum Undoing  : Equatable, Sendable { case steps(Int, by: Ticket, at: TreeDictionary<Light.ID, Light>) }
        case redoing  (Redoing  ); public enum Redoing  : Equatable, Sendable { case steps(Int, by: Ticket) }
        /// The undoing or redoing of this command came to nothing.
        case reverting(Reverting); public enum Reverting: Equatable, Sendable { case command(Ticket, to: History) }
    }

    public init(steps: [Step] = []) {
        self.steps = steps
    }

    public func alter(by changes: Change...) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .recording(.step   (step                      )): Self(steps: Array(done.adding(step).suffix(Self.longest)))
        case let .closing  (.step   (of: ticket                )): Self(steps: steps.map { $0.tickets.last == ticket ? $0.answered : $0 })
        case let .undoing  (.steps  (count , by: ticket, at: now)): Self(steps: done.dropLast(count) + done.suffix(count).map { $0.undone(by: ticket, at: now) } + undone)
        case let .redoing  (.steps  (count , by: ticket         )): Self(steps: done + undone.prefix(count).map { $0.redone(by: ticket) } + undone.dropFirst(count))
        case let .reverting(.command(ticket, to: before         )): speaks(of: ticket) ? before : self
        }
    }

    /// What can be undone, oldest first.
    public var done: [Step] { steps.filter { $0.undone == nil } }
    /// What can be redone, in the order in which it was done.
    public var undone: [Step] { steps.filter { $0.undone != nil } }

    /// Whether the newest undo or redo is this command's, so that nothing has come after it.
    private func speaks(of ticket: Ticket) -> Bool {
        undone.first?.undone?.ticket == ticket || done.last?.tickets.last == ticket
    }

    /// Of all commands whose effects lights may show: a light that another hand has changed bears none of them.
    public var tickets: Set<UInt64> {
        Set(steps.flatMap { $0.tickets.map(\.number) + ($0.undone.map { [$0.ticket.number] } ?? []) })
    }

    /// How everything was when a step that is undone had been done: as the next one found it, or as the undoing did.
    public func state(after step: Step) -> TreeDictionary<Light.ID, Light> {
        guard let place = steps.firstIndex(of: step) else { return step.before }
        return place + 1 < steps.count ? steps[place + 1].before : step.undone?.after ?? step.before
    }

    /// The command of a ticket, where it is remembered.
    public func command(of ticket: Ticket) -> Message.Lighting? {
        steps.last { $0.tickets.contains { $0.number == ticket.number } }?.command
    }
}

extension [History.Step] {
    fileprivate func adding(_ step: History.Step) -> Self {
        guard let last, last.continues(in: step) else { return self + [step] }
        return dropLast() + [
            History.Step(
                (last.tickets + step.tickets).suffix(History.longestGesture), step.command, last.lights, last.before,
                isAnswered: false, nil)
        ]
    }
}

extension History.Step {
    fileprivate func continues(in next: Self) -> Bool {
        !isAnswered && tickets.last?.holder == next.tickets.first?.holder && lights == next.lights
            && command.isSetting && next.command.isSetting
    }

    fileprivate var answered: Self { Self(tickets, command, lights, before, isAnswered: true, undone) }

    fileprivate func undone(by ticket: Ticket, at now: TreeDictionary<Light.ID, Light>) -> Self {
        Self(tickets, command, lights, before, isAnswered: true, Undone(ticket: ticket, after: now))
    }

    fileprivate func redone(by ticket: Ticket) -> Self {
        Self(tickets + [ticket], command, lights, before, isAnswered: true, nil)
    }
}

extension Message.Lighting {
    /// Whether it gives values: what a slider does many times a second.
    fileprivate var isSetting: Bool {
        switch self {
        case .apply, .increase, .decrease: true
        default: false
        }
    }
}
