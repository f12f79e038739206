public import HashTreeCollections
public import Khipu

/// All automations, what they wait for and what they are doing: a value. An event goes in; the next value and what is
/// to be done come out. It reads no clock, and survives restarts.
public struct AutomationState: Equatable, Sendable {
    public private(set) var automations: TreeDictionary<Automation.ID, Automation> = [:]
    /// As in their file; timers follow in the order in which they were made.
    public private(set) var order: [Automation.ID] = []
    /// Under way, oldest first.
    public internal(set) var runs: [AutomationRun] = []
    /// The last ones of each automation, newest first.
    public internal(set) var ended: TreeDictionary<Automation.ID, [AutomationRun.Ended]> = [:]
    /// When and why each automation last did not run although it was triggered. Not kept over a restart.
    public internal(set) var skipped: TreeDictionary<Automation.ID, Skip> = [:]
    /// What the clock starts next and somebody wants left out, once.
    public internal(set) var omissions: TreeDictionary<Automation.ID, Omission> = [:]
    /// Until when automations pause that were triggered too often. Neither this nor ``starts`` is kept over a restart.
    public internal(set) var paused: TreeDictionary<Automation.ID, Timestamp> = [:]
    /// When the home's changes triggered an automation lately.
    var starts: TreeDictionary<Automation.ID, [Timestamp]> = [:]
    var schedule = Schedule<TriggerID>()
    /// When timers are due that wait for time to pass. They are not on the schedule, because they need no hour.
    private(set) var countdowns: [TriggerID: Timestamp] = [:]
    /// What was last known of each check that is a trigger.
    var truths: TreeDictionary<TriggerID, Bool> = [:]
    /// Since when checks have been true that must be true for a while.
    var holding: TreeDictionary<TriggerID, Timestamp> = [:]
    var nextRun: UInt64 = 1
    private var lastTimer: UInt64 = 0
    /// How many saves were asked for since lightd started.
    var saves: UInt64 = 0
    /// The buttons that have been down for long.
    var held: Set<Button> = []
    /// Short presses that may be the first of two. Not kept over a restart.
    var first: TreeDictionary<Button, FirstPress> = [:]
    /// The triggers that what is called so may start.
    private(set) var triggers: [Subject: [TriggerID]] = [:]

    /// How many ended runs of an automation are remembered.
    static let longestPast = 10
    /// The home's changes may start an automation so often within this time; then it pauses so long.
    public static let mostStarts = 20
    /// How often a bridge that is away is looked for.
    static let retryPause = Duration.seconds(15)
    static let (burst, longestPause) = (Duration.seconds(60), Duration.seconds(600))

    struct TriggerID: Hashable, Codable, Sendable {
        let automation: Automation.ID
        /// Counted from 0.
        let index: Int
    }

    /// Under which name events tell of something.
    enum Subject: Hashable, Sendable {
        case sensor(String)
        /// Of a light or a room, or "all".
        case lights(String)
        case bridges
    }

    struct Button: Hashable, Sendable {
        let sensor: Sensor.ID
        let number: Int
    }

    /// A short press of a button whose double press an automation waits for.
    struct FirstPress: Equatable, Sendable {
        /// What the switch is called.
        let subjects: Set<Subject>
        /// When it counts as the only one, unless the second has begun.
        var until: Timestamp
        /// Whether the second has come, and the double press was told; the bridge may tell it too.
        var isDouble = false
    }

    /// Two short presses are a double press if the second begins, and then ends, within this time.
    public static let doublePress = Duration.milliseconds(600)

    public struct Skip: Equatable, Sendable {
        public let time: Timestamp
        public let reason: Reason

        public enum Reason: Equatable, Codable, Sendable {
            /// This condition did not hold.
            case condition(Automation.Condition)
            /// Nobody knows whether it holds.
            case unknown(Automation.Condition)
            /// It was running already.
            case running
            /// It was due this long ago.
            case late(Duration)
            /// It has started again and again, and pauses.
            case tooOften(until: Timestamp)
            /// This client wanted it left out, once.
            case omitted(by: String)
        }
    }

    /// One run by the clock that is left out. Runs by hand, and by what happens in the home, are not.
    public struct Omission: Equatable, Codable, Sendable {
        /// When it is due.
        public let time: Timestamp
        /// The client that asked for it.
        public let holder: String

