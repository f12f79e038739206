import ControlProtocol
import ControlSurface
import Crypto
import Khipu
import Lighting
import Synchronization

/// The tokens that clients over TCP may carry: those of `lightctl token`, and the one of the configuration, which has
/// no name and allows everything.
final class AccessTokens: Sendable {
    /// What a token that exists allows.
    struct Grant: Equatable, Sendable {
        /// `nil` for the token of the configuration.
        let name: String?
        let access: AccessToken.Access
        fileprivate let digest: String
    }

    /// Every request compares its token with all of them.
    static let maximum = 100
    /// A use is noted in the archive if the last note is older than this: reading events must not write.
    static let noteInterval = Duration.seconds(600)

    private struct State {
        /// By name.
        var tokens: [String: AccessToken]
        /// When the use of each was last noted in the archive.
        var noted: [String: Timestamp] = [:]
        /// Names of tokens that are being saved.
        var arriving: Set<String> = []
    }

    private let configured: String?
    private let archive: TokenArchive
    private let now: @Sendable () -> Timestamp
    private let state: Mutex<State>

    /// - Parameters:
    ///   - configured: the token of the configuration; empty is none.
    ///   - saved: those of the archive.
    init(
        configured: String?, saved: [AccessToken], archive: TokenArchive, now: @escaping @Sendable () -> Timestamp
    ) {
        self.configured = configured.flatMap { $0.isEmpty ? nil : Self.digest(of: $0) }
        self.archive = archive
        self.now = now
        state = Mutex(State(tokens: Dictionary(saved.map { ($0.name, $0) }) { $1 }))
    }

    var isEmpty: Bool { configured == nil && state.withLock(\.tokens.isEmpty) }

    // MARK: Requests

    /// What the token allows; `nil` if it does not exist. Notes its use.
    ///
    /// Takes the same time for every wrong token: digests are compared to the end, and with all that exist.
    func grant(for token: String) -> Grant? {
        let (digest, now) = (Self.digest(of: token), now())
        let (grant, isToBeNoted) = state.withLock { state in
            var grant: Grant?
            if let configured, Self.equal(digest, configured) {
                grant = Grant(name: nil, access: .full, digest: configured)
            }
            for token in state.tokens.values where Self.equal(digest, token.digest) {
                grant = Grant(name: token.name, access: token.access, digest: token.digest)
            }
            guard let name = grant?.name, let token = state.tokens[name] else { return (grant, false) }
            state.tokens[name] = token.used(at: now)
            guard let noted = state.noted[name] ?? token.lastUsed, now < noted.advanced(by: Self.noteInterval) else {
                state.noted[name] = now
                return (grant, true)
            }
            return (grant, false)
        }
        if let name = grant?.name, isToBeNoted { archive.note(name, now) }
        return grant
    }

    /// Whether the token still exists.
    func exists(_ grant: Grant) -> Bool {
        guard let name = grant.name else { return true }
        return state.withLock { $0.tokens[name]?.digest == grant.digest }
    }

    // MARK: Making and revoking

    /// By name.
    var list: [TokenBody] {
        state.withLock(\.tokens).values.map(\.body).sorted { $0.name < $1.name }
    }

    /// Makes and saves a token of 256 random bits.
    ///
    /// - Throws: if the name is not one, or taken, or if the token cannot be saved.
    func create(_ request: TokenRequest) async throws(ErrorReply) -> NewTokenBody {
        let name = try Self.checked(request.name)
        let secret = "lightd_" + SymmetricKey(size: .bits256).withUnsafeBytes { Self.hexadecimal($0) }
        let access: AccessToken.Access =
            switch request.access ?? .full {
            case .readOnly: .readOnly
            case .full: .full
            }
        let token = AccessToken(name: name, access: access, digest: Self.digest(of: secret), created: now())
        let refusal: ErrorReply? = state.withLock { state in
            if state.tokens[name] != nil || state.arriving.contains(name) {
                return ErrorReply(
                    .nameTaken, "a token called '\(name)' exists",
                    hint: "choose another name, or revoke it first: lightctl token revoke '\(name)'")
            }
            if state.tokens.count + state.arriving.count >= Self.maximum {
                return ErrorReply(
                    .cannot, "there are \(Self.maximum) tokens already", hint: "revoke one: lightctl token list")
            }
            state.arriving.insert(name)
            return nil
        }
        if let refusal { throw refusal }
        let outcome = await withCheckedContinuation { waiting in
            archive.keep(token) { waiting.resume(returning: $0) }
        }
        state.withLock { state in
            state.arriving.remove(name)
            if outcome == .succeeded { state.tokens[name] = token }
        }
        if let failure = outcome.failure {
            throw ErrorReply(.notSaved, "no token was made: \(failure)", hint: "see lightd's log, then try again")
        }
        return NewTokenBody(
            name: name, access: token.access.body, created: token.created.iso8601, token: secret)
    }

    /// Revokes a token. Streams that were opened with it end before their next event.
    ///
    /// - Throws: if no token has this name, or if the change cannot be saved; the token goes on working then.
    func revoke(_ name: String) async throws(ErrorReply) -> TokenBody {
        let (token, names) = state.withLock { ($0.tokens[name], $0.tokens.keys.sorted()) }
        guard let token else {
            throw ErrorReply(
                .noSuchTarget, "there is no token called '\(name)'", hint: "lightctl token list shows all",
                candidates: names.isEmpty ? nil : names)
        }
        let outcome = await withCheckedContinuation { waiting in
            archive.drop(name) { waiting.resume(returning: $0) }
        }
        if let failure = outcome.failure {
            throw ErrorReply(
                .notSaved, "'\(name)' is not revoked, and goes on working: \(failure)",
                hint: "see lightd's log, then try again")
        }
        state.withLock { state in
            (state.tokens[name], state.noted[name]) = (nil, nil)
        }
        return token.body
    }

    private static func checked(_ name: String) throws(ErrorReply) -> String {
        let isOneLine = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard (1...TokenRequest.longestName).contains(name.count), isOneLine, !name.allSatisfy(\.isWhitespace) else {
            throw ErrorReply(
                .invalid, "a token's name has 1 to \(TokenRequest.longestName) characters, in one line",
                hint: "name it after the device or program that will use it")
        }
        return name
    }

    // MARK: Digests

    private static func digest(of token: String) -> String { hexadecimal(SHA256.hash(data: Array(token.utf8))) }

    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Compares in constant time: the time does not reveal how much of it is right.
    private static func equal(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count && zip(one.utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension AccessToken {
    fileprivate func used(at time: Timestamp) -> Self {
        Self(name: name, access: access, digest: digest, created: created, lastUsed: time)
    }

    fileprivate var body: TokenBody {
        TokenBody(name: name, access: access.body, created: created.iso8601, lastUsed: lastUsed?.iso8601)
    }
}

extension AccessToken.Access {
    fileprivate var body: TokenAccess {
        switch self {
        case .readOnly: .readOnly
        case .full: .full
        }
    }
}
