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

    enum CodingKeys: String, CodingKey {
        case access, ends, name
        case endsWithIt = "ends_with_it"
    }

    public init(access: TokenAccess, ends: String? = nil, name: String? = nil, endsWithIt: [String]? = nil) {
        self.access = access
        self.ends = ends
        self.name = name
        self.endsWithIt = endsWithIt
    }
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