        public init(time: Timestamp, holder: String) { (self.time, self.holder) = (time, holder) }
    }

    public init() {}

    /// In order.
    public var all: [Automation] { order.compactMap { automations[$0] } }
    /// Those that a person has written, in the order of their file.
    public var lasting: [Automation] { all.filter { !$0.isTimer } }
    /// Those that wait for their time, then those that have begun.
    public var timers: [Automation] {
        let waiting = all.filter(\.isTimer)
        return waiting + runs.map(\.automation).filter { $0.isTimer && automations[$0.id] == nil }
    }

    /// When the clock does something next, as far as is known now.
    func next(at now: Timestamp) -> Timestamp? {
        let held = holding.compactMap { id, since in trigger(id)?.duration.map { since.advanced(by: $0) } }
        let scheduled = schedule.next.map { now.isPlausible ? $0 : .earliestPlausible }
        return ([scheduled] + Array(countdowns.values) + held + first.values.map(\.until) + runs.map(\.nextLook))
            .compactMap(\.self).min()
    }

    /// Whether anything that is reported can concern an automation.
    var listens: Bool { !triggers.isEmpty || !runs.isEmpty }

    func trigger(_ id: TriggerID) -> Automation.Trigger? {
        guard let automation = automations[id.automation], automation.triggers.indices.contains(id.index) else {
            return nil
        }
        return automation.triggers[id.index]
    }

    // MARK: - Which automations there are

    /// With these lasting automations and today's timers. What is known and due of those that stay the same stays.
    mutating func replace(_ lasting: [Automation], in view: HomeView) {
        let names = Set(lasting.map(\.id))
        let timers = all.filter { $0.isTimer && !names.contains($0.id) }
        let before = automations
        automations = TreeDictionary((lasting + timers).map { ($0.id, $0) }) { first, _ in first }
        order = (lasting + timers).map(\.id)
        let gone = before.filter { automations[$0.key]?.triggers != $0.value.triggers }.map(\.key)
        forget(Set(gone))
        for id in before.keys where automations[id] == nil {
            ended[id] = nil
            skipped[id] = nil
        }
        // What was to be left out was due by the triggers and the conditions of before.
        omissions = omissions.filter { id, _ in
            guard let automation = automations[id], automation.isEnabled, !gone.contains(id) else { return false }
            return automation.conditions == before[id]?.conditions
        }
        update(in: view)
    }

    /// Gives an automation another name, and with it what is known, due and under way.
    mutating func rename(_ old: Automation.ID, to name: String) {
        guard let automation = automations[old], automation.name != name else { return }
        let renamed = automation.named(name)
        let new = renamed.id
        automations[old] = nil
        automations[new] = renamed
        if let place = order.firstIndex(of: old) { order[place] = new }
        ended[new] = ended.removeValue(forKey: old)
        skipped[new] = skipped.removeValue(forKey: old)
        omissions[new] = omissions.removeValue(forKey: old)
        paused[new] = paused.removeValue(forKey: old)
        starts[new] = starts.removeValue(forKey: old)
        for index in automation.triggers.indices {
            let (before, now) = (TriggerID(automation: old, index: index), TriggerID(automation: new, index: index))
            truths[now] = truths.removeValue(forKey: before)
            holding[now] = holding.removeValue(forKey: before)
        }
        for index in runs.indices where runs[index].automation.id == old {
            runs[index].automation = runs[index].automation.named(name)
        }
    }

    /// What a person has written, as it is kept: with what its names mean. One that says the same as before stays as it
    /// is, and knows what was renamed since.
    func settled(_ written: [Automation], in names: HomeNames, _ commands: CommandResolver) -> [Automation] {
        let meanings = NameMeanings(all + runs.map(\.automation))
        return written.map { automation in
            let settled = automation.withNames(of: names, commands, meanings: meanings)
            guard let known = automations[automation.id], known.isWritten(like: settled) else { return settled }
            return known
        }
    }

