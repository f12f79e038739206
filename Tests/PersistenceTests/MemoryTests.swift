import Foundation
import GRDB
import HashTreeCollections
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

@testable import Persistence

/// What lightd remembers of the lights, on disk.
@Suite struct MemoryTests {
    let fixture: DatabaseFixture

    init() throws { fixture = try DatabaseFixture() }

    private static let desk = Light.make("desk").alter(by: .causing(.it(Cause(.accessory("Dimmer"), at: .sample))))
    private static let shelf = Light.make("shelf", name: "Küche \u{0}夜")

    private static func memory(_ lights: [Light], steps: [History.Step] = []) -> Memory {
        Memory(lights: TreeDictionary(lights.map { ($0.id, $0) }) { $1 }, history: History(steps: steps))
    }

    private static func step(_ number: UInt64, of lights: [Light] = [desk]) -> History.Step {
        History.Step(
            .turn(.off, .all, over: .usual), by: Ticket(number: number, holder: "a test", time: .sample),
            of: lights.map(\.id), before: TreeDictionary(lights.map { ($0.id, $0) }) { $1 })
    }

    /// As it is after a restart.
    private static func restored(_ memory: Memory) -> Memory {
        let lights = memory.lights.values.map(\.remembered)
        return Memory(
            unreadLights: TreeDictionary(lights.map { ($0.id, $0) }) { $1 },
            history: History(steps: memory.history.steps.map(\.remembered)))
    }

    @Test func `what a command has changed is on disk once it is answered, without waiting for a batch`() async throws {
        let database = try fixture.open()
        let memory = Self.memory([Self.desk], steps: [Self.step(1)])
        database.archive.remember(memory)
        let ticket = Ticket(number: 1, holder: "lightctl", time: .sample)
        for (message, entries) in [
            (Message.lighting(.turn(.on, .all, over: .usual), ticket: ticket), 0),
            (.lighting(.turning(.on, .all, .succeeded), ticket: ticket), 2),
        ] {
            database.journal.append(message, Journal.Names(), .sample)
            // What was queued before it is done.
            let count = await database.database.perform { try Journal.Entry.fetchCount($0) }
            #expect(try count.get() == entries)
        }
        let copy = try openedCopy()
        #expect(copy.contents.memory == Self.restored(memory))
        await copy.close()
        await database.close()
    }

    @Test(arguments: seeds(5 as UInt64))
    func `the newest memory is read again, after any changes and batches`(seed: UInt64) async throws {
        var random = SplitMix(seed: seed)
        var (memory, next): (Memory, UInt64) = (Memory(), 1)
        var database = try fixture.open()
        for _ in 0..<60 {
            switch random.pick(6) {
            case 0: await database.flush()
            case 1:
                await database.close()
                database = try fixture.open()
                #expect(database.contents.memory == Self.restored(memory))
                memory = database.contents.memory
                memory = Memory(lights: memory.unreadLights, history: memory.history)
            default:
                var (lights, steps) = (memory.lights, memory.history.steps)
                let id = Light.ID(bridge: random.bridge(), resource: "\(random.pick(5))")
                let kind = random.oneOf([Cause.Kind.power, .otherApp, .accessory(random.text())])
                lights[id] =
                    random.pick(4) == 0
                    ? nil
                    : Light.make(id.resource, name: random.text(), bridge: id.bridge)
                        .alter(by: .causing(.it(Cause(kind, at: Timestamp(milliseconds: Int64(random.pick(99)))))))
                if random.pick(2) == 0 {
                    steps.append(Self.step(next, of: Array(lights.values)))
                    next += 1
                }
                if steps.count > 5 { steps.removeFirst() }
                memory = Memory(lights: lights, history: History(steps: steps))
                database.archive.remember(memory)
            }
        }
        await database.close()
        #expect(try fixture.open().contents.memory == Self.restored(memory))
    }

    @Test func `a kill loses only what the journal had not written yet`() async throws {
        let database = try fixture.open()
        let first = Self.memory([Self.desk, Self.shelf], steps: [Self.step(1)])
        database.archive.remember(first)
        await database.flush()
        database.archive.remember(Self.memory([Self.shelf]))
        let copy = try openedCopy()
        #expect(copy.contents.memory == Self.restored(first))
        await copy.close()
        await database.close()
    }

