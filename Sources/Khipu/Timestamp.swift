/// A moment of civil time, in milliseconds since 1 January 1970, 00:00 UTC. It is always handed in: nothing in a domain
/// reads a clock.
public struct Timestamp: Hashable, Comparable, Codable, Sendable {
    public let milliseconds: Int64

    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    public init(from decoder: any Decoder) throws {
        milliseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }

    public static func < (one: Self, other: Self) -> Bool { one.milliseconds < other.milliseconds }

    /// The moment `duration` later, in whole milliseconds.
    public func advanced(by duration: Duration) -> Self {
        let (seconds, attoseconds) = duration.components
        return Self(milliseconds: milliseconds + seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }

    /// How long this is after `earlier`; negative if it is before.
    public func since(_ earlier: Self) -> Duration {
        .milliseconds(milliseconds - earlier.milliseconds)
    }
}

extension Duration {
    /// Without what is less than one; at most 292 years.
    public var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
