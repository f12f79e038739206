/// An entry of the access log: who was let in or refused, and what became of tokens, backups and bridges' keys.
public struct AccessLogBody: Codable, Equatable, Sendable {
    public enum Outcome: String, Codable, Sendable, CaseIterable {
        case done, failed
    }

    /// When it happened; of several, when the last one did.
    public var time: String
    /// "sign_in", "sign_out", "link_made", "link_used", "token_created", "token_revoked", "token_changed",
    /// "token_ended", "backup", "backup_with_keys", "restore", "pairing", "forgetting", "pruning", "refused".
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

// How pages sign in.

/// Who a page is: the answer to `GET` and `POST` of ``Routes/session``.
public struct SessionBody: Codable, Equatable, Sendable {
    public var access: TokenAccess
    /// When the session ends, ISO 8601; absent if it has no end of its own.
    public var ends: String?
    /// The name of the session's own token; absent over the unix socket, where none is needed, and for the token of the
    /// configuration in a header.
    public var name: String?
    /// The names of the tokens that end when this one is revoked: those of links that were made with it.
    public var endsWithIt: [String]?
    /// Whether somebody has given the session its name; absent where it has none.
    public var isNamed: Bool?
    /// The name of whoever let the page in: of the token that made its link or signed it in. Absent if that has no name
    /// that a person has given it, or if a person at lightd's machine did.
    public var by: String?

    enum CodingKeys: String, CodingKey {
        case access, ends, name, by
        case endsWithIt = "ends_with_it"
        case isNamed = "is_named"
    }

    public init(
        access: TokenAccess, ends: String? = nil, name: String? = nil, endsWithIt: [String]? = nil,
        isNamed: Bool? = nil, by: String? = nil
    ) {
        self.access = access
        self.ends = ends
        self.name = name
        self.endsWithIt = endsWithIt
        self.isNamed = isNamed
        self.by = by
    }
}

/// Who may use the home over TCP: a page that is signed in, or the token of a program. Without a secret.
public struct SignedInBody: Codable, Equatable, Sendable {
    /// The same for as long as it exists, whatever it is called; it opens nothing.
    public var id: String
    public var name: String
    /// Whether a person has given it its name.
    public var isNamed: Bool
    public var access: TokenAccess
    public var created: String
    /// When it ends, ISO 8601; absent if it has no end.
    public var ends: String?
    /// As ``TokenBody/lastUsed``.
    public var lastUsed: String?
    public var origin: TokenOrigin
    /// The id of the one that let it in, and with which it ends; absent if a person at lightd's machine did, or the token
    /// of the configuration.
    public var maker: String?
    /// Whether it is the one that asks.
    public var isSelf: Bool

    enum CodingKeys: String, CodingKey {
        case id, name, access, created, ends, origin, maker
        case isNamed = "is_named"
        case lastUsed = "last_used"
        case isSelf = "is_self"
    }

    public init(
        id: String, name: String, isNamed: Bool, access: TokenAccess, created: String, ends: String? = nil,
        lastUsed: String? = nil, origin: TokenOrigin, maker: String? = nil, isSelf: Bool
    ) {
        self.id = id
        self.name = name
        self.isNamed = isNamed
        self.access = access
        self.created = created
        self.ends = ends
        self.lastUsed = lastUsed
        self.origin = origin
        self.maker = maker
        self.isSelf = isSelf
    }
}

/// The body that changes a page that is signed in.
public struct SignedInRequest: Codable, Equatable, Sendable {
    /// In place of a time: it has no end.
    public static let never = "never"

    /// Its new name. A number follows it if another has it.
    public var name: String?
    /// When it is to end, ISO 8601, or ``never``.
    public var ends: String?
}

/// The body by which a page names itself.
public struct SessionNameRequest: Codable, Equatable, Sendable {
    public var name: String
}

/// The body that makes a link.
public struct LinkRequest: Codable, Equatable, Sendable {
    /// What the page will be allowed; `full` if absent.
    public var access: TokenAccess?
    /// When the page's session ends, ISO 8601; absent: not before that of the token with which the link is made.
    public var ends: String?

    public init(access: TokenAccess? = nil, ends: String? = nil) {
        self.access = access
        self.ends = ends
    }
}

/// A link that signs one page in, once. Nothing shows it a second time.
public struct LinkBody: Codable, Equatable, Sendable {
    /// "http://192.168.1.7:8377/#join=SECRET"
    public var url: String
    /// The same at other addresses of the machine; absent if it has none.
    public var also: [String]?
    public var access: TokenAccess
    /// When the page's session ends; absent if it has no end of its own.
    public var ends: String?
    /// Until when it can be used.
    public var expires: String
    /// What to change if other devices cannot open it.
    public var hint: String?
    /// Of ``url``.
    public var qr: QRBody

