import SimulatedBridge
import TestSupport

/// What was asked of each lamp, by whom and between which moments, and which states that allows: the last hand wins.
///
/// Like the test of a register: of two acts that overlap either may have won; one that began after another had taken
/// effect replaces it for good, and so what an older one asked must not come back.
struct LampHistory: Sendable {
    typealias Instant = ContinuousClock.Instant

    enum Author: String, Sendable { case command, hand, app, lightd, mains }

    /// What an act asks of a value.
    enum Asked<Value: Equatable & Sendable>: Equatable, Sendable {
        case untouched
        case it(Value)
        /// It may be anything from then on.
        case anything
    }

    struct Act: Sendable {
        let id: Int
        let author: Author
        /// For people who read of it.
        let words: String
        let power: Asked<Bool>
        /// 1…254.
        let level: Asked<Int>
        let began: Instant
        /// When it had taken effect; `nil`: it may still.
        var ended: Instant?
        /// Whether it took effect for sure.
        var isCertain = false
        /// Whether it was said that it did not, or perhaps not.
        var hasFailed = false
        /// Whether the lamp showed something else before.
        let isChange: Bool
        var ticket: UInt64?
        /// Has begun, and goes on until somebody else asks something: a sunrise.
        var isLasting = false

        fileprivate func touches(_ value: Value) -> Bool {
            switch value {
            case .power: power != .untouched
            case .level: level != .untouched
            }
        }

        fileprivate func allows(_ state: LightState, _ value: Value) -> Bool {
            switch (value, power, level) {
            case (.power, .anything, _), (.level, _, .anything): true
            case let (.power, .it(isOn), _): state.isOn == isOn
            // A per cent is 2.5 levels, and what is stepped or scaled is rounded on the way.
            case let (.level, _, .it(level)): abs(state.level - level) <= 3
            default: false
            }
        }
    }

    fileprivate enum Value: CaseIterable { case power, level }

    private var acts: [String: [Act]] = [:]
    private var count = 0

    /// - Parameter home: what the lamps show at the beginning.
    init(_ home: SimulatedHome, at now: Instant) {
        for lamp in home.lamps {
            let (isOn, level) = (lamp.lightState.isOn, lamp.lightState.level)
            let id = begin(.mains, "the beginning", lamp.name, .it(isOn), .it(level), in: home, at: now)
            finish([id], isCertain: true, at: now)
        }
    }

    /// - Returns: its id, with which it is finished.
    mutating func begin(
        _ author: Author, _ words: String, _ lamp: String, _ power: Asked<Bool>, _ level: Asked<Int>,
        in home: SimulatedHome, at now: Instant
    ) -> Int {
        count += 1
        let act = Act(
            id: count, author: author, words: words, power: power, level: level, began: now,
            isChange: home.lamp(called: lamp).map { lamp in
                if case let .it(isOn) = power, lamp.lightState.isOn != isOn { return true }
                if case let .it(level) = level { return lamp.lightState.isOn && abs(lamp.lightState.level - level) > 6 }
                return false
            } ?? false)
        let earlier = (acts[lamp] ?? []).map { earlier in
            guard earlier.isLasting else { return earlier }
            var earlier = earlier
            earlier.ended = earlier.ended ?? now - .milliseconds(1)
            return earlier
        }
        acts[lamp] = earlier + [act]
        return count
    }

    /// It has begun, and goes on until somebody else asks something.
    mutating func last(_ id: Int, of lamp: String) {
        guard let index = acts[lamp]?.firstIndex(where: { $0.id == id }) else { return }
        acts[lamp]?[index].isLasting = true
    }

    /// They have taken effect, or never will. A command that others for the same lamp have replaced meanwhile is answered
    /// before any of them has reached it, so while one is under way none has taken effect for sure, nor if the newer one
    /// then fails. Nor has what changed nothing: no bridge reports it, and so nobody can know that it came after a command
    /// that is still under way.
    ///
    /// - Parameters:
    ///   - isCertain: whether they did.
    ///   - now: by when.
    mutating func finish(_ ids: Set<Int>, isCertain: Bool, ticket: UInt64? = nil, at now: Instant) {
        for (lamp, all) in acts {
            guard all.contains(where: { ids.contains($0.id) }) else { continue }
            let others = all.filter { $0.author == .command && !ids.contains($0.id) }
            acts[lamp] = all.map { act in
                guard ids.contains(act.id) else { return act }
                let isReplaced = others.contains { $0.ended == nil || $0.began >= act.began && $0.hasFailed }
                var act = act
                act.hasFailed = !isCertain
                act.isCertain =
                    isCertain && (act.author == .command ? !isReplaced : act.isChange || act.author == .mains)
                (act.ended, act.ticket) = (act.ended ?? now, ticket)
                return act
            }
            forgetReplaced(of: lamp, at: now)
        }
    }

    private mutating func forgetReplaced(of lamp: String, at now: Instant) {
        let all = acts[lamp] ?? []
        acts[lamp] = all.filter { act in
            // One that has just been replaced still says who it was not.
            guard let ended = act.ended, now - ended > .seconds(30) else { return true }
            return Value.allCases.contains { act.touches($0) && !isReplaced(act, $0, among: all, at: now) }
        }
    }

    private func isReplaced(_ act: Act, _ value: Value, among all: [Act], at now: Instant) -> Bool {
        guard let ended = act.ended else { return false }
        return all.contains { later in
            guard later.isCertain, later.touches(value), let laterEnd = later.ended, laterEnd <= now else {
                return false
            }
            return later.began > ended
        }
    }

    /// Why a state of a lamp is wrong; `nil` if somebody may have asked for it.
    func objection(to state: LightState, of lamp: String, at now: Instant) -> String? {
        let all = acts[lamp] ?? []
        for value in Value.allCases {
            let possible = all.filter { $0.touches(value) && !isReplaced($0, value, among: all, at: now) }
            guard !possible.contains(where: { $0.allows(state, value) }) else { continue }
            let replaced = all.last { $0.touches(value) && $0.allows(state, value) }
            return "\(lamp) is \(state.isOn ? "on" : "off"), level \(state.level), but the last were "
                + possible.suffix(3).map { "'\($0.words)' \(seconds(now - $0.began)) ago" }.joined(separator: ", ")
                + (replaced.map { "; '\($0.words)', \(seconds(now - $0.began)) ago, was over" } ?? "")
        }
        return nil
    }

    /// What one of these did last to a lamp.
    func newest(of lamp: String, by authors: Set<Author>) -> Act? {
        acts[lamp]?.last { authors.contains($0.author) }
    }

    /// Whether a command for it is under way, or so recent that a bridge may still report that the lamp did not follow.
    func isCommanded(_ lamp: String, at now: Instant) -> Bool {
        (acts[lamp] ?? []).contains { act in
            [.command, .lightd].contains(act.author) && act.ended.map { now - $0 < .seconds(14) } ?? true
        }
    }

    /// The act after which nobody touched the lamp, if there is no doubt: no other began within 12 s before it ended, in
    /// which a bridge may report that a lamp did not follow, and it changed something.
    func undisputed(_ lamp: String, at now: Instant) -> Act? {
        let all = acts[lamp] ?? []
        guard let last = all.max(by: { $0.began < $1.began }), last.isCertain, last.isChange,
            let ended = last.ended, ended <= now
        else { return nil }
        let others = all.filter { $0.id != last.id }
        return others.allSatisfy { other in
            guard let otherEnd = other.ended else { return false }
            return otherEnd + .seconds(12) < last.began || other.isCertain && otherEnd + .seconds(2) < last.began
        } ? last : nil
    }
}
