/// A value that was typed and cannot be taken: says which forms can.
struct ArgumentError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
