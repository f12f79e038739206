import Foundation
import GRDB
import Khipu
import Lighting
import LightingTestKit
import Logging
import TestSupport
import Testing

@testable import Persistence

/// A state directory for one test, removed on deinit.
final class DatabaseFixture: Sendable {
    let root: String
    let time = ManualClock()
    let log = LogRecorder()

    init() throws {
        // In memory if possible: thousands of synced writes to a disk would take most of the tests' time.
        let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : FileManager.default.temporaryDirectory.path
        root = "\(parent)/lightd-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    deinit {
        // A failure does no harm: the next test has another directory.
        try? FileManager.default.removeItem(atPath: root)
    }

    var directory: String { root + "/state" }
    var database: String { directory + "/lightd.sqlite" }

    func open(
        _ journal: JournalPolicy = .on(entries: 1000, bytes: 1 << 25, flush: .seconds(3600)), buffer: Int = 10_000
    ) throws(StateDatabaseError) -> StateDatabase {
        try StateDatabase(directory, journal, time.clock, log.logger, bufferCapacity: buffer)
    }

    /// Reads over another connection.
    func read<Value>(_ read: (Database) throws -> Value) throws -> Value {
        var configuration = Configuration()
        configuration.readonly = true
        return try DatabaseQueue(path: database, configuration: configuration).inDatabase(read)
    }

    /// Writes over another connection.
    func execute(_ sql: String) throws {
        try DatabaseQueue(path: database).inDatabase { try $0.execute(sql: sql) }
    }

    /// The number of transactions in the write-ahead log. A frame that names the size of the database ends one.
    func commits() throws -> Int {
        let log = [UInt8](try Data(contentsOf: URL(fileURLWithPath: database + "-wal")))
        guard log.count > 32 else { return 0 }
        let pageSize = log[8..<12].reduce(0) { $0 << 8 | Int($1) }
        return stride(from: 32, to: log.count - 23, by: 24 + pageSize).count { frame in
            log[frame + 4..<frame + 8].contains { $0 != 0 } && log[frame + 8..<frame + 16] == log[16..<24]
        }
    }

    /// Overwrites half of the table's first page.
    func scramble(table: String) throws {
        let (page, size) = try read { db in
            let root = try #require(
                try Int.fetchOne(db, sql: "SELECT rootpage FROM sqlite_master WHERE name = '\(table)'"))
            return (root, try #require(try Int.fetchOne(db, sql: "PRAGMA page_size")))
        }
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: database))
        defer { file.closeFile() }
        try file.seek(toOffset: UInt64((page - 1) * size))
        try file.write(contentsOf: Data(repeating: 0xA5, count: size / 2))
    }

    /// The size of the database's file in bytes.
    func size() throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: database)
        return try #require(attributes[.size] as? NSNumber).intValue
    }

    func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }

    /// The attributes of every file that a write would change.
    func files() throws -> [String: String] {
        var files: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
            var status = stat()
            #expect(stat("\(directory)/\(name)", &status) == 0)
            files[name] =
                "\(status.st_size) bytes, \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec), inode \(status.st_ino)"
        }
        return files
    }
}

extension Archive {
    func keep(_ keepsake: Item) async -> Outcome {
        await withCheckedContinuation { waiting in keep(keepsake) { waiting.resume(returning: $0) } }
    }

    func drop(_ bridge: Bridge.ID) async -> Outcome {
        await withCheckedContinuation { waiting in drop(bridge) { waiting.resume(returning: $0) } }
    }

    func check() async -> Outcome {
        await withCheckedContinuation { waiting in check { waiting.resume(returning: $0) } }
    }
}

extension Journal {
    func append(_ message: Message, _ time: Timestamp) { append(message, Names(), time) }

    func list(_ filter: Filter = Filter(limit: .max)) async throws -> [Entry] {
        try await withCheckedContinuation { waiting in _ = list(filter) { waiting.resume(returning: $0) } }.get()
    }

    func prune(_ time: Timestamp) async -> Outcome {
        await withCheckedContinuation { waiting in prune(time) { waiting.resume(returning: $0) } }
    }
}

extension Archive.Contents {
    /// Connections are not saved; this makes them equal for comparison.
    var unconnected: Self {
        Self(
            pairings: pairings.map(\.unconnected), scenes: scenes, sceneOrders: sceneOrders, dashboard: dashboard,
            followings: followings, curves: curves, automations: automations, bindings: bindings, presence: presence)
    }
}

extension Pairing {
    var unconnected: Self {
        let bridge = bridge.alter(by: .losing(.it(at: .sample, because: .notPaired)))
        return with(bridge)
    }

    static func make(
        _ id: String = Bridge.ID.sample.description, name: String = "Study bridge", key: String = "hue-key-0815",
        clientKey: String? = "4711FEED", trust: Trust = .maker, api: API = .v2
    ) -> Self {
        Self(
            bridge: .make(id: Bridge.ID(id), name: name), key: Secret(key), clientKey: clientKey.map(Secret.init),
            trust: trust, api: api
        )
    }
}

extension Message {
    static func note(_ text: String, ticket: UInt64 = 0) -> Self {
        .logging(.write(.info, text), ticket: Ticket(number: ticket, holder: "a test", time: .sample))
    }
}
