/// An argument that cannot be used. The description completes "the value is …" and says which forms are accepted.
struct ArgumentError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
