public import Khipu

/// Something that concerns who may use lightd: somebody was let in, or refused; a token, a backup or a bridge's key came
/// or went.
public struct AccessEvent: Equatable, Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        /// A page has signed in with a token.
        case signIn = "sign_in"
        case signOut = "sign_out"
        case linkMade = "link_made"
        /// A page has signed in by a link.
        case linkUsed = "link_used"
        case tokenCreated = "token_created"
        case tokenRevoked = "token_revoked"
        /// A token has ended without anybody revoking it: by time, or with another.
        case tokenEnded = "token_ended"
        case backup
        case backupWithKeys = "backup_with_keys"
        case restore
        case pairing
        case forgetting
        /// Of the journal.
        case pruning
        /// A request was not allowed.
        case refused
    }

    public let kind: Kind
    /// When it happened; of several, when the last one did.
    public let time: Timestamp
    /// Who did it, with what they say of themselves in quotation marks.
    public let sender: String
    /// What it is about, such as a token's name; `nil` if there is nothing to name, or if it stands for several.
    public let subject: String?
    /// Why it happened, or why it failed.
    public let reason: String?
    public let hasFailed: Bool
    /// More than 1 if it stands for several, which would be too many one by one.
    public let count: Int

    public init(
        _ kind: Kind, at time: Timestamp, by sender: String, about subject: String? = nil,
        because reason: String? = nil,
        hasFailed: Bool = false, count: Int = 1
    ) {
        self.kind = kind
        self.time = time
        self.sender = sender
        self.subject = subject
        self.reason = reason
        self.hasFailed = hasFailed
        self.count = count
    }
}

/// The gateway to the access log. Nobody can shorten it: what is in it stays for at least ``keptFor``.
public struct AccessLog: Sendable {
    /// What is older may be dropped.
    public static let keptFor = Duration.seconds(90 * 86_400)

    /// Which events are listed: the newest of those from `since` on and before `until`.
    public struct Filter: Equatable, Sendable {
        public var since: Timestamp?
        public var until: Timestamp?
        public var limit: Int

        public init(since: Timestamp? = nil, until: Timestamp? = nil, limit: Int) {
            self.since = since
            self.until = until
            self.limit = limit
        }

        public func allows(_ event: AccessEvent) -> Bool {
            since.map { event.time >= $0 } ?? true && until.map { event.time < $0 } ?? true
        }
    }

    /// Adds an event, which is listed from now on. If it cannot be written, it is kept in memory and written later.
    public var append: @Sendable (AccessEvent) -> Void
    /// The events that the filter lets through, oldest first.
    public var list: @Sendable (Filter, @escaping Reply<Result<[AccessEvent], Failure>>) -> Void

    public init(
        append: @escaping @Sendable (AccessEvent) -> Void,
        list: @escaping @Sendable (Filter, @escaping Reply<Result<[AccessEvent], Failure>>) -> Void
    ) {
        self.append = append
        self.list = list
    }
}
