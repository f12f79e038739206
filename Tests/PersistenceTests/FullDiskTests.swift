import Foundation
import Glibc
import Lighting
import LightingTestKit
import TestSupport
import Testing

@testable import Persistence

/// On a file system of about one megabyte, which `scripts/run-tests` mounts and names in the environment.
@Suite(
    .serialized,
    .enabled(
        if: ProcessInfo.processInfo.environment["LIGHTD_TEST_SMALL_DISK"] != nil,
        "needs a file system of one megabyte: run by scripts/run-tests, as 'make test' does"))
struct FullDiskTests {
    let fixture: DatabaseFixture
    let disk: String

    init() throws {
        fixture = try DatabaseFixture()
        disk = ProcessInfo.processInfo.environment["LIGHTD_TEST_SMALL_DISK"] ?? ""
    }

    @Test func `a full disk is reported, saved data survives, and writing resumes once there is space`()
        async throws
    {
        let directory = "\(disk)/state-\(UUID().uuidString)"
        func open() throws(StateDatabaseError) -> StateDatabase {
            try StateDatabase.open(
                directory: directory, journal: .on(entries: 1000, bytes: 1 << 25, flush: .seconds(3600)),
                clock: fixture.time.clock,
                logger: fixture.log.logger
            )
        }
        var database = try open()
        #expect(await database.archive.keep(.pairing(.make())) == .succeeded)
        try fill()
        let many = (0..<2000).map { Scene.make("scene-\($0)", name: "A scene that takes some room") }
        let outcome = await database.archive.keep(.scenes(of: .sample, many))
        #expect(outcome == .failed(.notSaved(because: "the disk is full")))
        for number in 1...900 { database.journal.append(.note("a message that takes some room \(number)"), .sample) }
        await database.flush()
        // What the failed write has left of the log's space is used up first.
        var check = Outcome.succeeded
        for _ in 0..<1000 where check == .succeeded { check = await database.archive.check() }
        #expect(check == .failed(.notSaved(because: "the disk is full")))
        #expect(fixture.log.lines.count == 1)
        #expect(fixture.log.lines.first?.contains("the disk is full") == true)
        #expect(try await database.journal.list().count == 900)

        try FileManager.default.removeItem(atPath: filler)
        await database.flush()
        #expect(await database.archive.keep(.scenes(of: .sample, [.make()])) == .succeeded)
        await database.recover()
        #expect(fixture.log.lines.count == 2)
        await database.close()

        // A start reads what there is, says once that it cannot write, and writes again when it can.
        try fill()
        database = try open()
        #expect(database.contents.pairings.count == 1 && database.contents.scenes == [.make()])
        #expect(try await database.journal.list().count == 900)
        let pins = Dashboard(pins: [DashboardPin(.all, display: .slider)])
        let refusal = Outcome.failed(.notSaved(because: "the disk is full"))
        #expect(await database.archive.keep(.dashboard(pins)) == refusal)
        #expect(await database.archive.check() == refusal)
        #expect(await database.archive.drop(.sample) == refusal)
        database.journal.append(.note("on a full disk"), .sample)
        await database.flush()
        await database.maintain()
        #expect(fixture.log.lines.count == 3, "\(fixture.log.lines)")
        try FileManager.default.removeItem(atPath: filler)
        await database.recover()
        await database.flush()
        #expect(fixture.log.lines.count == 4, "\(fixture.log.lines)")
        #expect(await database.archive.keep(.scenes(of: .sample, [])) == .succeeded)
        let number = database.nextTicketNumber
        await database.close()

        database = try open()
        #expect(database.contents.dashboard == pins && database.contents.scenes.isEmpty)
        #expect(try await database.journal.list().map(\.number) == Array(1...901))
        #expect(database.nextTicketNumber > number)
        await database.close()
        try FileManager.default.removeItem(atPath: directory)
    }

    @Test func `on a full disk a log is read although a power failure has taken its index`() async throws {
        let running = try fixture.open()
        #expect(await running.archive.keep(.pairing(.make())) == .succeeded)
        running.journal.append(.note("before the power failure"), .sample)
        await running.flush()
        let directory = "\(disk)/state-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        for name in ["lightd.sqlite", "lightd.sqlite-wal"] {
            try FileManager.default.copyItem(atPath: "\(fixture.directory)/\(name)", toPath: "\(directory)/\(name)")
        }
        await running.close()

        try fill()
        let database = try StateDatabase.open(
            directory: directory, journal: .on(entries: 1000, bytes: 1 << 25, flush: .seconds(3600)),
            clock: fixture.time.clock, logger: fixture.log.logger)
        #expect(database.contents.pairings.count == 1)
        #expect(try await database.journal.list().count == 1)
        #expect(await database.archive.check() == .failed(.notSaved(because: "the disk is full")))
        database.journal.append(.note("on the full disk"), .sample)
        try FileManager.default.removeItem(atPath: filler)
        await database.recover()
        await database.flush()
        #expect(await database.archive.keep(.scenes(of: .sample, [.make()])) == .succeeded)
        await database.close()

        let again = try StateDatabase.open(
            directory: directory, journal: .on(entries: 1000, bytes: 1 << 25, flush: .seconds(3600)),
            clock: fixture.time.clock, logger: fixture.log.logger)
        #expect(again.contents.pairings.count == 1 && again.contents.scenes == [.make()])
        #expect(try await again.journal.list().count == 2)
        await again.close()
        try FileManager.default.removeItem(atPath: directory)
    }

    @Test func `on a full disk a damaged database is refused`() async throws {
        let directory = "\(disk)/state-\(UUID().uuidString)"
        func open() throws(StateDatabaseError) -> StateDatabase {
            try StateDatabase.open(
                directory: directory, journal: .off, clock: fixture.time.clock, logger: fixture.log.logger)
        }
        await (try open()).close()
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: directory + "/lightd.sqlite"))
        try file.seek(toOffset: 4096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 2048))
        try file.close()
        try fill()
        let error = #expect(throws: StateDatabaseError.self) { try open() }
        #expect(error?.description.contains("is damaged") == true, "\(String(describing: error))")
        try FileManager.default.removeItem(atPath: filler)
        try FileManager.default.removeItem(atPath: directory)
    }

    @Test func `on a full disk without a database a start is refused`() throws {
        try fill()
        let directory = "\(disk)/state-\(UUID().uuidString)"
        let error = #expect(throws: StateDatabaseError.self) {
            try StateDatabase.open(
                directory: directory, journal: .off, clock: fixture.time.clock, logger: fixture.log.logger)
        }
        #expect(error?.description.contains("the disk is full") == true, "\(String(describing: error))")
        try FileManager.default.removeItem(atPath: filler)
        try FileManager.default.removeItem(atPath: directory)
    }

    private var filler: String { disk + "/filler" }

    /// Fills every free block.
    private func fill() throws {
        let descriptor = Glibc.open(filler, O_CREAT | O_WRONLY, 0o600)
        try #require(descriptor >= 0)
        defer { Glibc.close(descriptor) }
        let block = [UInt8](repeating: 0x20, count: 4096)
        while write(descriptor, block, block.count) > 0 {}
        #expect(errno == ENOSPC)
    }
}
