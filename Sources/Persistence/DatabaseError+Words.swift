import GRDB
import Glibc

extension DatabaseError {
    /// What happened, for a person. Never the statement or its values: there may be keys among them.
    var words: String {
        switch resultCode {
        case .SQLITE_FULL: "the disk is full"
        case .SQLITE_READONLY: "it is read-only"
        case .SQLITE_IOERR: "the disk failed: \(message ?? "input/output error")"
        case .SQLITE_BUSY, .SQLITE_LOCKED: "another program holds it locked"
        default: message ?? resultCode.description
        }
    }

    /// As an obstacle to opening the database at `path`.
    func asObstacle(at path: String) -> StateDatabaseError {
        switch resultCode {
        case .SQLITE_NOTADB, .SQLITE_CORRUPT, .SQLITE_FORMAT: .damaged(path: path, detail: words)
        // Where there is no room for the -shm, SQLite speaks of an I/O error.
        case .SQLITE_IOERR where isFull(path): .unusable(path: path, cause: "the disk is full")
        default: .unusable(path: path, cause: words)
        }
    }
}

private func isFull(_ path: String) -> Bool {
    var system = statvfs()
    return statvfs(path, &system) == 0 && system.f_bavail == 0
}
