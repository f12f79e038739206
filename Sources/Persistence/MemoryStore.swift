import FoundationEssentials
import GRDB
import HashTreeCollections
import Lighting
import Synchronization

/// What lightd remembers of the lights, on the database: written with the batches of the journal, or without a journal
/// when lightd ends.
final class MemoryStore: Sendable {
    private struct State {
        /// What the database contains; `nil` if that is unknown.
        var saved: Memory?
        /// `nil` if it is saved.
        var newest: Memory?
        /// Of the newest.
        var revision = 0
    }

    /// What was written by a transaction.
    struct Batch {
        fileprivate let memory: Memory
        fileprivate let revision: Int
    }

    private let state: Mutex<State>

    init(saved: Memory?) {
        state = Mutex(State(saved: saved))
    }

    func remember(_ memory: Memory) {
        state.withLock {
            $0.newest = memory
            $0.revision += 1
        }
    }

    var isSaved: Bool { state.withLock { $0.newest == nil } }

    /// Writes what has changed since the last batch. Belongs in a transaction; ``noteSaved(_:)`` follows it.
    ///
    /// - Returns: what was written; `nil` if nothing had to be.
    func save(_ db: Database) throws -> Batch? {
        let (saved, newest, revision) = state.withLock { ($0.saved, $0.newest, $0.revision) }
        guard let newest else { return nil }
        if saved == nil { try Memory.delete(db) }
        try newest.save(over: saved ?? Memory(), db)
        return Batch(memory: newest, revision: revision)
    }

    func noteSaved(_ batch: Batch?) {
        guard let batch else { return }
        state.withLock { state in
            state.saved = batch.memory
            if state.revision == batch.revision { state.newest = nil }
        }
    }

    /// The tables were emptied: all is written again.
    func forgetSaved() {
        state.withLock { state in
            if state.newest == nil { state.newest = state.saved }
            state.saved = nil
        }
    }
}

extension Memory {
    /// The most lights that the saved steps concern together, each of them counted: about three megabytes. Older steps
    /// are not saved.
    static let longestHistory = 10_000

    /// What was saved; `nil` if some of it cannot be read: it is damaged, or was written by another version.
    static func fetch(_ db: Database) -> Self? {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .inWords
        do {
            let lights = try String.fetchAll(db, sql: "SELECT state FROM light")
                .map { try decoder.decode(Light.self, from: Data($0.utf8)) }
            let steps = try String.fetchAll(db, sql: "SELECT step FROM step ORDER BY number")
                .map { try decoder.decode(History.Step.self, from: Data($0.utf8)) }
            let followed = try Row.fetchAll(db, sql: "SELECT id, state FROM followedLight").compactMap { row in
                try Light.ID(row["id"]).map { id in
                    let state: String = row["state"]
                    return (id, try decoder.decode(FollowedLight.self, from: Data(state.utf8)))
                }
            }
            return Memory(
                unreadLights: TreeDictionary(lights.map { ($0.id, $0) }) { $1 }, history: History(steps: steps),
                followedLights: TreeDictionary(followed) { $1 })
        } catch {
            return nil
        }
    }

    static func delete(_ db: Database) throws {
        try db.execute(sql: "DELETE FROM light; DELETE FROM step; DELETE FROM followedLight")
    }

    /// Writes what differs from the saved memory.
    func save(over saved: Self, _ db: Database) throws {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .inWords
        func text(_ value: some Encodable) throws -> String {
            String(decoding: try encoder.encode(value), as: UTF8.self)
        }

        let putLight = try db.makeStatement(
            sql: "INSERT INTO light VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET state = excluded.state")
        for (id, light) in [lights, unreadLights].joined() where saved.light(id) != light {
            let light = light.remembered
            guard saved.light(id)?.remembered != light else { continue }
            try putLight.execute(arguments: [id.description, try text(light)])
        }
        for id in [saved.lights.keys, saved.unreadLights.keys].joined() where light(id) == nil {
            try db.execute(sql: "DELETE FROM light WHERE id = ?", arguments: [id.description])
        }

        try saveFollowedLights(over: saved, db) { try text($0) }

        let (steps, old) = (savedSteps, saved.savedSteps)
        let putStep = try db.makeStatement(
            sql: "INSERT INTO step VALUES (?, ?) ON CONFLICT (number) DO UPDATE SET step = excluded.step")
        for (number, step) in steps where old[number] != step {
            try putStep.execute(arguments: [Int64(clamping: number), try text(step)])
        }
        for number in old.keys where steps[number] == nil {
            try db.execute(sql: "DELETE FROM step WHERE number = ?", arguments: [Int64(clamping: number)])
        }
    }

    private func saveFollowedLights(
        over saved: Self, _ db: Database, as text: (FollowedLight) throws -> String
    ) throws {
        let put = try db.makeStatement(
            sql: "INSERT INTO followedLight VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET state = excluded.state")
        for (id, light) in followedLights where saved.followedLights[id] != light {
            try put.execute(arguments: [id.description, try text(light)])
        }
        for id in saved.followedLights.keys where followedLights[id] == nil {
            try db.execute(sql: "DELETE FROM followedLight WHERE id = ?", arguments: [id.description])
        }
    }

    private func light(_ id: Light.ID) -> Light? { lights[id] ?? unreadLights[id] }

    /// The steps to save, by their numbers.
    private var savedSteps: [UInt64: History.Step] {
        var rest = Self.longestHistory
        let steps = history.steps.reversed().prefix { step in
            rest -= step.lights.count
            return rest >= 0
        }
        return Dictionary(steps.map { ($0.number, $0.remembered) }) { first, _ in first }
    }
}
