import HueWire
import Khipu
import Lighting
import TestSupport
import Testing

@testable import HueBridge

/// Whose doing it is that lamps show what they show, if commands contradict one another faster than a bridge reports them.
struct ContradictionLawTests {
    private let hands = HandsTests()

    /// What a bridge does with commands that come faster than it reports: it carries out or refuses each, and reports once a
    /// second all that its lamps have shown since, or the last of each lamp alone.
    private struct BusyBridge {
        struct Look: Equatable {
            var (on, level) = (true, 40.0)
        }

        var mirror: HomeMirror
        /// So many reads are not answered.
        var failingReads = 0
        var random: SplitMix
        private(set) var shown: [ResourceID: Look]
        /// What the last command for each lamp has asked, and whether the lamp was on then.
        private var asked: [ResourceID: (on: Bool?, level: Double?, isLit: Bool, isOfGroup: Bool)] = [:]
        /// What each has shown until now.
        private var past: [ResourceID: [Look]] = [:]
        /// As the domain sees them.
        private(set) var lights: [ResourceID: Light] = [:]
        private(set) var sources: [Cause.Kind?] = []
        private(set) var yields: Set<ResourceID> = []
        private(set) var repairs: [Repair] = []
        private(set) var log: [String] = []
        private var unreported: [(lamp: ResourceID, look: Look)] = []
        private var now = Duration.zero
        private var nextReport = Duration.seconds(1)
        private let test: HandsTests

        init(_ test: HandsTests, seed: UInt64) {
            self.test = test
            random = SplitMix(seed: seed)
            mirror = HomeMirror(Bridge.ID("b"), OfflineCommands.Policy())
            _ = mirror.load(test.everything(on: true), at: HandsTests.now)
            shown = Dictionary(uniqueKeysWithValues: test.lamps.map { ($0, Look()) })
            lights = mirror.resources.lights.mapValues { $0.light(Light.ID(Bridge.ID("b"), $0.id), at: HandsTests.now) }
        }

        mutating func chance(_ parts: Int) -> Bool { Int.random(in: 0..<parts, using: &random) == 0 }

        /// A command to one lamp, or to all as a group.
        ///
        /// - Parameter isCarriedOut: `nil` if its answer does not come before the connection is lost.
        mutating func send(isCarriedOut: Bool?) {
            let lamps = chance(2) ? test.lamps : [test.lamps[0]]
            let isOn: Bool? = chance(3) ? nil : .random(using: &random)
            let level = isOn == nil ? [20.0, 40, 80].randomElement(using: &random) : nil
            log.append("\(now) \(lamps) on \(isOn as Any) level \(level as Any) carried out \(isCarriedOut as Any)")
            for lamp in lamps {
                _ = mirror.expect(
                    LightUpdate(on: isOn, brightness: level), of: lamp, by: test.ticket, isOfGroup: lamps.count > 1,
                    at: now)
            }
            guard let isCarriedOut else { return }
            wait(.milliseconds(Int.random(in: 5...60, using: &random)))
            if isCarriedOut {
                for lamp in lamps {
                    change(lamp, on: isOn, level: level)
                    asked[lamp] = (isOn, level, isLit: isOn ?? shown[lamp]?.on ?? true, isOfGroup: lamps.count > 1)
                }
            }
            mirror.delivered(to: lamps, isAccepted: isCarriedOut, at: now)
        }

        /// Whether a lamp shows something else than what it was asked for last, and something else than what it would show
        /// if it had missed that.
        func isContradicted(_ lamp: ResourceID) -> Bool {
            guard let shown = shown[lamp], let asked = asked[lamp] else { return false }
            let isOther =
                shown.on != asked.on ?? (shown.on || asked.isLit)
                || shown.on && shown.level != asked.level ?? shown.level
            return isOther
                && !(asked.isOfGroup && past[lamp, default: []].contains { $0 == shown || !$0.on && !shown.on })
        }

        mutating func change(_ lamp: ResourceID, on: Bool?, level: Double?) {
            guard let before = shown[lamp] else { return }
            let look = Look(on: on ?? before.on, level: level ?? before.level)
            shown[lamp] = look
            if look != before {
                unreported.append((lamp, look))
                past[lamp, default: []].append(before)
            }
        }

        /// Time passes; what is due is reported, or read.
        mutating func wait(_ time: Duration) {
            let end = now + time
            while true {
                now = max(now, min(mirror.nextDue ?? end, nextReport, end))
                if nextReport <= now { report() }
                let (unconfirmed, effects) = mirror.due(at: now)
                take(effects)
                if !unconfirmed.isEmpty { read(unconfirmed) }
                if now >= end { return }
            }
        }

