public import HashTreeCollections
public import Khipu

/// The commands that can be undone: which lights each of them changed, what those showed before, and what it asked of
/// them.
public struct History: Equatable, Sendable {
    /// Oldest first. The steps that are undone now are at the end.
    public let steps: [Step]

    /// How many steps can be undone; older ones are forgotten.
    public static let longest = 64
    /// How many tickets a step remembers: the first and the newest. Dragging a slider is one step, however many commands
    /// it sends.
    public static let longestGesture = 64

    public struct Step: Equatable, Codable, Sendable, ChangeTable {
        /// The number of the newest command that it was recorded for. Newer steps have greater numbers.
        public fileprivate(set) var number: UInt64
        /// The commands whose effect it is: those of one gesture, and those that undid and redid it.
        public fileprivate(set) var tickets: [Ticket]
        /// The commands that undid and redid it, oldest first; unknown to older versions.
        fileprivate(set) var reversers: [Reverser]?
        /// The newest of its commands.
        public fileprivate(set) var command: Message.Lighting
        /// What the things in that command were called when it was recorded; unknown to older versions.
        public fileprivate(set) var names: Journal.Names?
        public fileprivate(set) var lights: [Light.ID]
        /// Its commands, oldest first, if they were different, as those of an automation's run are; of those that move one
        /// slider only the newest. `nil` if that is the newest alone; unknown to older versions.
        fileprivate(set) var parts: [Part]?
        /// What its lights showed before it.
        public fileprivate(set) var before: [Light.ID: Light.Snapshot]
        /// What its commands asked of its lights, whether they ever showed it or not. Empty for a scene, whose values
        /// only its bridge knows.
        public fileprivate(set) var asked: [Light.ID: Light.Values] = [:]
        /// Whether its newest command has been answered. Until then, a command for the same lights joins the same
        /// gesture; later, only one that names it.
        public fileprivate(set) var isAnswered = false
        /// The lights that its newest command, or what undid it, may still change, whatever they show now: all while
        /// that is under way, then those for which it was not confirmed.
        public fileprivate(set) var unconfirmed: Set<Light.ID>
        /// What its lights showed when it was undone, and the command that undid it.
        public fileprivate(set) var undone: Undone?
        /// The commands that undid steps which this one put out of reach of redo: what its lights showed before it may be
        /// their work.
        fileprivate(set) var reversals: [Ticket]?
        /// The same, with what they were; unknown to older versions.
        fileprivate(set) var replacedReversers: [Reverser]?

        public struct Undone: Equatable, Codable, Sendable {
            public let ticket: Ticket
            public let after: [Light.ID: Light.Snapshot]
            /// Those of its lights at which it was perhaps still to be carried out; unknown to older versions.
            public let unconfirmed: Set<Light.ID>?
        }

        /// One command of several.
        public struct Part: Equatable, Codable, Sendable {
            let number: UInt64
            let wording: Wording
            let lights: [Light.ID]
        }

        /// An undo or redo, of this step and perhaps of others.
        public struct Reverser: Equatable, Codable, Sendable {
            let ticket: Ticket
            let command: Message.Lighting
        }

        public init(
            _ command: Message.Lighting, by ticket: Ticket, of lights: [Light.ID],
            before: TreeDictionary<Light.ID, Light>, asking asked: [Light.ID: Light.Values] = [:],
            names: Journal.Names? = nil
        ) {
            number = ticket.number
            tickets = [ticket]
            self.command = command
            self.names = names
            self.lights = lights
            self.before = before.snapshots(of: lights)
            self.asked = asked
            unconfirmed = Set(lights)
        }
    }

    /// What a sentence about a command is made of.
    public struct Wording: Equatable, Codable, Sendable {
        public let command: Message.Lighting
        /// What the things in it were called then; `nil` if that is not remembered.
        public let names: Journal.Names?
    }