    /// Lets automations and runs call things as they are called today.
    ///
    /// - Returns: whether any does so otherwise than before.
    mutating func keepNames(in view: HomeView, _ commands: CommandResolver) -> Bool {
        var isChanged = false
        for (id, automation) in automations {
            let named = automation.withNames(of: view.names, commands)
            if named != automation { (automations[id], isChanged) = (named, true) }
        }
        for index in runs.indices {
            let named = runs[index].automation.withNames(of: view.names, commands)
            if named != runs[index].automation { (runs[index].automation, isChanged) = (named, true) }
        }
        if isChanged { update(in: view) }
        return isChanged
    }

    mutating func add(_ automation: Automation, in view: HomeView) {
        automations[automation.id] = automation
        order.append(automation.id)
        update(in: view)
    }

    /// Under a name of the form "timer 3", which no timer had before it: who cancels timer 3 means the one they set.
    mutating func asTimer(_ automation: Automation) -> Automation {
        repeat { lastTimer += 1 } while has(Automation.ID("timer \(lastTimer)"))
        return automation.named("timer \(lastTimer)")
    }

    /// Whether it exists, or is a timer that runs.
    func has(_ id: Automation.ID) -> Bool { automations[id] != nil || runs.contains { $0.automation.id == id } }

    mutating func remove(_ id: Automation.ID, in view: HomeView) {
        automations[id] = nil
        order.removeAll { $0 == id }
        ended[id] = nil
        skipped[id] = nil
        omissions[id] = nil
        forget([id])
        update(in: view)
    }

    /// A timer that is triggered is no longer due, and becomes its run.
    mutating func consume(_ timer: Automation, in view: HomeView) {
        automations[timer.id] = nil
        order.removeAll { $0 == timer.id }
        forget([timer.id])
        update(in: view)
    }

    /// Timers that wait for time to pass have done so since other moments.
    mutating func count(from moment: (Timestamp) -> Timestamp) {
        for id in Set(countdowns.keys.map(\.automation)) { automations[id] = automations[id]?.counted(from: moment) }
        for id in countdowns.keys {
            if case let .clock(trigger)? = trigger(id) { countdowns[id] = trigger.moment }
        }
    }

    mutating func enable(_ id: Automation.ID, _ isEnabled: Bool, in view: HomeView) {
        automations[id] = automations[id]?.alter(by: .enabling(.it(isEnabled)))
        if isEnabled { (paused[id], starts[id]) = (nil, nil) } else { forget([id]) }
        if !isEnabled { omissions[id] = nil }
        update(in: view)
    }

    /// Leaves out what the clock starts next of an automation, or no longer.
    ///
    /// - Parameter holder: who asks for it; `nil` if it is to run after all.
    mutating func omit(_ id: Automation.ID, for holder: String?, in view: HomeView) throws(Failure) {
        guard let automation = automations[id], !automation.isTimer else { throw .noSuchAutomation(id) }
        guard let holder else {
            guard omissions[id] != nil else { throw .impossible("nothing of '\(automation.name)' is to be skipped") }
            omissions[id] = nil
            return
        }
        guard view.now.isPlausible else { throw .wrongClock(view.now) }
        guard automation.isEnabled else { throw .impossible("'\(automation.name)' is disabled") }
        // Whoever asks again, because they did not know, does not mean the one after.
        guard omissions[id] == nil else { return }
        guard let due = due(automation, after: view.now, in: view.time) else {
            throw .impossible("the clock does not start '\(automation.name)'")
        }
        omissions[id] = Omission(time: due.time, holder: holder)
    }

    /// Whether what the clock starts at this time is to be left out; then that has happened.
    mutating func takeOmission(of automation: Automation, at time: Timestamp, in home: HomeTime) -> Omission? {
        // Another lightd may have computed the sun a little otherwise.
        guard let omission = omissions[automation.id],
            time <= omission.time.advanced(by: Automation.punctualWithin), automation.mayRun(at: time, in: home)
        else { return nil }
        omissions[automation.id] = nil
        return omission
    }

