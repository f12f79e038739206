/// Why a fault cannot be created, in words for the user.
public struct FaultError: Error, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }

    static func unknown(_ name: String) -> Self {
        Self("unknown fault '\(name)'; known faults: \(FaultKind.allCases.map(\.usage).joined(separator: ", "))")
    }
}
