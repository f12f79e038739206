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