    // swift-format-ignore
    public enum Change: Equatable, Sendable {
        /// Steps that are undone can no longer be redone.
        case recording(Recording); public enum Recording: Equatable, Sendable { case step(Step) }
        case closing  (Closing  ); public enum Closing  : Equatable, Sendable { case step(of: Ticket, with: Outcome) }
        /// This command undoes this many steps; the lights are those from just before.
        case undoing  (Undoing  ); public enum Undoing  : Equatable, Sendable { case steps(Int, by: Ticket, at: TreeDictionary<Light.ID, Light>) }
        case redoing  (Redoing  ); public enum Redoing  : Equatable, Sendable { case steps(Int, by: Ticket) }
        /// The undo or redo of this command failed as a whole.
        case reverting(Reverting); public enum Reverting: Equatable, Sendable { case command(Ticket, to: History) }
    }

    public init(steps: [Step] = []) {
        self.steps = steps
    }

    public func alter(by changes: Change...) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .recording(.step   (step                      )): Self(steps: Array(done.adding(step.replacing(undone)).suffix(Self.longest)))
        case let .closing  (.step   (of: ticket, with: outcome  )): Self(steps: steps.map { $0.newest == ticket ? $0.answered(with: outcome) : $0 })
        case let .undoing  (.steps  (count , by: ticket, at: now)): Self(steps: done.dropLast(count) + done.suffix(count).map { $0.undone(by: ticket, of: count, at: now) } + undone)
        case let .redoing  (.steps  (count , by: ticket         )): Self(steps: done + undone.prefix(count).map { $0.redone(by: ticket, of: count) } + undone.dropFirst(count))
        case let .reverting(.command(ticket, to: before         )): endsWith(ticket) ? before : self
        }
    }

    /// What can be undone, oldest first.
    public var done: [Step] { steps.filter { $0.undone == nil } }
    /// What can be redone, in the order in which it was done.
    public var undone: [Step] { steps.filter { $0.undone != nil } }

    /// The step of the command with this number and those after it, oldest first.
    ///
    /// - Throws: `notUndoable` if it cannot be undone, `followed` if a step after it is not the holder's alone.
    func steps(downTo number: UInt64, by holder: String) throws(Failure) -> ArraySlice<Step> {
        let done = done
        guard let first = done.lastIndex(where: { $0.tickets.contains { $0.number == number } }) else {
            throw .notUndoable(number)
        }
        let foreign = done[first...].dropFirst().last { $0.tickets.contains { $0.holder != holder } }
        if let ticket = foreign?.tickets.last { throw .followed(by: ticket) }
        return done[first...]
    }

    /// Whether this command is the newest undo or redo, so that nothing has happened after it.
    private func endsWith(_ ticket: Ticket) -> Bool {
        undone.first?.undone?.ticket == ticket || done.last?.tickets.last == ticket
    }

    /// All commands whose effect lights may show. A light that somebody else has changed shows none of them.
    struct Commands: Sendable {
        private let numbers: Set<UInt64>
        private let longSteps: [Step]

        fileprivate init(of steps: [Step]) {
            numbers = Set(steps.flatMap { ($0.tickets + $0.allReversals).map(\.number) })
            longSteps = steps.filter(\.isLong)
        }

        func contains(_ ticket: Ticket) -> Bool {
            numbers.contains(ticket.number) || longSteps.contains { $0.hasForgotten(ticket) }
        }
    }

    var commands: Commands { Commands(of: steps) }

    /// What a step that is undone now led to: what its command asked of each light, whether the light had shown that yet
    /// or not. If something else had changed the light before the next step, or before the undo of the newest step, or
    /// if the bridge alone knows what was asked: what the light showed then.
    public func result(of step: Step) -> [Light.ID: Light.Snapshot] {
        let later = steps.drop { $0.number <= step.number }
        var result: [Light.ID: Light.Snapshot] = [:]
        for id in step.lights {
            let next = later.lazy.compactMap { $0.before[id] }.first
            let atUndo = step.undone?.after[id]
            result[id] = step.result(for: id, showing: next ?? (later.isEmpty ? atUndo : nil)) ?? atUndo
        }
        return result
    }

    /// What a light shows, or what was asked of it last, if it may still come to show that: what is sent to a light out
    /// of reach waits for its return.
    func valuesToCome(of light: Light) -> Light.Values {
        let shown = light.snapshot
        guard light.isUnreachable else { return shown.values }
        // The first that is undone was undone last.
        if let step = undone.first(where: { $0.lights.contains(light.id) }), step.unconfirmed.contains(light.id) {
            let isChangedSince = shown.cause.ticket == nil && shown.cause != step.undone?.after[light.id]?.cause
            return isChangedSince ? shown.values : step.before[light.id]?.values ?? shown.values
        }
        guard let step = done.last(where: { $0.lights.contains(light.id) }), step.unconfirmed.contains(light.id) else {
            return shown.values
        }
        return step.result(for: light.id, showing: shown)?.values ?? shown.values
    }

    /// The steps that the undo or redo with this ticket took back or did again, in that order, as far as they are still
    /// remembered.
    public func steps(reversedBy ticket: Ticket) -> [Step] {
        let reversed = steps.filter { $0.reverser(ticket) != nil }
        return if case .undo? = reversed.first?.reverser(ticket)?.command { reversed.reversed() } else { reversed }
    }

    /// The command with this ticket; `nil` if it is no longer remembered. The redo of a single step is all that step's
    /// commands: they are carried out once more.
    ///
    /// - Parameter light: of several, the one that has set it.
    public func wording(of ticket: Ticket, at light: Light.ID? = nil) -> [Wording]? {
        steps.lazy.reversed().compactMap { $0.wording(of: ticket, at: light) }.first
    }
}

