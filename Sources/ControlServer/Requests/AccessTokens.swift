import ControlProtocol
import ControlSurface
import Khipu
import Lighting
import Synchronization

/// The tokens that clients over TCP may carry: those of `lightctl token`, those of pages that a link has signed in, and
/// the one of the configuration, which has no name and allows everything.
///
/// A token of a page ends with the token that made its link, and that one with its own maker.
final class AccessTokens: Sendable {
    /// What a token that exists allows.
    struct Grant: Equatable, Sendable {
        /// `nil` for the token of the configuration.
        let name: String?
        let access: AccessToken.Access
        /// Whether it was made by a link, for a page.
        let isMadeByLink: Bool
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

        /// The tokens that end with the one of this digest, without itself.
        func ending(with digest: String) -> [AccessToken] {
            let children = tokens.values.filter { $0.maker == digest }
            return children + children.flatMap { ending(with: $0.digest) }
        }
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
        let configured = configured.flatMap { $0.isEmpty ? nil : Secret.digest(of: $0) }
        self.configured = configured
        self.archive = archive
        self.now = now
        let all = State(tokens: Dictionary(saved.map { ($0.name, $0) }) { $1 })
        // Those of a token that the configuration no longer has, or that was revoked while its link was used, end here.
        let roots = all.tokens.values.filter { $0.maker == nil }
        let known = (roots + roots.flatMap { all.ending(with: $0.digest) }) + (configured.map(all.ending) ?? [])
        state = Mutex(State(tokens: Dictionary(known.map { ($0.name, $0) }) { $1 }))
        let lost = Set(all.tokens.keys).subtracting(known.map(\.name))
        if !lost.isEmpty { archive.drop(lost) { _ in } }
    }

    var isEmpty: Bool { configured == nil && state.withLock(\.tokens.isEmpty) }

    // MARK: Requests

    /// What the token allows; `nil` if it does not exist. Notes its use.
    ///
    /// Takes the same time for every wrong token: digests are compared to the end, and with all that exist.
    func grant(for token: String) -> Grant? {
        let (digest, now) = (Secret.digest(of: token), now())
        let (grant, isToBeNoted) = state.withLock { state in
            var grant: Grant?
            if let configured, Secret.equal(digest, configured) {
                grant = Grant(name: nil, access: .full, isMadeByLink: false, digest: configured)
            }
            for token in state.tokens.values where Secret.equal(digest, token.digest) { grant = Grant(token) }
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
        let tokens = state.withLock(\.tokens).values
        let names = Dictionary(tokens.map { ($0.digest, $0.name) }) { $1 }
        return tokens.map { $0.body(maker: $0.maker.flatMap { names[$0] }) }.sorted { $0.name < $1.name }
    }

    /// The names of the tokens that end with this one.
    func namesEnding(with grant: Grant) -> [String] {
        state.withLock { $0.ending(with: grant.digest) }.map(\.name).sorted()
    }

    /// Makes and saves a token of 256 random bits.
    ///
    /// - Throws: if the name is not one, or taken, or if the token cannot be saved.
    func create(_ request: TokenRequest) async throws(ErrorReply) -> NewTokenBody {
        let name = try Self.checked(request.name)
        let access: AccessToken.Access =
            switch request.access ?? .full {
            case .readOnly: .readOnly
            case .full: .full
            }
        let secret = Secret.token()
        let token = AccessToken(name: name, access: access, digest: Secret.digest(of: secret), created: now())
        try await keep(token)
        return NewTokenBody(
            name: name, access: token.access.body, created: token.created.iso8601, token: secret)
    }

    /// Makes and saves the token of a page.
    ///
    /// - Parameters:
    ///   - maker: the token that made its link; `nil` if that was a person at lightd's machine.
    ///   - name: if it is taken, a number follows.
    /// - Throws: if the maker no longer exists, or if the token cannot be saved.
    func create(
        _ access: AccessToken.Access, by maker: Grant?, for name: String
    ) async throws -> (secret: String, grant: Grant) {
        let secret = Secret.token()
        var (number, free) = (1, name)
        while true {
            let token = AccessToken(
                name: free, access: access, digest: Secret.digest(of: secret), created: now(),
                origin: .link(maker: maker?.digest))
            do {
                try await keep(token)
                // The maker may have been revoked meanwhile, before this one was there to end with it.
                guard maker.map(exists) ?? true else {
                    _ = try await revoke(free)
                    throw APIError.wrongLink
                }
                return (secret, Grant(token))
            } catch let error as ErrorReply where error.error.code == .nameTaken {
                number += 1
                free = "\(name) (\(number))"
            }
        }
    }

    /// Saves a token.
    private func keep(_ token: AccessToken) async throws(ErrorReply) {
        let name = token.name
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
    }

    /// Revokes a token, and all that end with it. Streams that were opened with them end before their next event.
    ///
    /// - Throws: if no token has this name, or if the change cannot be saved; all go on working then.
    func revoke(_ name: String) async throws(ErrorReply) -> TokenBody {
        let (tokens, others) = state.withLock { state in
            (state.tokens, state.tokens[name].map { state.ending(with: $0.digest) } ?? [])
        }
        guard let token = tokens[name] else {
            throw ErrorReply(
                .noSuchTarget, "there is no token called '\(name)'", hint: "lightctl token list shows all",
                candidates: tokens.isEmpty ? nil : tokens.keys.sorted())
        }
        let ending = Set(others.map(\.name)).union([name])
        let outcome = await withCheckedContinuation { waiting in
            archive.drop(ending) { waiting.resume(returning: $0) }
        }
        if let failure = outcome.failure {
            throw ErrorReply(
                .notSaved, "'\(name)' is not revoked, and goes on working: \(failure)",
                hint: "see lightd's log, then try again")
        }
        let late = state.withLock { state in
            // A link may have been used meanwhile. What cannot be deleted of that is dropped at the next start.
            let late = Set(state.ending(with: token.digest).map(\.name)).subtracting(ending)
            for name in ending.union(late) { (state.tokens[name], state.noted[name]) = (nil, nil) }
            return late
        }
        if !late.isEmpty { archive.drop(late) { _ in } }
        let maker = token.maker.flatMap { digest in tokens.values.first { $0.digest == digest }?.name }
        return token.body(maker: maker, revokedWithIt: others.isEmpty ? nil : others.map(\.name).sorted())
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
}

extension AccessTokens.Grant {
    fileprivate init(_ token: AccessToken) {
        self.init(
            name: token.name, access: token.access, isMadeByLink: token.origin != .command, digest: token.digest)
    }
}

extension AccessToken {
    fileprivate func used(at time: Timestamp) -> Self {
        Self(name: name, access: access, digest: digest, created: created, origin: origin, lastUsed: time)
    }

    fileprivate func body(maker: String?, revokedWithIt: [String]? = nil) -> TokenBody {
        TokenBody(
            name: name, access: access.body, created: created.iso8601, lastUsed: lastUsed?.iso8601,
            origin: origin == .command ? .command : .link, maker: maker, revokedWithIt: revokedWithIt)
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
