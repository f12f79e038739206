/// Why the state could not be opened, in one sentence for the person who starts the daemon. Nothing was changed or deleted.
public enum StateDatabaseError: Error, Equatable, Sendable {
    /// The directory, or a file in it, cannot be made, opened or written.
    case notWritable(path: String, cause: String)
    /// The directory belongs to another user.
    case belongsToOthers(path: String, owner: UInt32, user: UInt32)
    /// Another daemon holds the lock of the directory.
    case inUse(path: String)
    /// A database, but of another program.
    case foreign(path: String)
    /// Not a database at all, or one that fails SQLite's own check.
    case damaged(path: String, detail: String)
    /// Its schema has a migration that we do not know.
    case newer(path: String)
    /// SQLite cannot work with it just now: the disk is full, read-only, or failing.
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
            "the database '\(path)' is damaged (\(detail)); put back a copy of it, "
                + "or move it away and pair your bridges anew with 'lightctl pair'"
        case let .newer(path):
            "the database '\(path)' was written by a newer lightd; run that version, "
                + "or name another directory with 'state_dir'"
        case let .unusable(path, cause):
            "cannot use the database '\(path)' (\(cause)); put that right, then start lightd again"
        }
    }
}
