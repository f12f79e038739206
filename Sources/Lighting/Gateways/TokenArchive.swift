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
        origin: Origin = .command, lastUsed: Timestamp? = nil
    ) {
        self.name = name
        self.access = access
        self.digest = digest
        self.created = created
        self.end = end
        self.origin = origin
        self.lastUsed = lastUsed
    }
}

/// The gateway to the access tokens, which survive a restart like everything in the ``Archive``.
public struct TokenArchive: Sendable {
    /// Saves a new token. A token that could not be saved does not exist.
    public var keep: @Sendable (AccessToken, @escaping Reply<Outcome>) -> Void
    /// Deletes the tokens of these digests, all or none. Those that could not be deleted exist again after a restart.
    public var drop: @Sendable (_ digests: Set<String>, @escaping Reply<Outcome>) -> Void
    /// Notes when a token was used. A crash may lose the note.
    public var note: @Sendable (_ name: String, _ lastUsed: Timestamp) -> Void

    public init(
        keep: @escaping @Sendable (AccessToken, @escaping Reply<Outcome>) -> Void,
        drop: @escaping @Sendable (Set<String>, @escaping Reply<Outcome>) -> Void,
        note: @escaping @Sendable (String, Timestamp) -> Void
    ) {
        self.keep = keep
        self.drop = drop
        self.note = note
    }
}