    public init(
        url: String, also: [String]? = nil, access: TokenAccess, ends: String? = nil, expires: String,
        hint: String? = nil, qr: QRBody
    ) {
        self.url = url
        self.also = also
        self.access = access
        self.ends = ends
        self.expires = expires
        self.hint = hint
        self.qr = qr
    }
}

/// A QR code, without the quiet zone, four modules wide, that belongs around it.
public struct QRBody: Codable, Equatable, Sendable {
    /// How many rows and columns it has.
    public var size: Int
    /// From the top; in each a "1" for a dark module and a "0" for a light one.
    public var rows: [String]

    public init(size: Int, rows: [String]) {
        self.size = size
        self.rows = rows
    }
}

// Access tokens for the control API over TCP.

/// An access token, without its secret.
public struct TokenBody: Codable, Equatable, Sendable {
    public var name: String
    public var access: TokenAccess
    public var created: String
    /// When it ends, ISO 8601; absent if it has no end.
    public var ends: String?
    /// When a request last carried it, or a stream that it opened last sent something; absent if none has yet. After a
    /// crash of lightd it may be ten minutes early, and a day if only streams have used it.
    public var lastUsed: String?
    /// How it was made.
    public var origin: TokenOrigin?
    /// The name of the token with which its link was made or its page was signed in, and with which it ends; absent if a
    /// person at lightd's machine made it, or if that was done with the token of the configuration.
    public var maker: String?
    /// In the answer to its revocation: the names of the tokens that have ended with it.
    public var revokedWithIt: [String]?

    enum CodingKeys: String, CodingKey {
        case name, access, created, ends, origin, maker
        case lastUsed = "last_used"
        case revokedWithIt = "revoked_with_it"
    }

    public init(
        name: String, access: TokenAccess, created: String, ends: String? = nil, lastUsed: String? = nil,
        origin: TokenOrigin? = nil, maker: String? = nil, revokedWithIt: [String]? = nil
    ) {
        self.name = name
        self.access = access
        self.created = created
        self.ends = ends
        self.lastUsed = lastUsed
        self.origin = origin
        self.maker = maker
        self.revokedWithIt = revokedWithIt
    }
}

/// How a token was made.
public enum TokenOrigin: String, Codable, Sendable, CaseIterable {
    /// By `lightctl token create` or its like, for a program.
    case command
    /// By a one-time link, for a page.
    case link
    /// By a page that was signed in with another token.
    case signIn = "sign_in"
}

/// What a token or a page may do: its role. Each includes those before it.
public enum TokenAccess: String, Codable, Sendable, CaseIterable, Comparable {
    /// To see the home as it is now: lists and streams of events, but not the log, which says what people did before.
    case look
    /// To read the log as well. Versions without roles made such tokens.
    case readOnly = "read_only"
    /// To use the home as well: lights, scenes, timers, and to run, stop, enable and disable automations. Each command
    /// says whether it is one of them (``Command/role``).
    case control
    /// To arrange the home as well: bridges, rooms, automations, the dashboard, links for pages, the access log.
    case full

    public static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The body that makes a token.
public struct TokenRequest: Codable, Equatable, Sendable {
    /// The longest name, in characters.
    public static let longestName = 64

    /// 1 to 64 characters, in one line.
    public var name: String
    /// `full` if absent.
    public var access: TokenAccess?
    /// When it ends, ISO 8601; never if absent.
    public var ends: String?

    public init(name: String, access: TokenAccess? = nil, ends: String? = nil) {
        self.name = name
        self.access = access
        self.ends = ends
    }
}

/// A token that was just made. Nothing shows its secret a second time.
public struct NewTokenBody: Codable, Equatable, Sendable {
    public var name: String
    public var access: TokenAccess
    public var created: String
    /// When it ends, ISO 8601; absent if it has no end.
    public var ends: String?
    /// To be sent as `Authorization: Bearer TOKEN`.
    public var token: String
    /// Why nothing can use it yet, and what to do about that.
    public var warning: String?

    public init(
        name: String, access: TokenAccess, created: String, ends: String? = nil, token: String, warning: String? = nil
    ) {
        self.name = name
        self.access = access
        self.created = created
        self.ends = ends
        self.token = token
        self.warning = warning
    }
}
