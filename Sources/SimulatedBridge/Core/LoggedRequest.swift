public import FoundationEssentials

/// A request in the log; bodies are cut at 4 KiB.
public struct LoggedRequest: Codable, Equatable, Sendable {
    /// From 1, since the start or since the log was cleared.
    public let number: Int
    public let time: Date
    public let method: String
    public let path: String
    public let key: String?
    public let body: String
    /// Whether it came over HTTPS.
    public let secure: Bool
    /// 0 if the connection was closed without a response.
    public let status: Int
    /// The body of the response.
    public let answer: String
}