    /// Forgets what was to be left out and is past, and finds it anew if everything was planned anew: for another zone or
    /// place, or because the clock was set far back.
    ///
    /// - Returns: whether anything changed.
    mutating func updateOmissions(isPlannedAnew: Bool, in view: HomeView) -> Bool {
        guard !omissions.isEmpty, view.now.isPlausible else { return false }
        let before = omissions
        for (id, omission) in before {
            let isPast = omission.time.advanced(by: Automation.punctualWithin) <= view.now
            if isPast {
                omissions[id] = nil
            } else if isPlannedAnew {
                omissions[id] = automations[id].flatMap { due($0, after: view.now, in: view.time) }
                    .map { Omission(time: $0.time, holder: omission.holder) }
            }
        }
        return omissions != before
    }

    private mutating func forget(_ ids: Set<Automation.ID>) {
        for id in ids { (paused[id], starts[id]) = (nil, nil) }
        truths = truths.filter { !ids.contains($0.key.automation) }
        holding = holding.filter { !ids.contains($0.key.automation) }
    }

    /// When the clock starts an automation next; `nil` if only something in the home does, or by a clock that cannot be
    /// right, of which nobody knows when it is what hour.
    /// What is to be left out does not count.
    public func next(_ automation: Automation, at now: Timestamp, in time: HomeTime) -> Timestamp? {
        planned(automation, at: omissions[automation.id].map { max($0.time, now) } ?? now, in: time)
    }

    private func planned(_ automation: Automation, at now: Timestamp, in time: HomeTime) -> Timestamp? {
        automation.triggers.enumerated().compactMap { index, trigger in
            guard case let .clock(trigger) = trigger, now.isPlausible || trigger.moment != nil else { return nil }
            return time.next(trigger, after: done(automation.id, trigger: index, at: now))
        }.min()
    }

    /// When the clock starts an automation next, by which of its triggers; without what its conditions on the hour, the day
    /// and the sun rule out then. Omissions do not count. `nil` if it does not.
    ///
    /// - Parameter moment: not before it; `nil` takes what has come for all that is past, so that no clock is needed.
    public func due(
        _ automation: Automation, after moment: Timestamp?, in time: HomeTime
    ) -> (trigger: ClockTrigger, time: Timestamp)? {
        automation.triggers.enumerated().compactMap { index, trigger -> (trigger: ClockTrigger, time: Timestamp)? in
            guard case let .clock(trigger) = trigger else { return nil }
            if let once = trigger.moment { return (trigger, once) }
            let id = TriggerID(automation: automation.id, index: index)
            guard let mark = schedule.mark(of: id) else { return nil }
            let start = moment.map { schedule.done(id, at: $0) } ?? mark
            // Lazily: nearly always it is the first.
            return sequence(first: time.next(trigger, after: start)) { $0.flatMap { time.next(trigger, after: $0) } }
                .lazy.prefix(Self.farthestLook).prefix { $0 != nil }.compactMap(\.self)
                .first { automation.mayRun(at: $0, in: time) }.map { (trigger, $0) }
        }.min { $0.time < $1.time }
    }

    /// How many times of a trigger may be ruled out before it counts as never coming.
    private static let farthestLook = 60

    /// Whether a list of the automations says the same of both.
    public func isListed(like other: Self) -> Bool {
        isPlanned(like: other) && order == other.order && runs == other.runs && ended == other.ended
            && skipped == other.skipped && paused == other.paused && omissions == other.omissions
    }

    /// Whether the clock starts the same at the same times in both.
    public func isPlanned(like other: Self) -> Bool {
        automations == other.automations && schedule == other.schedule
    }

    /// Until when the clock starts nothing by a trigger of an automation: later than now if the clock was set back.
    public func done(_ automation: Automation.ID, trigger index: Int, at now: Timestamp) -> Timestamp {
        schedule.done(TriggerID(automation: automation, index: index), at: now)
    }

    /// Puts the clock's triggers on the schedule, and the others where their events find them.
    mutating func update(in view: HomeView) {
        var clock: [TriggerID: ClockTrigger] = [:]
        (countdowns, triggers) = ([:], [:])
        for automation in all where automation.isEnabled {
            for (index, trigger) in automation.triggers.enumerated() {
                let id = TriggerID(automation: automation.id, index: index)
                switch trigger {
                case .clock(let trigger) where automation.counts: countdowns[id] = trigger.moment
                case let .clock(trigger): clock[id] = trigger
                case .becomes, .press: break
                }
                if let subject = trigger.subject { triggers[subject, default: []].append(id) }
            }
        }
        schedule.replaceTriggers(with: clock, at: view.now, in: view.time)
        for id in triggers.values.joined() where truths[id] == nil { learn(id, in: view) }
    }

