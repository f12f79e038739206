import GRDB
import Khipu
import LightingTestKit
import TestSupport
import Testing

@testable import Lighting
@testable import Persistence

/// What `away` needs of the journal is kept apart from the journal's size.
@Suite struct UsageTests {
    let fixture: DatabaseFixture

    init() throws { fixture = try DatabaseFixture() }

    private static let (desk, hall) = (light("desk"), light("hall"))
    private static let person = Cause.Kind.command(
        Ticket(number: 1, holder: "lightctl (uid 1000)", time: .sample))
    private static let automation = Cause.Kind.command(
        Ticket(number: 2, holder: "automation 'Hall'", time: .sample).own)

    private static func light(_ resource: String) -> Light.ID { Light.ID(bridge: .sample, resource: resource) }

    private static func minute(_ minute: Int) -> Timestamp { .sample.advanced(by: .seconds(60 * minute)) }

    private static func turned(_ light: Light.ID, _ power: Turn, by source: Cause.Kind) -> Message {
        .lighting(
            .reported(.light(light, .init(power: power, brightness: power == .on ? 0.5 : nil, source: source))),
            ticket: .unasked(from: "bridge", at: .sample))
    }

    private static func motion(_ isSeen: Bool) -> Message {
        .lighting(
            .reported(.sensor(Sensor.ID(bridge: .sample, resource: "motion"), Sensor.Report(motion: isSeen))),
            ticket: .unasked(from: "bridge", at: .sample))
    }

    private func usage(_ database: StateDatabase, since: Int = 0, until now: Int) async throws -> UsageHistory {
        try await withCheckedContinuation { waiting in
            database.journal.readUsage(since: Self.minute(since), until: Self.minute(now), without: ["Hall sensor"]) {
                waiting.resume(returning: $0)
            }
        }.get()
    }

    @Test func `a sensor that chatters for weeks leaves the four weeks of away whole, and the journal within its size`()
        async throws
    {
        let (day, bytes) = (24 * 60, 1 << 20)
        let policy = JournalPolicy.on(entries: 1000, bytes: bytes, flush: .seconds(3600))
        var database = try fixture.open(policy)
        for number in 0..<28 {
            let evening = number * day + 19 * 60
            database.journal.append(Self.turned(Self.desk, .on, by: Self.person), Self.minute(evening))
            // It starts an automation all day, also while the lamp is on.
            for chatter in 0..<500 {
                let time = Self.minute(number * day + chatter * day / 500)
                database.journal.append(Self.motion(chatter.isMultiple(of: 2)), time)
                database.journal.append(
                    Self.turned(Self.hall, chatter.isMultiple(of: 2) ? .on : .off, by: Self.automation), time)
            }
            database.journal.append(Self.turned(Self.desk, .off, by: Self.person), Self.minute(evening + 180))
            await database.flush()
            if number % 9 == 8 {
                await database.close()
                database = try fixture.open(policy)
            }
        }
        let used = try fixture.read { db in try DatabaseSize.fetch(db).used - UsageTally.size(db) }
        #expect(used <= bytes)
        let entries = try await database.journal.list()
        #expect(entries.count <= 1000)
        #expect(entries.allSatisfy { $0.time > Self.minute(26 * day) })
        #expect(
            try await usage(database, until: 28 * day).uses
                == (0..<28).map { number in
                    let evening = number * day + 19 * 60
                    return UsageHistory.Use(
                        Self.desk, from: Self.minute(evening), to: Self.minute(evening + 180), level: 0.5)
                })
        await database.close()
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `whatever has been deleted, away is told what the whole journal told`(seed: UInt64) async throws {
        var random = SplitMix(seed: seed)
        let policy = JournalPolicy.on(entries: random.oneOf([5, 30, 100]), bytes: 1 << 25, flush: .seconds(3600))
        var (database, now) = (try fixture.open(policy), 0)
        var whole = UsageTally()
        for number in 1...400 {
            now += random.pick(60)
            switch random.pick(20) {
            case 0: await database.flush()
            case 1:
                await database.close()
                database = try fixture.open(policy)
            case 2:
                let told = whole.history(since: Self.minute(0), until: Self.minute(now), without: ["Hall sensor"])
                #expect(try await usage(database, until: now) == told)
            default: break
            }
            let message =
                switch random.pick(12) {
                case 0:
                    Message.bridges(.lost(.sample, because: .notPaired), ticket: .unasked(from: "lightd", at: .sample))
                case 1...3: Self.motion(random.pick(2) == 0)
                default:
                    Self.turned(
                        random.oneOf([Self.desk, Self.hall]), random.oneOf([.on, .off]),
                        by: random.oneOf([
                            Self.person, Self.automation, .unseen, .accessory("Hall"), .accessory("Hall sensor"),
                        ]))
                }
            database.journal.append(message, Self.minute(now))
            whole.take(Journal.Entry(number: Int64(number), time: Self.minute(now), message: message))
        }
        let told = whole.history(since: Self.minute(0), until: Self.minute(now), without: ["Hall sensor"])
        #expect(told.uses.count > 10)
        #expect(try await usage(database, until: now) == told)
        await database.close()
    }

