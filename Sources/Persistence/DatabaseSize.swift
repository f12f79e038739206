import GRDB

/// The size of the database in bytes, from the first page of its file. Reads nothing else.
struct DatabaseSize: Equatable {
    let file: Int
    let unused: Int

    var used: Int { file - unused }

    static func fetch(_ db: Database) throws -> Self {
        func number(_ name: String) throws -> Int { try Int.fetchOne(db, sql: "PRAGMA \(name)") ?? 0 }
        let page = try number("page_size")
        return Self(file: try number("page_count") * page, unused: try number("freelist_count") * page)
    }

    /// Whether compacting would give back much: SQLite reuses pages, but never returns them to the file system.
    func isWasteful(within bytes: Int) -> Bool { file > bytes && unused > file / 4 }
}