    /// Takes in what is true now without starting anything. What must be true for a while has been true since now, at the
    /// latest; if nobody knows, it counts anew once that is known.
    mutating func learn(_ id: TriggerID, in view: HomeView) {
        guard case let .becomes(check, for: duration)? = trigger(id) else { return }
        switch view.truth(of: check) {
        case true?:
            if duration != nil, truths[id] != true { holding[id] = view.now }
            if truths[id] != true { truths[id] = true }
        case false?:
            if holding[id] != nil { holding[id] = nil }
            if truths[id] != false { truths[id] = false }
        case nil:
            // What has been true for its while has done its part, and does so again only after it was false.
            if holding[id] != nil { (holding[id], truths[id]) = (nil, nil) }
        }
    }

    // MARK: - What is kept over a restart

    /// What is kept besides the automations themselves.
    public struct Memory: Equatable, Codable, Sendable {
        var runs: [AutomationRun] = []
        var ended: [Automation.ID: [AutomationRun.Ended]] = [:]
        var schedule = Schedule<TriggerID>()
        var nextRun: UInt64 = 1
        var lastTimer: UInt64 = 0
        /// `nil` if there are none, as in what older versions have kept.
        var omissions: [Automation.ID: Omission]?

        public init() {}

        /// Without what is under way: for a state that comes from a backup, where going on with it would surprise.
        public var idle: Self {
            var idle = self
            idle.runs = []
            return idle
        }
    }

    public var memory: Memory {
        var memory = Memory()
        (memory.runs, memory.schedule) = (runs, schedule)
        (memory.nextRun, memory.lastTimer) = (nextRun, lastTimer)
        memory.ended = Dictionary(uniqueKeysWithValues: ended.map { ($0.key, $0.value) })
        if !omissions.isEmpty {
            memory.omissions = Dictionary(uniqueKeysWithValues: omissions.map { ($0.key, $0.value) })
        }
        return memory
    }

    /// As it was when lightd ended. What a check was is not known any more, so that nothing is triggered by what changed
    /// meanwhile.
    public init(_ automations: [Automation], _ memory: Memory) {
        self.automations = TreeDictionary(automations.map { ($0.id, $0) }) { $1 }
        order = automations.map(\.id)
        (runs, schedule) = (memory.runs, memory.schedule)
        (nextRun, lastTimer) = (memory.nextRun, memory.lastTimer)
        ended = TreeDictionary(uniqueKeysWithValues: memory.ended.map { ($0.key, $0.value) })
        omissions = TreeDictionary(uniqueKeysWithValues: (memory.omissions ?? [:]).map { ($0.key, $0.value) })
        for index in runs.indices { (runs[index].asker, runs[index].wasResumed) = (nil, true) }
    }
}

extension Automation {
    /// Whether its conditions on the hour, the day and the sun allow it then; of others nobody knows before.
    func mayRun(at time: Timestamp, in home: HomeTime) -> Bool {
        conditions.allSatisfy { home.holds($0, at: time) { _ in nil } != false }
    }

    /// Whether it is a timer that waits for time to pass, whatever the clock is set to.
    fileprivate var counts: Bool {
        isTimer && triggers.contains { if case .clock(.after) = $0 { true } else { false } }
    }

    fileprivate func counted(from moment: (Timestamp) -> Timestamp) -> Self {
        Self(
            name: name,
            triggers: triggers.map { trigger in
                guard case let .clock(.after(duration, since: start)) = trigger else { return trigger }
                return .clock(.after(duration, since: moment(start)))
            }, conditions: conditions, steps: steps, mode: mode, lateness: lateness, kind: kind, isEnabled: isEnabled
        ).with(names: names)
    }
}

extension Automation.Trigger {
    /// How long it must be true.
    var duration: Duration? { if case let .becomes(_, for: duration) = self { duration } else { nil } }

    var subject: AutomationState.Subject? {
        switch self {
        case .clock: nil
        case let .becomes(check, _): check.subject
        case let .press(sensor, _, _): Automation.Check.motion(sensor, true).subject
        }
    }
}