        private func resource(_ lamp: ResourceID, _ look: Look) -> Resource {
            test.light(lamp, on: look.on, level: look.level)
        }

        private var all: [Resource] { shown.map { resource($0, $1) } }

        private mutating func report() {
            if !unreported.isEmpty { log.append("\(now) reported \(unreported.map { "\($0) \($1.on) \($1.level)" })") }
            let events =
                chance(2)
                ? unreported.map { resource($0, $1) }
                : Set(unreported.map(\.lamp)).flatMap { lamp in
                    shown[lamp].map { [resource(lamp, $0)] } ?? []
                }
            unreported = []
            nextReport = now + .milliseconds(Int.random(in: 200...1000, using: &random))
            take(mirror.apply(events.map { EventContainer(.update, [$0]) }, at: HandsTests.now, now))
        }

        private mutating func read(_ unconfirmed: [ResourceID]) {
            log.append("\(now) read for \(unconfirmed)")
            guard failingReads == 0 else {
                failingReads -= 1
                return mirror.unread(unconfirmed, at: now)
            }
            take(mirror.refresh(all, askedAt: now, at: HandsTests.now, now).0)
            take(mirror.judge(unconfirmed, isAwaited: { _ in false }, at: now))
        }

        /// The connection is lost, and comes back. Of what happened before, a bridge may report the last.
        mutating func lose() {
            log.append("\(now) lost")
            mirror.lose(at: now)
            unreported = Set(unreported.map(\.lamp)).compactMap { lamp in shown[lamp].map { (lamp, $0) } }
            let read = test.everything(on: true).map { resource in
                if case let .light(light) = resource, let look = shown[light.id] {
                    self.resource(light.id, look)
                } else {
                    resource
                }
            }
            take(mirror.load(read, at: HandsTests.now, now))
        }

        private mutating func take(_ effects: HomeMirror.Effects) {
            for case let .light(id, report) in effects.updates {
                sources.append(report.source)
                lights[id.resourceID] = lights[id.resourceID]?.alter(by: .reporting(.it(report, at: HandsTests.now)))
                log.append(
                    "\(now) \(id.resourceID): \(report.source.map { $0 == .otherApp ? "another app" : "ours" } ?? "nobody")"
                )
            }
            yields.formUnion(effects.yields)
            repairs += effects.repairs
        }

        var story: Comment { "\(log.joined(separator: "\n"))\nyields \(yields) repairs \(repairs.map(\.light))" }
    }

    @Test func `who contradicts himself is nobody else, whatever is refused, and whenever the connection breaks`() {
        for seed in seeds(500 as UInt64) {
            var bridge = BusyBridge(hands, seed: seed)
            for _ in 0..<Int.random(in: 2...30, using: &bridge.random) {
                bridge.send(isCarriedOut: !bridge.chance(8))
                bridge.wait(.milliseconds(Int.random(in: 0...500, using: &bridge.random)))
            }
            if bridge.chance(2) {
                if bridge.chance(2) { bridge.send(isCarriedOut: nil) }
                bridge.lose()
            }
            bridge.wait(.seconds(12))
            let isOurs = bridge.sources.allSatisfy { $0 == nil || $0 == .command(hands.ticket) }
            #expect(isOurs && bridge.yields == [] && bridge.repairs == [], "seed \(seed)\n\(bridge.story)")
        }
    }

    @Test func `a hand in the midst of commands that contradict one another is heard, and nothing is sent over it`() {
        for seed in seeds(500 as UInt64) {
            var bridge = BusyBridge(hands, seed: seed)
            bridge.failingReads = bridge.chance(4) ? 2 : 0
            for _ in 0..<Int.random(in: 2...8, using: &bridge.random) {
                bridge.send(isCarriedOut: !bridge.chance(8))
                bridge.wait(.milliseconds(Int.random(in: 0...400, using: &bridge.random)))
            }
            bridge.wait(.milliseconds(Int.random(in: 0...2500, using: &bridge.random)))
            let touched = bridge.chance(2) ? hands.lamps : [hands.lamps[0]]
            let isOn = !bridge.chance(3)
            let level = [20.0, 33, 40, 80].randomElement(using: &bridge.random)
            for lamp in touched { bridge.change(lamp, on: isOn, level: isOn ? level : nil) }
            bridge.wait(.seconds(15))
            for lamp in touched where bridge.isContradicted(lamp) {
                let isHeard = bridge.lights[lamp]?.cause.ticket == nil && bridge.yields.contains(lamp)
                #expect(
                    isHeard && !bridge.repairs.contains { $0.light == lamp }, "seed \(seed), \(lamp)\n\(bridge.story)")
            }
        }
    }
}
