/// A row whose values lightd never writes.
struct CorruptRow: Error {
    let detail: String

    init(_ detail: String) {
        self.detail = detail
    }
}
