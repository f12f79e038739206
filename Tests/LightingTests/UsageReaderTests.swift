import Foundation
import Khipu
import LightingTestKit
import Synchronization
import TestSupport
import Testing

@testable import Lighting

/// How people light their home, as the journal tells it.
struct UsageReaderTests {
    private let desk = HomeFixture.desk.id
    private let sofa = HomeFixture.sink.id
    private static let person = Cause.Kind.command(
        Ticket(number: 1, holder: "lightctl (uid 1000)", time: .sample))

    private func entry(_ minute: Int, _ update: BridgeUpdate, number: Int64? = nil) -> Journal.Entry {
        let time = Timestamp.sample.advanced(by: .seconds(minute * 60))
        return Journal.Entry(
            number: number ?? Int64(minute), time: time,
            message: .lighting(.reported(update), ticket: .unasked(from: "bridge", at: time)))
    }

    private func history(_ entries: Journal.Entry..., until minute: Int = 600, motion: Set<String> = []) -> UsageHistory
    {
        var reader = UsageReader()
        reader.read(entries)
        return reader.tally(after: UsageTally()).history(
            since: .sample, until: .sample.advanced(by: .seconds(minute * 60)), without: motion)
    }

    private func use(_ light: Light.ID, _ start: Int, _ end: Int, _ level: Double?) -> UsageHistory.Use {
        UsageHistory.Use(
            light, from: .sample.advanced(by: .seconds(start * 60)), to: .sample.advanced(by: .seconds(end * 60)),
            level: level)
    }

