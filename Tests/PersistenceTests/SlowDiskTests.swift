import Dispatch
import GRDB
import Khipu
import Lighting
import LightingTestKit
import Synchronization
import TestSupport
import Testing

@testable import Persistence

/// A disk that takes nothing for a while, or each write late, without failing. Time is no part of it: the database's queue
/// is held, and released.
@Suite struct SlowDiskTests {
    let fixture: DatabaseFixture

    init() throws { fixture = try DatabaseFixture() }

    /// Makes the database's queue wait until the returned function is called.
    private func hold(_ database: StateDatabase) async -> @Sendable () -> Void {
        let (begun, beginning) = AsyncStream<Never>.makeStream()
        let held = DispatchSemaphore(value: 0)
        database.database.perform { _ in
            beginning.finish()
            held.wait()
        } then: { _ in
        }
        for await _ in begun {}
        return { held.signal() }
    }

    private static func scenes(_ number: Int) -> Archive.Item { .scenes(of: .sample, [.make("\(number)")]) }

    private static func sighting(_ number: Int) -> Archive.Item {
        .sighting(.sample, Bridge.Address(host: "192.0.2.\(number % 256)", port: 443), name: "Attic", model: "BSB002")
    }

    @Test func `of what waits the newest of each kind is written, and nothing is called saved before`() async throws {
        let database = try fixture.open(.off)
        #expect(await database.archive.keep(.pairing(.make())) == .succeeded)
        let before = try fixture.commits()
        let answers = Mutex<[String: [Outcome]]>([:])
        let release = await hold(database)
        for number in 1...2000 {
            let items: [(String, Archive.Item)] = [
                ("scenes", Self.scenes(number)), ("sighting", Self.sighting(number)),
                ("dashboard", .dashboard(Dashboard(pins: [DashboardPin(.all, display: .slider)]))),
            ]
            for (name, item) in items {
                database.archive.keep(item) { outcome in answers.withLock { $0[name, default: []].append(outcome) } }
            }
        }
        #expect(answers.withLock { $0.isEmpty })
        #expect(try fixture.commits() == before)
        release()
        #expect(await database.archive.check() == .succeeded)
        // One of each, and that of the check.
        #expect(try fixture.commits() == before + 4)
        let answered = answers.withLock { $0 }
        for name in ["scenes", "sighting", "dashboard"] {
            #expect(answered[name] == Array(repeating: .succeeded, count: 2000), "\(name)")
        }
        await database.close()
        let contents = try fixture.open(.off).contents
        #expect(contents.scenes == [.make("2000")])
        #expect(contents.pairings.map(\.bridge.address.host) == ["192.0.2.208"])
    }

