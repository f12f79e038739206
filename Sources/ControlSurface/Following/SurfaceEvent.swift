/// One event of a stream, as surfaces send it.
public struct SurfaceEvent<Name: RawRepresentable<String> & Hashable & Sendable>: Equatable, Sendable {
    public let name: Name
    /// The body in JSON, on one line.
    public let data: String

    public init(_ name: Name, _ body: some Encodable) throws {
        self.name = name
        data = try JSON.text(body)
    }
}