extension [History.Step] {
    fileprivate func adding(_ step: History.Step) -> Self {
        guard let index = index(continuedBy: step) else { return self + [step] }
        return self[..<index] + self[index...].dropFirst() + [self[index].joined(by: step)]
    }

    /// The step that goes on in this one: the last, or one of the same named gesture that only steps of other lights
    /// follow. As those change nothing of each other's lights, it can as well have come after them.
    private func index(continuedBy next: History.Step) -> Int? {
        guard let last, !last.continues(in: next) else { return indices.last }
        guard let index = lastIndex(where: { $0.isOneGesture(with: next) }), self[index].continues(in: next) else {
            return nil
        }
        let lights = Set(self[index].lights + next.lights)
        return self[index...].dropFirst().allSatisfy { lights.isDisjoint(with: $0.lights) } ? index : nil
    }
}

extension History.Step {
    fileprivate func continues(in next: Self) -> Bool {
        guard let newest = tickets.last, let ticket = next.tickets.first else { return false }
        if isOneGesture(with: next) { return !command.isRecalling && !next.command.isRecalling }
        return !isAnswered && newest.holder == ticket.holder && newest.gesture == ticket.gesture
            && lights == next.lights && command.isSetting && next.command.isSetting
    }

    /// Whether the newest commands of both name one gesture of one client.
    fileprivate func isOneGesture(with next: Self) -> Bool {
        guard let newest = tickets.last, let ticket = next.tickets.last else { return false }
        return newest.isOneGesture(with: ticket)
    }

    fileprivate func joined(by next: Self) -> Self {
        with {
            $0.number = next.number
            $0.tickets = (tickets + next.tickets).firstAndNewest
            ($0.command, $0.names) = (next.command, next.names)
            let others = partsSoFar.filter { !$0.wording.command.isContinued(by: next.command) }
            $0.parts = others.isEmpty ? nil : (others + next.partsSoFar).suffix(History.longestGesture)
            let known = Set(lights)
            $0.lights += next.lights.filter { !known.contains($0) }
            $0.before = before.merging(next.before) { first, _ in first }
            $0.asked.merge(next.asked) { $1 }
            $0.isAnswered = false
            $0.unconfirmed.formUnion(next.lights)
            $0.reversals = [reversals, next.reversals].compactMap(\.self).joined().suffix(History.longestGesture)
            let replaced = (replacedReversers ?? []) + (next.replacedReversers ?? [])
            $0.replacedReversers = replaced.isEmpty ? nil : replaced.suffix(History.longestGesture)
        }
    }

