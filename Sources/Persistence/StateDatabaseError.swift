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
