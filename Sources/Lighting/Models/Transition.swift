/// How long a fade takes: 0 to 100 minutes. Bridges round it to 100 ms.
public enum Transition: Hashable, Codable, Sendable {
    /// The bridge's default: 400 ms.
    case usual
    case milliseconds(Int)

    public static let longest = 6_000_000

    /// The nearest duration that bridges accept: 0 to 6,000,000 ms.
    public static func over(_ duration: Duration) -> Self {
        let (seconds, attoseconds) = duration.components
        let milliseconds = Double(seconds) * 1000 + Double(attoseconds) / 1e15
        return .milliseconds(Int(Swift.min(Swift.max(milliseconds, 0), Double(longest)).rounded()))
    }

    public var duration: Duration {
        switch self {
        case .usual: .milliseconds(400)
        case let .milliseconds(count): .milliseconds(count)
        }
    }
}
