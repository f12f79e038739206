import Foundation
import Glibc
import Lighting
import LightingTestKit
import TestSupport
import Testing

@testable import Persistence

/// On a file system of about one megabyte, which `scripts/run-tests` mounts and names in the environment.
@Suite(
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
        #expect(fixture.log.lines.count == 1)
        #expect(fixture.log.lines.first?.contains("the disk is full") == true)
        #expect(try await database.journal.list().count == 900)

        try FileManager.default.removeItem(atPath: filler)
        await database.flush()
        #expect(await database.archive.keep(.scenes(of: .sample, [.make()])) == .succeeded)
        await database.recover()
        #expect(fixture.log.lines.count == 2)
        await database.close()

        try fill()
        do {
            database = try open()
            #expect(database.contents.pairings.count == 1)
            await database.close()
        } catch {
            #expect(error == .unusable(path: directory + "/lightd.sqlite", cause: "the disk is full"))
        }
        try FileManager.default.removeItem(atPath: filler)
        database = try open()
        #expect(database.contents.pairings.count == 1)
        #expect(database.contents.scenes == [.make()])
        #expect(try await database.journal.list().count == 900)
        await database.close()
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
