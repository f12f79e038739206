public import FoundationEssentials

/// When a bridge says that something happened, by its own clock, which may be wrong. Its text tells one report from
/// another.
public struct ReportTime: Hashable, Sendable {
    /// As the bridge writes it: "2026-01-31T10:00:00.123Z" in API v2, "2026-01-31T10:00:00" in API v1.
    public let text: String

    public init(_ text: String) { self.text = text }

    /// `nil` if it is no such time.
    public var date: Date? {
        let utc = text.hasSuffix("Z") ? text : text + "Z"
        return try? Date(utc, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains(".")))
    }

    /// How long this is after another time of the same clock, in seconds; `nil` if one of them is no time.
    public func seconds(since other: ReportTime) -> Double? {
        guard let date, let earlier = other.date else { return nil }
        return date.timeIntervalSince(earlier)
    }
}

extension ReportTime: Decodable {
    public init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }
}