    /// All that it did, oldest first.
    public var wording: [History.Wording] { partsSoFar.map(\.wording) }

    var partsSoFar: [Part] {
        parts ?? [Part(number: number, wording: History.Wording(command: command, names: names), lights: lights)]
    }

    fileprivate func wording(of ticket: Ticket, at light: Light.ID?) -> [History.Wording]? {
        if let replaced = replacedReversers?.last(where: { $0.ticket.number == ticket.number }) {
            return [History.Wording(command: replaced.command, names: nil)]
        }
        switch reverser(ticket)?.command {
        case .redo(1, _)?:
            let last = light.flatMap { light in partsSoFar.last { $0.lights.contains(light) } }
            return last.map { [$0.wording] } ?? wording
        case let reversal?: return [History.Wording(command: reversal, names: nil)]
        case nil:
            guard tickets.contains(where: { $0.number == ticket.number }) || hasForgotten(ticket) else { return nil }
            let part = parts?.first { $0.number == ticket.number }
            return [part?.wording ?? History.Wording(command: command, names: names)]
        }
    }

    fileprivate func reverser(_ ticket: Ticket) -> Reverser? {
        reversers?.last { $0.ticket.number == ticket.number }
    }

    /// Whether it may have had more commands than it remembers tickets.
    fileprivate var isLong: Bool { tickets.count >= History.longestGesture }

    /// Whether this is one of its commands that it does not remember by themselves: they lie between the first and those
    /// after it, and are of the same gesture.
    fileprivate func hasForgotten(_ ticket: Ticket) -> Bool {
        guard isLong, let first = tickets.first, let next = tickets.dropFirst().first else { return false }
        return first.number < ticket.number && ticket.number < next.number
            && first.holder == ticket.holder && first.gesture == ticket.gesture
    }

    /// The commands that undid it, or steps before it.
    fileprivate var allReversals: [Ticket] { (reversals ?? []) + (undone.map { [$0.ticket] } ?? []) }

    fileprivate func replacing(_ undone: [Self]) -> Self {
        guard !undone.isEmpty else { return self }
        return with {
            $0.reversals = undone.flatMap(\.allReversals).suffix(History.longestGesture)
            $0.replacedReversers = undone.flatMap { ($0.replacedReversers ?? []) + ($0.reversers ?? []) }
                .suffix(History.longestGesture)
        }
    }

    fileprivate func result(for id: Light.ID, showing shown: Light.Snapshot?) -> Light.Snapshot? {
        guard let asked = asked[id], let ticket = tickets.last else { return shown }
        if let shown, shown.values.agrees(with: asked) || isOverruled(id, showing: shown) { return shown }
        return Light.Snapshot(values: asked, cause: Cause(.command(ticket), at: ticket.time))
    }

    /// Whether something that was no command has changed the light since it was as before this step.
    private func isOverruled(_ id: Light.ID, showing shown: Light.Snapshot) -> Bool {
        shown.cause.ticket == nil && shown.cause != before[id]?.cause
    }

    /// The lights at which it may still be carried out: the unconfirmed ones, and all that a scene sets while none of them
    /// shows a change, because only its bridge knows what they are to show.
    func unsettled(showing now: TreeDictionary<Light.ID, Light>) -> Set<Light.ID> {
        guard case .recall = command, undone == nil else { return unconfirmed }
        let isUnchanged = lights.allSatisfy { id in
            guard let before = before[id], let light = now[id] else { return true }
            return light.values.agrees(with: before.values)
        }
        return isUnchanged ? Set(lights) : unconfirmed
    }