    @Test func `who waits is told that the newest was not saved, and it is written later`() async throws {
        let database = try fixture.open(.off)
        #expect(await database.archive.keep(.pairing(.make())) == .succeeded)
        try fixture.execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON scene BEGIN SELECT RAISE(ABORT, 'the disk is on fire'); END")
        let outcomes = Mutex<[Outcome]>([])
        let release = await hold(database)
        for number in 1...3 {
            database.archive.keep(Self.scenes(number)) { outcome in outcomes.withLock { $0.append(outcome) } }
        }
        release()
        #expect(await database.archive.check() == .succeeded)
        #expect(
            outcomes.withLock { $0 }
                == Array(repeating: .failed(.notSaved(because: "the disk is on fire")), count: 3))
        try fixture.execute("DROP TRIGGER refuse")
        await database.recover()
        await database.close()
        #expect(try fixture.open(.off).contents.scenes == [.make("3")])
    }

    @Test func `a bridge that is forgotten and paired again meanwhile has the scenes that came after`() async throws {
        let database = try fixture.open(.off)
        #expect(await database.archive.keep(.pairing(.make())) == .succeeded)
        let outcomes = Mutex<[Outcome]>([])
        @Sendable func note(_ outcome: Outcome) { outcomes.withLock { $0.append(outcome) } }
        let release = await hold(database)
        database.archive.keep(Self.scenes(1), note)
        database.archive.drop(.sample, note)
        database.archive.keep(Self.scenes(2), note)
        database.archive.keep(.pairing(.make(key: "another")), note)
        database.archive.keep(Self.scenes(3), note)
        release()
        #expect(await database.archive.check() == .succeeded)
        #expect(
            outcomes.withLock { $0 } == [
                .succeeded, .succeeded, .failed(.noSuchBridge(.sample)), .succeeded, .succeeded,
            ])
        await database.close()
        #expect(try fixture.open(.off).contents.scenes == [.make("3")])
    }

    @Test func `automations and what they remember are written in the order in which they came`() async throws {
        let database = try fixture.open(.off)
        let answers = Mutex<[String]>([])
        let release = await hold(database)
        for number in 1...3 {
            database.archive.keep(.automationMemory(AutomationState.Memory())) { _ in
                answers.withLock { $0.append("memory \(number)") }
            }
            database.archive.keep(.automations([])) { _ in answers.withLock { $0.append("automations \(number)") } }
        }
        release()
        #expect(await database.archive.check() == .succeeded)
        #expect(answers.withLock { $0 } == (1...3).flatMap { ["memory \($0)", "automations \($0)"] })
        await database.close()
    }

    @Test @DomainActor
    func `lights are switched, true and answered while the disk takes nothing; a pin is answered when it is kept`()
        async throws
    {
        let database = try fixture.open(.on(entries: 1000, bytes: 1 << 25, flush: .seconds(3600)), buffer: 100)
        let home = DomainFixture(
            HomeFixture.state, archive: database.archive, journal: database.journal, stack: HomeFixture.stack)
        let desk = Target.light(HomeFixture.desk.id)
        let release = await hold(database)
        for number in 0..<300 {
            let power: Turn = number.isMultiple(of: 2) ? .off : .on
            let ticket = home.send(.turn(power, desk, over: .usual))
            #expect(home.response(to: ticket) == .lighting(.turning(power, desk, .succeeded), ticket: ticket))
            #expect(home.light(HomeFixture.desk.id)?.power == power)
            #expect(home.light(HomeFixture.desk.id)?.freshness == .confirmed(at: home.clock.now))
        }
        let pin = home.send(Message.Dashboard.pin(desk))
        #expect(home.response(to: pin) == nil)
        #expect((database.journalStore?.unsavedCount ?? 0) <= 100)
        release()
        #expect(await database.archive.check() == .succeeded)
        home.settle()
        #expect(home.response(to: pin) == .dashboard(.pinning(desk, .succeeded), ticket: pin))
        await database.close()
        #expect(try fixture.open().contents.dashboard.pins.map(\.target) == [desk])
    }

    @Test func `commands are recorded without waiting; what waits is bounded, and the log says once that some is lost`()
        async throws
    {
        let database = try fixture.open(.on(entries: 1_000_000, bytes: 1 << 25, flush: .seconds(3600)), buffer: 100)
        let release = await hold(database)
        for number in 1...5000 { database.journal.append(.note("\(number)"), .sample) }
        #expect((database.journalStore?.unsavedCount ?? 0) <= 100)
        #expect(fixture.log.lines.count { $0.contains("the journal buffer is full") } == 1, "\(fixture.log.lines)")
        release()
        await database.flush()
        let kept = try await database.journal.list().map(\.number)
        #expect(kept == Array((5001 - Int64(kept.count))...5000))
        #expect(kept.count > 90)
        let lost = 5000 - kept.count
        #expect(fixture.log.lines.last?.contains("written again lost=\(lost)") == true, "\(fixture.log.lines)")
        let journal = await database.checks().first { $0.name == "journal" }
        #expect(journal?.result == .warning)
        #expect(journal?.text.contains("\(lost) were lost") == true, "\(String(describing: journal))")
        await database.close()
    }
}
