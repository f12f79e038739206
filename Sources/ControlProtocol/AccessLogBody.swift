/// An entry of the access log: who was let in or refused, and what became of tokens, backups and bridges' keys.
public struct AccessLogBody: Codable, Equatable, Sendable {
    public enum Outcome: String, Codable, Sendable, CaseIterable {
        case done, failed
    }

    /// When it happened; of several, when the last one did.
    public var time: String
    /// "sign_in", "sign_out", "link_made", "link_used", "token_created", "token_revoked", "token_ended", "backup",
    /// "backup_with_keys", "restore", "pairing", "forgetting", "pruning", "refused".
    public var event: String
    /// Who did it: "anna (uid 1000) with lightctl". What a client says of itself is in quotation marks.
    public var by: String
    /// What it is about, such as a token's name.
    public var subject: String?
    /// Why it happened, or why it failed.
    public var reason: String?
    public var outcome: Outcome
    /// How many it stands for: later ones of an hour are counted.
    public var count: Int

    public init(
        time: String, event: String, by: String, subject: String? = nil, reason: String? = nil, outcome: Outcome,
        count: Int
    ) {
        self.time = time
        self.event = event
        self.by = by
        self.subject = subject
        self.reason = reason
        self.outcome = outcome
        self.count = count
    }
}