    @Test func `a lamp that a person turned on was used until it went off, at the level at which it burned longest`() {
        #expect(
            history(
                entry(10, .light(desk, .init(power: .on, brightness: 1, source: Self.person))),
                entry(12, .light(desk, .init(brightness: 0.3, source: Self.person))),
                entry(40, .light(sofa, .init(power: .on, source: .accessory("Hall")))),
                entry(70, .light(desk, .init(power: .off, source: .otherApp))),
                until: 100
            ).uses == [use(desk, 10, 70, 0.3), use(sofa, 40, 100, nil)])
    }

    @Test(arguments: [
        Cause.Kind.power, .unseen, .accessory("Hall sensor"),
        .command(Ticket(number: 2, holder: "automation 'Evening'", time: .sample).own),
        .command(Ticket(number: 2, holder: "daylight on @Living", time: .sample).own),
        .command(Ticket(number: 2, holder: "away", time: .sample).own),
        .scene(HomeFixture.relax.id, by: Ticket(number: 2, holder: "automation 'Evening'", time: .sample).own),
    ])
    func `what no person turned on is no habit`(cause: Cause.Kind) {
        let uses = history(
            entry(10, .light(desk, .init(power: .on, brightness: 1, source: cause))),
            entry(20, .light(desk, .init(brightness: 0.5, source: Self.person))),
            entry(70, .light(desk, .init(power: .off, source: Self.person))), motion: ["Hall sensor"]
        ).uses
        #expect(uses.isEmpty)
    }

    @Test(arguments: [
        person, .accessory("Hall"), .otherApp, .scene(HomeFixture.relax.id, by: nil),
        .command(Ticket(number: 2, holder: "switch 'Dial Living'", time: .sample).own),
    ])
    func `what a person turned on is`(cause: Cause.Kind) {
        let uses = history(
            entry(10, .light(desk, .init(power: .on, brightness: 1, source: cause))),
            entry(70, .light(desk, .init(power: .off, source: .unseen)))
        ).uses
        #expect(uses == [use(desk, 10, 70, 1)])
    }

    @Test func `a lamp that was only tried, or forgotten for a night and a day, was not used`() {
        let uses = history(
            entry(10, .light(desk, .init(power: .on, source: Self.person))),
            entry(10, .light(desk, .init(power: .off, source: Self.person))),
            entry(20, .light(sofa, .init(power: .on, source: Self.person))),
            entry(20 + 17 * 60, .light(sofa, .init(power: .off, source: Self.person))), until: 2000
        ).uses
        #expect(uses.isEmpty)
    }

    @Test func `a lamp without mains power is off, and nothing is known while its bridge is lost`() {
        let lost = Journal.Entry(
            number: 50, time: .sample.advanced(by: .seconds(50 * 60)),
            message: .bridges(
                .lost(.sample, because: .notPaired), ticket: .unasked(from: "bridge", at: .sample)))
        let uses = history(
            entry(10, .light(desk, .init(power: .on, source: Self.person))),
            entry(30, .light(desk, .init(reachable: false))),
            entry(40, .light(sofa, .init(power: .on, source: Self.person))), lost,
            entry(300, .light(sofa, .init(power: .off, source: Self.person)))
        ).uses
        #expect(uses == [use(desk, 10, 30, nil), use(sofa, 40, 50, nil)])
    }

    @Test func `a journal is read in bounded pages, and all of it counts`() {
        let journal = MemoryJournal()
        for minute in 0..<1700 {
            let report = Light.Report(power: minute.isMultiple(of: 2) ? .on : .off, source: Self.person)
            let entry = entry(minute, .light(desk, report))
            journal.journal.append(entry.message, Journal.Names(), entry.time)
        }
        let pages = Mutex<[Int]>([])
        let found = Mutex(UsageHistory())
        var gateway = journal.journal
        let list = gateway.list
        gateway.list = { filter, reply in
            list(filter) { result in
                pages.withLock { $0.append((try? result.get().count) ?? 0) }
                reply(result)
            }
        }
        gateway.readUsage(
            since: .sample, until: .sample.advanced(by: .seconds(1700 * 60)), without: []
        ) { result in found.withLock { $0 = (try? result.get()) ?? UsageHistory() } }
        #expect(pages.withLock { $0 } == [500, 500, 500, 200])
        #expect(found.withLock { $0.uses.count } == 850)
        #expect(found.withLock { $0.uses.last } == use(desk, 1698, 1699, nil))
    }

    /// Entries as they come in a home: by people, by automations and by motion, with losses of the bridge between them.
    private func anyEntries(_ random: inout SplitMix) -> [Journal.Entry] {
        var minute = 0
        return (1...200).map { number in
            minute += Int.random(in: 0..<40, using: &random)
            let lamp = Bool.random(using: &random) ? desk : sofa
            let source = [
                Self.person, .accessory("Hall"), .accessory("Hall sensor"), .otherApp, .unseen, .power,
                .command(Ticket(number: 2, holder: "automation 'Evening'", time: .sample).own),
            ].randomElement(using: &random)
            let level = [nil, 0.25, 0.5, 1].randomElement(using: &random) ?? nil
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                return Journal.Entry(
                    number: Int64(number), time: .sample.advanced(by: .seconds(minute * 60)),
                    message: .bridges(
                        .lost(.sample, because: .notPaired), ticket: .unasked(from: "bridge", at: .sample)))
            case 1: return entry(minute, .removed(.light(lamp)), number: Int64(number))
            case 2: return entry(minute, .light(lamp, .init(reachable: false)), number: Int64(number))
            case 3...5:
                return entry(minute, .light(lamp, .init(power: .off, source: source)), number: Int64(number))
            default:
                let power: Turn? = Int.random(in: 0..<3, using: &random) == 0 ? nil : .on
                return entry(
                    minute, .light(lamp, .init(power: power, brightness: level, source: source)), number: Int64(number))
            }
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `what is kept of deleted entries, and those that follow, tell what all of them tell`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let entries = anyEntries(&random)
        func history(_ tally: UsageTally) -> UsageHistory {
            tally.history(since: .sample, until: .sample.advanced(by: .seconds(400_000)), without: ["Hall sensor"])
        }
        var whole = UsageReader()
        whole.read(entries)
        let wanted = history(whole.tally(after: UsageTally()))
        #expect(!wanted.uses.isEmpty)
        for _ in 0..<20 {
            // While the pages were read, some of what was read was deleted.
            let deleted = Int.random(in: 0...200, using: &random)
            let first = Int.random(in: 0...200, using: &random)
            var past = UsageTally()
            for entry in entries.prefix(deleted) { past.take(entry) }
            // As it is written and read.
            let lamps = try past.lamps.mapValues { lamp in
                try JSONDecoder().decode(UsageTally.Lamp.self, from: JSONEncoder().encode(lamp))
            }
            past = UsageTally(through: past.through, lamps: lamps, uses: past.uses)
            var reader = UsageReader()
            let read = Array(entries.suffix(from: min(first, deleted)))
            for start in stride(from: 0, to: read.count, by: 30).reversed() {
                reader.read(Array(read[start..<min(start + 30, read.count)]))
            }
            #expect(history(reader.tally(after: past)) == wanted, "\(deleted) deleted, read from \(first)")
        }
    }
}