    /// The scene that it recalled, if it was undone before its lights showed it.
    var unshownScene: RecalledScene? {
        guard case let .recall(scene, _, motion) = command, undone?.unconfirmed?.isEmpty == false else { return nil }
        return RecalledScene(scene, motion: motion)
    }

    /// The newest command, or the one that undid it.
    fileprivate var newest: Ticket? { undone?.ticket ?? tickets.last }

    fileprivate func answered(with outcome: Outcome) -> Self {
        with {
            $0.isAnswered = true
            $0.unconfirmed = outcome.failure?.unconfirmed(among: lights) ?? []
        }
    }

    /// The step as it is remembered: after a restart, nothing of it is under way or waits to be sent any more.
    public var remembered: Self {
        with {
            $0.isAnswered = true
            $0.unconfirmed = []
        }
    }

    /// Undone or redone: begins no gesture, and is under way.
    private func reversed(by ticket: Ticket, _ command: Message.Lighting) -> Self {
        with {
            $0.isAnswered = true
            $0.unconfirmed = Set(lights)
            $0.reversers = ((reversers ?? []) + [Reverser(ticket: ticket, command: command)])
                .suffix(History.longestGesture)
        }
    }

    fileprivate func undone(
        by ticket: Ticket, of count: Int, at now: TreeDictionary<Light.ID, Light>
    ) -> Self {
        reversed(by: ticket, .undo(count, over: .usual)).with {
            $0.undone = Undone(ticket: ticket, after: now.snapshots(of: lights), unconfirmed: unsettled(showing: now))
        }
    }

    fileprivate func redone(by ticket: Ticket, of count: Int) -> Self {
        reversed(by: ticket, .redo(count, over: .usual)).with {
            // Where undo and redo cancel each other out, the light goes on showing what the undo sent.
            $0.tickets = (tickets + [undone?.ticket].compactMap(\.self) + [ticket]).firstAndNewest
            $0.undone = nil
        }
    }
}

extension [Ticket] {
    fileprivate var firstAndNewest: Self {
        count > History.longestGesture ? prefix(1) + suffix(History.longestGesture - 1) : self
    }
}

extension TreeDictionary<Light.ID, Light> {
    fileprivate func snapshots(of lights: [Light.ID]) -> [Light.ID: Light.Snapshot] {
        Dictionary(lights.compactMap { id in self[id].map { (id, $0.snapshot) } }) { first, _ in first }
    }
}

extension Message.Lighting {
    /// Whether it recalls a scene, whose values only its bridge knows: what a step asked would not be known any more.
    fileprivate var isRecalling: Bool { if case .recall = self { true } else { false } }

    /// Whether the next command of the same gesture does the same to other values, as a slider does.
    fileprivate func isContinued(by next: Self) -> Bool {
        switch (self, next) {
        case let (.apply(.values(patch), target, _), .apply(.values(other), nextTarget, _)):
            target == nextTarget && patch.named == other.named && patch.power == other.power
        case let (.apply(.mean, target, _), .apply(.mean, nextTarget, _)),
            let (.apply(.meanStep, target, _), .apply(.meanStep, nextTarget, _)):
            target == nextTarget
        case let (.increase(value, _, target, _), .increase(next, _, nextTarget, _)),
            let (.increase(value, _, target, _), .decrease(next, _, nextTarget, _)),
            let (.decrease(value, _, target, _), .increase(next, _, nextTarget, _)),
            let (.decrease(value, _, target, _), .decrease(next, _, nextTarget, _)):
            value == next && target == nextTarget
        default: self == next
        }
    }

    /// Whether it sets values, as a slider does many times a second.
    fileprivate var isSetting: Bool {
        switch self {
        case .apply, .increase, .decrease: true
        default: false
        }
    }
}
