/// An argument that cannot be used. The description completes "the value is …" and says which forms are accepted.
public struct ArgumentError: Error, Equatable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}
