public import Khipu

/// A bearer token of the control API: what it allows, and how it is recognised. The token itself is shown once, to the
/// person who makes it, and is kept nowhere.
public struct AccessToken: Equatable, Sendable {
    public let name: String
    public let access: Access
    /// SHA-256 of the token, in hexadecimal.
    ///
    /// A slow hash, as for passwords, would protect nothing: a token has 256 random bits, which nobody can guess,
    /// however fast the hash is.
    public let digest: String
    public let created: Timestamp
    /// From when on it is refused; `nil` if it has no end.
    public let end: Timestamp?
    public let origin: Origin
    /// `nil` if no request has carried it yet.
    public let lastUsed: Timestamp?
    /// Of a page's: whether somebody has given it its name, which is otherwise lightd's own ("phone 22 Nov 14:03").
    public let isNamed: Bool

    /// What it allows. Each includes those before it.
    public enum Access: String, Equatable, Sendable, CaseIterable {
        case look
        case readOnly
        case control
        case full
    }

    /// How it was made.
    public enum Origin: Equatable, Sendable {
        /// By a person at lightd's machine, who gives it to a program.
        case command
        /// Through a one-time link, for a page.
        ///
        /// - Parameter maker: the digest of the token with which the link was made, and with which this one ends; `nil`
        ///   if a person at lightd's machine made it.
        case link(maker: String?)
        /// By a page that was signed in with another token.
        ///
        /// - Parameter maker: the digest of that token, with which this one ends.
        case signIn(maker: String)
    }

    /// The digest of the token with which it ends.
    public var maker: String? {
        switch origin {
        case .command: nil
        case let .link(maker): maker
        case let .signIn(maker): maker
        }
    }

    public init(
        name: String, access: Access, digest: String, created: Timestamp, end: Timestamp? = nil,
        origin: Origin = .command, lastUsed: Timestamp? = nil, isNamed: Bool = false
    ) {
        self.name = name
        self.access = access
        self.digest = digest
        self.created = created
        self.end = end
        self.origin = origin
        self.lastUsed = lastUsed
        self.isNamed = isNamed
    }
}

/// The gateway to the access tokens, which survive a restart like everything in the ``Archive``.
public struct TokenArchive: Sendable {
    /// Saves a new token. A token that could not be saved does not exist.
    public var keep: @Sendable (AccessToken, @escaping Reply<Outcome>) -> Void
    /// Saves the name, the end and the maker that these tokens have now, of all or of none. One that was deleted stays so.
    public var change: @Sendable ([AccessToken], @escaping Reply<Outcome>) -> Void
    /// Deletes the tokens of these digests, all or none. Those that could not be deleted exist again after a restart.
    public var drop: @Sendable (_ digests: Set<String>, @escaping Reply<Outcome>) -> Void
    /// Notes when a token was used. A crash may lose the note.
    public var note: @Sendable (_ name: String, _ lastUsed: Timestamp) -> Void

    public init(
        keep: @escaping @Sendable (AccessToken, @escaping Reply<Outcome>) -> Void,
        change: @escaping @Sendable ([AccessToken], @escaping Reply<Outcome>) -> Void,
        drop: @escaping @Sendable (Set<String>, @escaping Reply<Outcome>) -> Void,
        note: @escaping @Sendable (String, Timestamp) -> Void
    ) {
        self.keep = keep
        self.change = change
        self.drop = drop
        self.note = note
    }
}

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
        /// A page's token has another name, another end, or ends with another token than before.
        case tokenChanged = "token_changed"
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