    @Test func `a lamp that is switched all day long keeps forty uses a day, and none of four weeks ago`()
        async throws
    {
        let database = try fixture.open(.on(entries: 100, bytes: 1 << 25, flush: .seconds(3600)))
        let day = 24 * 60
        for number in 0..<60 {
            for minute in stride(from: 0, to: day, by: 10) {
                let start = number * day + minute
                database.journal.append(Self.turned(Self.hall, .on, by: .accessory("Hall")), Self.minute(start))
                database.journal.append(Self.turned(Self.hall, .off, by: .accessory("Hall")), Self.minute(start + 5))
            }
            database.journal.append(Self.turned(Self.desk, .on, by: Self.person), Self.minute(number * day + 600))
            database.journal.append(Self.turned(Self.desk, .off, by: Self.person), Self.minute(number * day + 700))
            await database.flush()
        }
        let rows = try fixture.read { db in
            try Dictionary(
                uniqueKeysWithValues: Row.fetchAll(db, sql: "SELECT light, count(*) AS n FROM usage GROUP BY light")
                    .map { ($0["light"] as String, $0["n"] as Int) })
        }
        #expect(rows[Self.hall.description, default: 0] <= 29 * UsageTally.mostUses)
        #expect(rows[Self.hall.description, default: 0] >= 27 * UsageTally.mostUses)
        #expect((27...29).contains(rows[Self.desk.description, default: 0]))
        let uses = try await usage(database, since: 32 * day, until: 60 * day).uses
        #expect(uses.count { $0.light == Self.desk } == 28)
        await database.close()
    }

    @Test func `who prunes the journal prunes what is kept of it`() async throws {
        let database = try fixture.open(.on(entries: 2, bytes: 1 << 25, flush: .seconds(3600)))
        for number in 0..<10 {
            database.journal.append(Self.turned(Self.desk, .on, by: Self.person), Self.minute(number * 100))
            database.journal.append(Self.turned(Self.desk, .off, by: Self.person), Self.minute(number * 100 + 50))
        }
        await database.flush()
        #expect(try await usage(database, until: 2000).uses.count == 10)
        #expect(await database.journal.prune(Self.minute(500)) == .succeeded)
        #expect(try await usage(database, until: 2000).uses.map(\.start) == (5..<10).map { Self.minute($0 * 100) })
        await database.close()
    }

    @Test(arguments: ["usage", "usedLamp", "journal"])
    func `damage in it prevents no start and is mended; damage of the journal leaves what is kept`(table: String)
        async throws
    {
        let policy = JournalPolicy.on(entries: 10, bytes: 1 << 25, flush: .seconds(3600))
        var database = try fixture.open(policy)
        #expect(await database.archive.keep(.pairing(.make())) == .succeeded)
        for number in 0..<20 {
            database.journal.append(Self.turned(Self.desk, .on, by: Self.person), Self.minute(number * 100))
            database.journal.append(Self.turned(Self.desk, .off, by: Self.person), Self.minute(number * 100 + 50))
        }
        await database.close()
        try fixture.scramble(table: table)
        database = try fixture.open(policy)
        #expect(database.contents.pairings.count == 1)
        await database.maintain()
        #expect(fixture.log.lines.last?.contains("begins anew") == true, "\(fixture.log.lines)")
        #expect(try await usage(database, until: 2000).uses.count == (table == "usage" ? 0 : 15))
        for number in 20..<40 {
            database.journal.append(Self.turned(Self.desk, .on, by: Self.person), Self.minute(number * 100))
            database.journal.append(Self.turned(Self.desk, .off, by: Self.person), Self.minute(number * 100 + 50))
        }
        await database.flush()
        #expect(try await usage(database, until: 5000).uses.count == (table == "usage" ? 20 : 35))
        await database.close()
    }
}
