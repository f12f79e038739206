import GRDB
import Glibc

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
