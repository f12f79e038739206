/// A row that says what we never wrote.
struct Damage: Error {
    let detail: String

    init(_ detail: String) {
        self.detail = detail
    }
}
