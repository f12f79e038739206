import GRDB
import Glibc
import Lighting

/// Why work on the open database failed.
enum PersistenceError: Error, Equatable, CustomStringConvertible {
    case closed
    case refused(Failure)
    case database(String)

    init(_ error: any Error) {
        self =
            switch error {
            case let error as PersistenceError: error
            case let failure as Failure: .refused(failure)
            case let error as DatabaseError: .database(error.summary)
            case let row as CorruptRow: .database(row.detail)
            default: .database("\(error)")
            }
    }

    /// - Parameter obstacle: why the database can only be read, if that is so.
    init(_ error: any Error, onReading obstacle: PersistenceError?) {
        if let obstacle, (error as? DatabaseError)?.resultCode == .SQLITE_READONLY {
            self = obstacle
        } else {
            self.init(error)
        }
    }

    var description: String {
        switch self {
        case .closed: "lightd is shutting down"
        case let .refused(failure): failure.description
        case let .database(cause): cause
        }
    }

    /// The failure that the domain reports for something that should have been saved.
    var failure: Failure {
        if case let .refused(failure) = self { failure } else { .notSaved(because: description) }
    }
}

extension DatabaseError {
    /// What happened, for a person. Never includes the statement or its values, which may be keys.
    var summary: String {
        switch resultCode {
        case .SQLITE_FULL: "the disk is full"
        case .SQLITE_READONLY: "the database is read-only"
        // A file system that became read-only after an error refuses writes to files that are open already.
        case .SQLITE_IOERR where extendedResultCode == .SQLITE_IOERR_WRITE: "the disk failed or is read-only"
        case .SQLITE_IOERR: "the disk failed: \(message ?? "input/output error")"
        case .SQLITE_BUSY, .SQLITE_LOCKED: "another program has locked the database"
        default: message ?? resultCode.description
        }
    }

    /// The error for a database that could not be opened.
    func asStateError(at path: String) -> StateDatabaseError {
        switch resultCode {
        case .SQLITE_NOTADB, .SQLITE_CORRUPT, .SQLITE_FORMAT: .damaged(path: path, detail: summary)
        // The header names a format that no SQLite ever had.
        case .SQLITE_ERROR where message == "unsupported file format": .damaged(path: path, detail: summary)
        // If the -shm file does not fit, SQLite reports an I/O error.
        case .SQLITE_IOERR where isFull(path): .unusable(path: path, cause: "the disk is full")
        default: .unusable(path: path, cause: summary)
        }
    }
}

private func isFull(_ path: String) -> Bool {
    var system = statvfs()
    return statvfs(path, &system) == 0 && system.f_bavail == 0
}

/// Why the state could not be opened, in one sentence with the remedy. Nothing was changed or deleted.
public enum StateDatabaseError: Error, Equatable, Sendable {
    /// The directory, or a file in it, cannot be created, opened or written.
    case notWritable(path: String, cause: String)
    /// The directory belongs to another user.
    case belongsToOthers(path: String, owner: UInt32, user: UInt32)
    /// Another daemon has locked the directory.
    case inUse(path: String)
    /// The database belongs to another program.
    case foreign(path: String)
    /// The file is not a database, or fails SQLite's own check.
    case damaged(path: String, detail: String)
    /// The schema has a migration that this version does not know.
    case newer(path: String)
    /// SQLite cannot use it at present: the disk is full, read-only or failing.
    case unusable(path: String, cause: String)
}

extension StateDatabaseError: CustomStringConvertible {
    public var description: String {
        switch self {
        case let .notWritable(path, cause):
            "cannot write '\(path)' (\(cause)); make it writable for lightd, or name another directory with 'state_dir'"
        case let .belongsToOthers(path, owner, user):
            "the state directory '\(path)' belongs to uid \(owner), and lightd runs as uid \(user); "
                + "run it as that user, or name another directory with 'state_dir'"
        case let .inUse(path):
            "another lightd uses '\(path)'; stop that one first, or name another directory with 'state_dir'"
        case let .foreign(path):
            "'\(path)' is the database of another program; name another directory with 'state_dir'"
        case let .damaged(path, detail):
            "the database '\(path)' is damaged (\(detail)); lightd sets it aside and saves what it can when it starts "
                + "and can write there; then restore a backup with 'lightctl restore'"
        case let .newer(path):
            "the database '\(path)' was written by a newer lightd; run that version, "
                + "or name another directory with 'state_dir'"
        case let .unusable(path, cause):
            "cannot use the database '\(path)' (\(cause)); fix that, then start lightd again"
        }
    }
}

extension StateDatabaseError {
    /// Of damage: what was found.
    var detail: String { if case let .damaged(_, detail) = self { detail } else { description } }
}
