/// Why a fault cannot be, in words for the person who asked for it.
public struct FaultError: Error, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }

    static func unknown(_ name: String) -> Self {
        Self("there is no fault '\(name)'; known are \(FaultKind.allCases.map(\.usage).joined(separator: ", "))")
    }
}