    @Test func `it is one transaction with the journal's batch, and only what has changed is written`() async throws {
        let database = try fixture.open()
        try fixture.execute(
            """
            CREATE TABLE written (what TEXT);
            CREATE TRIGGER added AFTER INSERT ON light BEGIN INSERT INTO written VALUES (NEW.id); END;
            CREATE TRIGGER changed AFTER UPDATE ON light BEGIN INSERT INTO written VALUES (NEW.id); END;
            CREATE TRIGGER stepped AFTER INSERT ON step BEGIN INSERT INTO written VALUES (NEW.number); END;
            """)
        func written() throws -> [String] { try fixture.read { try String.fetchAll($0, sql: "SELECT * FROM written") } }
        let before = try fixture.commits()
        database.journal.append(.note("on"), .sample)
        database.archive.remember(Self.memory([Self.desk, Self.shelf], steps: [Self.step(1)]))
        #expect(try fixture.commits() == before)
        await database.flush()
        #expect(try fixture.commits() == before + 1)
        #expect(try written().count == 3)
        // Confirmed again: nothing that is remembered has changed.
        let again = Self.desk.alter(by: .reporting(.it(Light.Report(power: .on), at: Timestamp(milliseconds: 9))))
        database.archive.remember(Self.memory([again, Self.shelf], steps: [Self.step(1)]))
        await database.flush()
        #expect(try written().count == 3)
        let dimmed = Self.desk.alter(by: .reporting(.it(Light.Report(brightness: 0.1), at: .sample)))
        database.archive.remember(Self.memory([dimmed, Self.shelf], steps: [Self.step(1), Self.step(2)]))
        await database.flush()
        #expect(try written().dropFirst(3) == [Self.desk.id.description, "2"])
        await database.close()
    }

    @Test func `without a journal it is written when lightd ends, and a kill brings back nothing older`() async throws {
        let memory = Self.memory([Self.desk], steps: [Self.step(1)])
        let database = try fixture.open(.off)
        let files = try fixture.files()
        database.archive.remember(memory)
        await database.flush()
        #expect(try fixture.files() == files)
        await database.close()

        let next = try fixture.open(.off)
        #expect(next.contents.memory == Self.restored(memory))
        next.archive.remember(Self.memory([Self.shelf]))
        let copy = try openedCopy(.off)
        #expect(copy.contents.memory == Memory())
        await copy.close()
        await next.close()
        #expect(try fixture.open().contents.memory == Self.restored(Self.memory([Self.shelf])))
    }

    @Test func `a row that cannot be read costs the memory, not the start, and is replaced`() async throws {
        var database = try fixture.open()
        database.archive.remember(Self.memory([Self.desk, Self.shelf], steps: [Self.step(1)]))
        await database.close()
        try fixture.execute("UPDATE light SET state = '{\"curtain\":1}' WHERE id LIKE '%desk'")
        database = try fixture.open()
        #expect(database.contents.memory == Memory())
        let memory = Self.memory([Self.shelf])
        database.archive.remember(memory)
        await database.close()
        #expect(try fixture.open().contents.memory == Self.restored(memory))
    }

    @Test(arguments: ["light", "step"])
    func `damage in it prevents no start, and is mended while lightd runs`(table: String) async throws {
        var database = try fixture.open()
        #expect(await database.archive.keep(.pairing(.make())) == .succeeded)
        let memory = Self.memory([Self.desk, Self.shelf], steps: [Self.step(1)])
        database.archive.remember(memory)
        await database.close()
        try fixture.scramble(table: table)
        database = try fixture.open()
        #expect(database.contents.pairings.count == 1)
        database.archive.remember(memory)
        await database.maintain()
        #expect(fixture.log.lines.last?.contains("begins anew") == true, "\(fixture.log.lines)")
        await database.flush()
        await database.close()
        let again = try fixture.open()
        #expect(again.contents.memory == Self.restored(memory))
        await again.close()
    }

    @Test func `of a history that concerns very many lights, the newest commands are kept`() async throws {
        let lights = (0..<2500).map { Light.make("\($0)") }
        let database = try fixture.open()
        database.archive.remember(Self.memory([], steps: (1...6).map { Self.step($0, of: lights) }))
        await database.close()
        #expect(try fixture.open().contents.memory.history.steps.map(\.number) == [3, 4, 5, 6])
    }

    /// Opens a copy of the files, as a killed process would leave them.
    private func openedCopy(
        _ journal: JournalPolicy = .on(entries: 10, bytes: 1 << 25, flush: .seconds(1))
    ) throws -> StateDatabase {
        let copy = fixture.root + "/copy"
        try FileManager.default.copyItem(atPath: fixture.directory, toPath: copy)
        return try StateDatabase.open(
            directory: copy, journal: journal, clock: fixture.time.clock, logger: fixture.log.logger)
    }
}
