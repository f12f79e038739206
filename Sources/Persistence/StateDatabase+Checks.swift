import GRDB
import Glibc
public import Lighting

extension StateDatabase {
    /// Checks the state directory, its disk, the database and the journal. The journal's pages are not checked: lightd
    /// does that after each start.
    public func checks() async -> [Check] {
        [permissions, disk, await databaseCheck] + damagedChecks + [await journalCheck]
    }

    private var damagedChecks: [Check] {
        StateDirectory.damagedDatabases(in: directory).map { path in
            Check(
                "database", .warning, "it was damaged; the damaged one was set aside as \(path)",
                remedy: .other(
                    "restore a backup with 'lightctl restore FILE', or pair and set up what is missing; then delete it: "
                        + "it may hold keys, also of bridges that are forgotten")
            )
        }
    }

    private var permissions: Check {
        guard let exposed = StateDirectory.exposed(at: directory).first else {
            return Check("state directory", .ok, "\(directory), private to lightd")
        }
        let mode = String(exposed.mode, radix: 8)
        return Check(
            "state directory", .failure(.badConfiguration),
            "others can access \(exposed.path) (mode \(mode)), and the keys of your bridges are there",
            remedy: .other("chmod \(String(exposed.wanted, radix: 8)) \(exposed.path)"))
    }

    /// Below the first, warns; below the second, writing is about to fail. In bytes.
    private static let (littleSpace, noSpace) = (100 << 20, 4 << 20)

    private var disk: Check {
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else {
            return Check(
                "disk", .failure(.badConfiguration), "cannot look at \(directory): \(String(cString: strerror(errno)))")
        }
        let free = Int(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
        let text = "\(free >> 20) MB free for \(directory)"
        let remedy = Remedy.other("make room there, or name another directory with 'state_dir'")
        if status.f_flag & UInt(ST_RDONLY) != 0 {
            return Check(
                "disk", .failure(.badConfiguration), "\(directory) is on a read-only file system", remedy: remedy)
        }
        if free < Self.noSpace { return Check("disk", .failure(.badConfiguration), text, remedy: remedy) }
        return free < Self.littleSpace ? Check("disk", .warning, text, remedy: remedy) : Check("disk", .ok, text)
    }

    private var databaseCheck: Check {
        get async {
            if let obstacle = database.obstacle {
                return Check(
                    "database", .failure(.badConfiguration), "can only be read: \(obstacle)",
                    remedy: .other("make room on its disk, or make it writable; lightd tries again by itself"))
            }
            switch await database.perform({ try DatabaseInspection.flawInArchive($0) }) {
            case .success(nil): return Check("database", .ok, "bridges, scenes and the dashboard are sound")
            case let .success(flaw?):
                return Check(
                    "database", .failure(.badConfiguration), "damaged: \(flaw)",
                    remedy: .other(
                        "restart lightd, which saves what it can; then restore a backup with 'lightctl restore FILE'"))
            case let .failure(error):
                return Check("database", .failure(.badConfiguration), "cannot be read: \(error)")
            }
        }
    }

    private var journalCheck: Check {
        get async {
            guard let journalStore else { return Check("journal", .ok, "off (journal.enabled)") }
            let read = await database.perform { (try Journal.Entry.fetchCount($0), try DatabaseSize.fetch($0).file) }
            switch read {
            case let .success((entries, bytes)):
                let size = bytes < 1 << 20 ? "\(bytes >> 10) KB" : "\(bytes >> 20) MB"
                let text = "on, \(entries == 1 ? "1 entry" : "\(entries) entries"); the database has \(size)"
                let lost = journalStore.lostCount
                guard lost > 0 else { return Check("journal", .ok, text) }
                return Check(
                    "journal", .warning,
                    "\(text); \(lost) were lost since lightd started, because the disk took too long",
                    remedy: .other("lights are not affected; look at the disk, or put 'state_dir' on a faster one"))
            case let .failure(error): return Check("journal", .warning, "cannot be read: \(error)")
            }
        }
    }
}
