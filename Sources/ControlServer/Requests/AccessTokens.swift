import ControlProtocol
import ControlSurface
import Khipu
import Lighting
import Synchronization

/// The tokens that clients over TCP may carry: those of `lightctl token`, those of pages, and the one of the
/// configuration, which has no name and allows everything.
///
/// A page that signs in gets a token of its own, its session, by a link as well as with another token. It ends with the
/// token that made its link or that it was signed in with, and that one with its own maker; and when nobody has used it
/// for long.
final class AccessTokens: Sendable {
    /// What a token that exists allows.
    struct Grant: Equatable, Sendable {
        /// `nil` for the token of the configuration.
        let name: String?
        let access: AccessToken.Access
        /// From when on it is refused; `nil` if it has no end.
        let end: Timestamp?
        /// Whether it is a page's.
        let isSession: Bool
        /// The same for all that go back to one token, by links and by signing in with it.
        let family: String
        let digest: String
        /// Whether it is a page's to which people have given its name.
        var isNamed = false
    }

    /// When a page's access is to end.
    enum End {
        case never
        case at(Timestamp)

        fileprivate var time: Timestamp? { if case let .at(time) = self { time } else { nil } }
    }

    /// Which pages are to be signed out.
    enum Leaving {
        case one(id: String)
        /// All but the one that asks.
        case others
    }

    /// How a page signs in.
    enum SignIn {
        /// - Parameters:
        ///   - maker: the token that made the link; `nil` if that was a person at lightd's machine.
        ///   - end: of the session, if it is to be earlier than the maker's.
        case link(AccessToken.Access, by: Grant?, end: Timestamp?)
        case token(Grant)

        /// The token with which the session ends.
        var maker: Grant? {
            switch self {
            case let .link(_, maker, _): maker
            case let .token(grant): grant
            }
        }

        /// Of the session, which ends with its maker at the latest.
        fileprivate var end: Timestamp? {
            var own: Timestamp?
            if case let .link(_, _, end) = self { own = end }
            return [own, maker?.end].compactMap(\.self).min()
        }

        var isByLink: Bool { if case .link = self { true } else { false } }

        fileprivate var access: AccessToken.Access {
            switch self {
            case let .link(access, _, _): access
            case let .token(grant): grant.access
            }
        }

        fileprivate var origin: AccessToken.Origin {
            switch self {
            case let .link(_, maker, _): .link(maker: maker?.digest)
            case let .token(grant): .signIn(maker: grant.digest)
            }
        }
    }

    /// Every request compares its token with all of them.
    static let maximum = 100
    /// The sessions that go back to one token, which must not be able to take all places.
    static let maximumOfToken = 32
    /// A session ends if neither it nor one that was made through it was used for this long.
    static let longestUnused = Duration.seconds(90 * 86_400)
    /// A use is noted in the archive if the last note is older than this: reading events must not write.
    static let noteInterval = Duration.seconds(600)
    /// An open stream is a use, and is noted this often: a page on the wall may follow for months.
    static let streamNoteInterval = Duration.seconds(86_400)
    /// How long after a failure the archive is asked again to delete what has ended.
    static let retryInterval = Duration.seconds(60)
    /// How often one of them may be changed within ``changeInterval``: each change is written to the disk, and stands in
    /// the access log.
    static let mostChanges = 20
    static let changeInterval = Duration.seconds(3600)

    private struct State {
        /// The digest of the configuration's.
        var configured: String?
        /// By name.
        var tokens: [String: AccessToken]
        /// When the use of each was last noted in the archive.
        var noted: [String: Timestamp] = [:]
        /// Names of tokens that are being saved.
        var arriving: Set<String> = []
        /// The digests of tokens whose change is being saved.
        var changing: Set<String> = []
        /// How often each was changed since when, by its digest.
        var changes: [String: (count: Int, since: Timestamp)] = [:]
        /// The digests of tokens that have ended and that the archive still has.
        var undeleted: Set<String> = []
        /// What streams wait for, by the digest of their token.
        var ends: [String: Promise<Void>] = [:]

        func token(_ digest: String) -> AccessToken? { tokens.values.first { $0.digest == digest } }

        /// When a token ends: not after the one that has let it in, whatever became of that one's end since.
        func end(of token: AccessToken) -> Timestamp? {
            [token.end, token.maker.flatMap(self.token).flatMap(end(of:))].compactMap(\.self).min()
        }

        /// The tokens that end with the one of this digest, without itself.
        func ending(with digest: String) -> [AccessToken] {
            let children = tokens.values.filter { $0.maker == digest }
            return children + children.flatMap { ending(with: $0.digest) }
        }

        /// The digest of the token that the one of this digest goes back to: its own if nothing made it.
        func root(of digest: String) -> String {
            var root = digest
            while let maker = tokens.values.first(where: { $0.digest == root })?.maker { root = maker }
            return root
        }

        func has(_ grant: Grant) -> Bool {
            grant.name == nil ? configured == grant.digest : token(grant.digest) != nil
        }

        func grant(_ token: AccessToken) -> Grant {
            Grant(
                name: token.name, access: token.access, end: end(of: token), isSession: token.isSession,
                family: root(of: token.digest), digest: token.digest, isNamed: token.isNamed)
        }

        /// A page's token.
        func page(_ id: String) throws(ErrorReply) -> AccessToken {
            guard let token = tokens.values.first(where: { AccessTokens.id(of: $0.digest) == id }) else {
                throw ErrorReply(.noSuchTarget, "this one is signed in no more")
            }
            guard token.isSession else {
                throw ErrorReply(
                    .cannot, "'\(token.name)' is a program: it is managed on lightd's machine",
                    hint: "there, 'lightctl token list' shows it")
            }
            return token
        }

        /// The name, with a number if another than this token has it.
        func free(_ name: String, for token: AccessToken) -> String {
            var (number, free) = (1, name)
            let others = arriving.union(tokens.values.filter { $0.digest != token.digest }.map(\.name))
            // Whoever reads it takes "anna" for "Anna".
            let taken = Set(others.map { $0.lowercased() })
            while taken.contains(free.lowercased()) {
                number += 1
                free = "\(name) (\(number))"
            }
            return free
        }

        /// The tokens that would stay without these, although they end with one that goes: each with the next before it
        /// that stays as its maker.
        ///
        /// - Parameters:
        ///   - keepsAll: whether those stay that were let in by one that goes. If not, they go, too, but for the own one
        ///     with what it has let in: nobody signs themselves out by signing out another.
        ///   - own: the digest of the one that asks.
        func handedOver(without leaving: [AccessToken], keepsAll: Bool, own: String?) -> [AccessToken] {
            let chosen = Set(leaving.map(\.digest))
            var going = chosen
            if !keepsAll {
                going.formUnion(chosen.flatMap { ending(with: $0) }.map(\.digest))
                if let own, going.contains(own), !chosen.contains(own) {
                    going.subtract([own] + ending(with: own).map(\.digest))
                    going.formUnion(chosen)
                }
            }
            return tokens.values.filter { !going.contains($0.digest) && $0.maker.map(going.contains) ?? false }
                .map { token in
                    var maker = token.maker
                    while let one = maker, going.contains(one) { maker = self.token(one)?.maker }
                    // It stays for no longer than it could before.
                    return token.ending(end(of: token)).made(by: maker)
                }
        }

        /// Puts a token in the place of the one that it was, unless that has ended.
        mutating func replace(with token: AccessToken) {
            guard let old = self.token(token.digest) else { return }
            tokens[old.name] = nil
            tokens[token.name] = old.lastUsed.map(token.used) ?? token
            if let time = noted.removeValue(forKey: old.name) { noted[token.name] = time }
        }

        /// Whether its end has come, or it is a session that nobody uses.
        func hasEnded(_ token: AccessToken, at now: Timestamp) -> Bool {
            if let end = end(of: token), end <= now { return true }
            func isOld(_ token: AccessToken) -> Bool {
                token.lastUse.advanced(by: AccessTokens.longestUnused) <= now
            }
            return token.isSession && isOld(token) && ending(with: token.digest).allSatisfy(isOld)
        }

        /// The session that gives way to a new one of this maker; `nil` if none may. It is the one unused longest of
        /// those that go back to the same token, or that a person at the machine has made: nobody can sign out those
        /// of others by signing in often.
        func leastUsed(besides maker: String?) -> AccessToken? {
            let relatives =
                maker.map { ending(with: root(of: $0)) } ?? tokens.values.filter { $0.origin == .link(maker: nil) }
            // One that has made others would take them along.
            let makers = Set(tokens.values.compactMap(\.maker)).union([maker].compactMap(\.self))
            return relatives.filter { !makers.contains($0.digest) }.min { $0.lastUse < $1.lastUse }
        }

        /// Ends these tokens: they are refused from now on, whatever becomes of the archive.
        mutating func remove(_ ending: [AccessToken]) -> Ending {
            for token in ending {
                tokens[token.name] = nil
                noted[token.name] = nil
                changes[token.digest] = nil
                undeleted.insert(token.digest)
            }
            return Ending(tokens: ending, streams: ending.compactMap { ends.removeValue(forKey: $0.digest) })
        }
    }

    /// Tokens that have just ended, and what their streams wait for.
    private struct Ending {
        var tokens: [AccessToken] = []
        var streams: [Promise<Void>] = []
    }

    private let archive: TokenArchive
    private let now: @Sendable () -> Timestamp
    private let ended: @Sendable (_ name: String, _ reason: String) -> Void
    private let state: Mutex<State>
    /// The archive could not delete something.
    private let (failures, failure) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// - Parameters:
    ///   - configured: the token of the configuration; empty is none.
    ///   - saved: those of the archive.
    ///   - ended: told of each token that ends without anybody revoking it.
    init(
        configured: String?, saved: [AccessToken], archive: TokenArchive, now: @escaping @Sendable () -> Timestamp,
        ended: @escaping @Sendable (_ name: String, _ reason: String) -> Void = { _, _ in }
    ) {
        self.ended = ended
        let configured = Self.digest(ofConfigured: configured)
        self.archive = archive
        self.now = now
        let all = State(configured: configured, tokens: Dictionary(saved.map { ($0.name, $0) }) { $1 })
        // Those of a token that the configuration no longer has, or that was revoked while its link was used, end here.
        let roots = all.tokens.values.filter { $0.maker == nil }
        let known = (roots + roots.flatMap { all.ending(with: $0.digest) }) + (configured.map(all.ending) ?? [])
        let time = now()
        let used = known.filter { !all.hasEnded($0, at: time) }
        let noted = used.compactMap { token in token.lastUsed.map { (token.name, $0) } }
        let lost = Set(all.tokens.values.map(\.digest)).subtracting(used.map(\.digest))
        state = Mutex(
            State(
                configured: configured, tokens: Dictionary(used.map { ($0.name, $0) }) { $1 },
                noted: Dictionary(noted) { $1 }, undeleted: lost))
        for token in all.tokens.values.sorted(by: { $0.name < $1.name }) where lost.contains(token.digest) {
            ended(token.name, "it ended while lightd did not run, or nobody used it")
        }
        deleteEnded()
    }

    private static func digest(ofConfigured token: String?) -> String? {
        token.flatMap { $0.isEmpty ? nil : Secret.digest(of: $0) }
    }

    var isEmpty: Bool { state.withLock { $0.configured == nil && $0.tokens.isEmpty } }

    /// Replaces the token of the configuration. What was signed in by the old one ends, as do its streams.
    ///
    /// - Parameter token: empty is none.
    func configure(_ token: String?) {
        let new = Self.digest(ofConfigured: token)
        let ending = state.withLock { state in
            defer { state.configured = new }
            guard let old = state.configured, old != new else { return Ending() }
            var ending = state.remove(state.ending(with: old))
            if let stream = state.ends.removeValue(forKey: old) { ending.streams.append(stream) }
            return ending
        }
        finish(ending) { _ in "the token of the configuration was replaced" }
        deleteEnded()
    }

    // MARK: Requests

    /// What the token allows; `nil` if it does not exist. Notes its use.
    ///
    /// Takes the same time for every wrong token: digests are compared to the end, and with all that exist.
    func grant(for token: String) -> Grant? { grant(for: token) { _ in true } }

    /// What the session with this secret allows; `nil` if it is none. Notes its use.
    func session(of secret: String) -> Grant? { grant(for: secret) { $0?.isSession ?? false } }

    /// - Parameter counts: says whether the token counts here; `nil` is that of the configuration.
    private func grant(for token: String, if counts: (AccessToken?) -> Bool) -> Grant? {
        let digest = Secret.digest(of: token)
        let (found, configured) = state.withLock { state in
            var found: AccessToken?
            for token in state.tokens.values where Secret.equal(digest, token.digest) { found = token }
            return (found, state.configured)
        }
        guard let found else {
            guard let configured, Secret.equal(digest, configured), counts(nil) else { return nil }
            return Grant(
                name: nil, access: .full, end: nil, isSession: false, family: configured, digest: configured)
        }
        guard counts(found) else { return nil }
        return use(found.digest, every: Self.noteInterval)
    }

    /// Whether the token still exists, and its end has not come.
    func exists(_ grant: Grant) -> Bool {
        let now = now()
        return state.withLock { state in
            guard state.has(grant) else { return false }
            return state.token(grant.digest).map { !state.hasEnded($0, at: now) } ?? true
        }
    }

    /// Whether the token of an open stream still exists, which is a use of it.
    func follows(_ grant: Grant) -> Bool {
        guard grant.name != nil else { return exists(grant) }
        return use(grant.digest, every: Self.streamNoteInterval) != nil
    }

    /// Fulfilled when the token has ended.
    func end(of grant: Grant) -> Promise<Void> {
        let (end, isOver) = state.withLock { state in
            let end = state.ends[grant.digest] ?? Promise()
            let exists = state.has(grant)
            if exists { state.ends[grant.digest] = end }
            return (end, !exists)
        }
        if isOver { end.fulfil() }
        return end
    }

    /// Remembers the use of a token, and notes it in the archive if the last note is older than `interval`.
    ///
    /// - Returns: `nil` if it does not exist, or has ended.
    private func use(_ digest: String, every interval: Duration) -> Grant? {
        enum Outcome {
            case gone, ended
            case used(Grant, as: String, isToBeNoted: Bool)
        }
        let now = now()
        let outcome: Outcome = state.withLock { state in
            guard let token = state.token(digest) else { return .gone }
            let name = token.name
            guard !state.hasEnded(token, at: now) else { return .ended }
            state.tokens[name] = token.used(at: now)
            let isToBeNoted = state.noted[name].map { $0.advanced(by: interval) <= now } ?? true
            if isToBeNoted { state.noted[name] = now }
            return .used(state.grant(token), as: name, isToBeNoted: isToBeNoted)
        }
        switch outcome {
        case .gone: return nil
        case .ended:
            removeEnded()
            return nil
        case let .used(grant, name, isToBeNoted):
            if isToBeNoted { archive.note(name, now) }
            return grant
        }
    }

    /// Notes in the archive when each was last used, where the last note is older: lightd stops.
    func noteUses() {
        let uses = state.withLock { state in
            let uses = state.tokens.compactMapValues(\.lastUsed).filter { $1 != state.noted[$0] }
            state.noted.merge(uses) { $1 }
            return uses
        }
        for (name, time) in uses { archive.note(name, time) }
    }

    /// Removes the tokens whose end has come, and the sessions that nobody uses.
    private func removeEnded() {
        let now = now()
        let ending = state.withLock { state in
            state.remove(state.tokens.values.filter { state.hasEnded($0, at: now) })
        }
        finish(ending) { $0.end == nil ? "nobody used it" : "its end has come" }
        deleteEnded()
    }

    /// - Parameter reason: why a token has ended, unless somebody has revoked it.
    private func finish(_ ending: Ending, because reason: (AccessToken) -> String?) {
        for stream in ending.streams { stream.fulfil() }
        for token in ending.tokens.sorted(by: { $0.name < $1.name }) {
            if let reason = reason(token) { ended(token.name, reason) }
        }
    }

    // MARK: The archive

    /// Deletes from the archive what has ended. What it cannot delete is tried again (``retryDeleting(_:)``), and
    /// before another token may be saved, which could have the same name.
    private func deleteEnded(then done: @escaping Reply<Outcome> = { _ in }) {
        let digests = state.withLock(\.undeleted)
        guard !digests.isEmpty else { return done(.succeeded) }
        archive.drop(digests) { [self] outcome in
            if outcome == .succeeded {
                state.withLock { $0.undeleted.subtract(digests) }
            } else {
                failure.yield()
            }
            done(outcome)
        }
    }

    private func deleteEnded() async -> Outcome {
        await withCheckedContinuation { waiting in deleteEnded { waiting.resume(returning: $0) } }
    }

    /// Asks the archive again to delete what it could not, until the task is cancelled.
    func retryDeleting(_ clock: Clock) async {
        for await _ in failures {
            await clock.sleep(for: Self.retryInterval)
            _ = await deleteEnded()
        }
    }

    // MARK: Making and revoking

    /// By name.
    var list: [TokenBody] {
        removeEnded()
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
    /// - Throws: if the name is not one, or taken, if its end has passed, or if the token cannot be saved.
    func create(_ request: TokenRequest) async throws(ErrorReply) -> NewTokenBody {
        let name = try Self.checked(request.name)
        let secret = Secret.token()
        let token = AccessToken(
            name: name, access: AccessToken.Access(request.access ?? .full), digest: Secret.digest(of: secret),
            created: now(), end: try end(request.ends))
        removeEnded()
        try await keep(token)
        return NewTokenBody(
            name: name, access: token.access.body, created: token.created.iso8601, ends: token.end?.iso8601,
            token: secret)
    }

    /// - Parameter text: a moment, ISO 8601; `nil` is no end.
    /// - Throws: `invalid` if it is not one, or has passed.
    func end(_ text: String?) throws(ErrorReply) -> Timestamp? {
        guard let text else { return nil }
        return try end(required: text)
    }

    func end(required text: String) throws(ErrorReply) -> Timestamp {
        guard let end = Timestamp(iso8601: text) else {
            throw ErrorReply(.invalid, "'ends' is '\(text)', but must look like 2026-12-24T00:00:00Z")
        }
        guard end > now() else {
            throw ErrorReply(.invalid, "'ends' is \(end.iso8601), which has passed", hint: "name a moment to come")
        }
        return end
    }

    /// Makes and saves the token of a page that signs in. If there are too many, the one that was unused longest gives
    /// way.
    ///
    /// - Parameters:
    ///   - name: if it is taken, a number follows.
    ///   - old: the session that the new one replaces, and that ends, unless the new one hangs on it.
    /// - Throws: if the maker no longer exists, or if the change cannot be saved.
    func signIn(
        _ way: SignIn, as name: String, replacing old: Grant? = nil
    ) async throws -> (secret: String, grant: Grant) {
        removeEnded()
        try await makeRoom(for: way.maker)
        let secret = Secret.token()
        let new = try await keepSession(way, secret, as: name)
        do {
            // The maker may have been revoked meanwhile, before this one was there to end with it.
            guard way.maker.map(exists) ?? true else { throw APIError.wrongLink }
            if let old, !namesEnding(with: old).contains(new.name) { try await end(old) }
        } catch {
            _ = try await revoke(new.name)
            throw error
        }
        return (secret, state.withLock { $0.grant(new) })
    }

    /// Saves a session under a free name.
    private func keepSession(
        _ way: SignIn, _ secret: String, as name: String
    ) async throws(ErrorReply) -> AccessToken {
        var (number, free) = (1, name)
        while true {
            let token = AccessToken(
                name: free, access: way.access, digest: Secret.digest(of: secret), created: now(), end: way.end,
                origin: way.origin)
            do {
                try await keep(token)
                return token
            } catch {
                guard error.error.code == .nameTaken else { throw error }
                number += 1
                free = "\(name) (\(number))"
            }
        }
    }

    private func makeRoom(for maker: Grant?) async throws(ErrorReply) {
        let leaving = state.withLock { state -> Grant? in
            let count = state.tokens.count + state.arriving.count
            let relatives = maker.map { state.ending(with: state.root(of: $0.digest)).count } ?? 0
            guard count >= Self.maximum || relatives >= Self.maximumOfToken else { return nil }
            return state.leastUsed(besides: maker?.digest).map(state.grant)
        }
        if let leaving { try await end(leaving) }
    }

    /// Revokes a session, which may have ended by itself.
    private func end(_ session: Grant) async throws(ErrorReply) {
        guard let name = session.name, exists(session) else { return }
        do {
            _ = try await revoke(name)
            ended(name, "another session took its place")
        } catch {
            guard error.error.code == .noSuchTarget else { throw error }
        }
    }

    /// Saves a token.
    private func keep(_ token: AccessToken) async throws(ErrorReply) {
        let name = token.name
        let refusal: ErrorReply? = state.withLock { state in
            if state.tokens[name] != nil || state.arriving.contains(name) {
                return ErrorReply(
                    .nameTaken, "a token called '\(name)' exists",
                    hint:
                        "choose another name, or revoke it first: \(ShellQuote.line("lightctl token revoke", operand: name))"
                )
            }
            if state.tokens.count + state.arriving.count >= Self.maximum {
                return ErrorReply(
                    .cannot, "there are \(Self.maximum) tokens already", hint: "revoke one: lightctl token list")
            }
            state.arriving.insert(name)
            return nil
        }
        if let refusal { throw refusal }
        // One of the same name may have ended, and still be in the archive.
        var outcome: Outcome = await deleteEnded()
        if outcome == .succeeded {
            outcome = await withCheckedContinuation { waiting in
                archive.keep(token) { waiting.resume(returning: $0) }
            }
        }
        state.withLock { state in
            state.arriving.remove(name)
            if outcome == .succeeded { state.tokens[name] = token }
        }
        if let failure = outcome.failure {
            throw ErrorReply(.notSaved, "no token was made: \(failure)", hint: "see lightd's log, then try again")
        }
    }

    /// Revokes a token, and all that end with it, as do streams that were opened with them: in memory first, so that
    /// no disk decides when they are refused.
    ///
    /// - Throws: if no token has this name, or if the change cannot be saved: they are refused then, too, but may come
    ///   back with a restart.
    func revoke(_ name: String) async throws(ErrorReply) -> TokenBody {
        let (tokens, others, ending) = state.withLock { state in
            let before = state.tokens
            guard let token = before[name] else { return (before, [AccessToken](), Ending()) }
            let others = state.ending(with: token.digest)
            return (before, others, state.remove(others + [token]))
        }
        guard let token = tokens[name] else {
            throw ErrorReply(
                .noSuchTarget, "there is no token called '\(name)'", hint: "lightctl token list shows all",
                candidates: closest(to: name, in: tokens.keys).map { [$0] })
        }
        // By digest: another way to write its accents finds it here, too.
        finish(ending) { $0.digest == token.digest ? nil : "it ended with '\(name)'" }
        if let failure = await deleteEnded().failure {
            throw ErrorReply(
                .notSaved, "'\(name)' is revoked, but that cannot be saved: \(failure)",
                hint: "lightd tries again every \(Self.retryInterval.components.seconds) s; if it stops before, "
                    + "'\(name)' works again after the start: revoke it again")
        }
        let maker = token.maker.flatMap { digest in tokens.values.first { $0.digest == digest }?.name }
        return token.body(maker: maker, revokedWithIt: others.isEmpty ? nil : others.map(\.name).sorted())
    }

    // MARK: Who is signed in

    /// What names a token to those who may change it, whatever it is called. It tells nothing of the token, and is kept
    /// nowhere.
    static func id(of digest: String) -> String { String(Secret.digest(of: "id " + digest).prefix(16)) }

    /// Who may use the home over TCP, by name.
    ///
    /// - Parameter own: of the one that asks.
    func signedIn(_ own: Grant?) -> [SignedInBody] {
        removeEnded()
        let state = state.withLock(\.self)
        let tokens = state.tokens.values
        let digests = Set(tokens.map(\.digest))
        return tokens.map { token in
            SignedInBody(
                id: Self.id(of: token.digest), name: token.name, isNamed: token.isCalledByPeople,
                access: token.access.body, created: token.created.iso8601, ends: state.end(of: token)?.iso8601,
                lastUsed: token.lastUsed?.iso8601, origin: token.origin.body,
                maker: token.maker.flatMap { digests.contains($0) ? Self.id(of: $0) : nil },
                isSelf: token.digest == own?.digest)
        }.sorted { $0.name < $1.name }
    }

    /// The name of the token that has let this one in; `nil` if no person has given it one.
    func maker(of grant: Grant) -> String? {
        state.withLock { state in
            let maker = state.token(grant.digest)?.maker.flatMap(state.token)
            return maker.flatMap { $0.isCalledByPeople ? $0.name : nil }
        }
    }

    /// Gives the page its name; a number follows if another has it.
    ///
    /// - Returns: its names, before and now.
    /// - Throws: if nothing of the name can be shown, or if it cannot be saved.
    func rename(_ id: String, to text: String) async throws(ErrorReply) -> (old: String, new: String) {
        let name = try Self.checked(pageName: text)
        var old = ""
        let changed = try await change { state throws(ErrorReply) in
            let token = try state.page(id)
            old = token.name
            return [token.called(state.free(name, for: token))]
        }
        return (old, changed[0].name)
    }

    /// - Throws: if nothing of the name can be shown.
    static func checked(pageName text: String) throws(ErrorReply) -> String {
        guard let name = ClientName(text, isOfPage: true)?.text else {
            throw ErrorReply(.invalid, "a name has at least one character that is seen")
        }
        return name
    }

    /// Gives the page more time, or less. What it has let in ends with it at the latest, and it with the one that let it in.
    ///
    /// - Parameter own: of the one that asks, who has that time themselves, and cannot give it to themselves.
    /// - Returns: its name, and its end now.
    func end(_ id: String, _ end: End, by own: Grant?) async throws(ErrorReply) -> (name: String, end: Timestamp?) {
        removeEnded()
        let changed = try await change { state throws(ErrorReply) in
            let token = try state.page(id)
            guard token.digest != own?.digest else {
                throw ErrorReply(.notAllowed, "nobody changes how long they have themselves")
            }
            if let most = own?.end, end.time.map({ $0 > most }) ?? true {
                throw ErrorReply(.notAllowed, "nobody gives more time than they have: until \(most.iso8601)")
            }
            return [token.ending(end.time)]
        }
        return (changed[0].name, state.withLock { $0.end(of: changed[0]) })
    }

    /// Signs pages out. In memory first, as when a token is revoked, but what is to stay is saved before.
    ///
    /// - Parameters:
    ///   - keepsAll: whether those stay that they have let in, or end with them.
    ///   - own: of the one that asks, which stays unless it is the one.
    /// - Returns: the names of those who are out, and of those who stay although one is out that let them in.
    func signOut(
        _ leaving: Leaving, keepsAll: Bool, by own: Grant?
    ) async throws(ErrorReply) -> (out: [String], kept: [String]) {
        removeEnded()
        var leavers: [AccessToken] = []
        let kept = try await change(isCounted: false) { state throws(ErrorReply) in
            switch leaving {
            case let .one(id): leavers = [try state.page(id)]
            case .others: leavers = state.tokens.values.filter { $0.isSession && $0.digest != own?.digest }
            }
            return state.handedOver(without: leavers, keepsAll: keepsAll, own: own?.digest)
        }
        let chosen = Set(leavers.map(\.digest))
        let ending = state.withLock { state in
            let digests = chosen.union(chosen.flatMap { state.ending(with: $0) }.map(\.digest))
            return state.remove(state.tokens.values.filter { digests.contains($0.digest) })
        }
        let names = leavers.map(\.name).sorted()
        finish(ending) { chosen.contains($0.digest) ? nil : "it ended with '\(names.joined(separator: "', '"))'" }
        if let failure = await deleteEnded().failure {
            throw ErrorReply(
                .notSaved, "they are signed out, but that cannot be saved: \(failure)",
                hint: "lightd tries again every \(Self.retryInterval.components.seconds) s; if it stops before, "
                    + "they are signed in again after the start")
        }
        return (ending.tokens.map(\.name).sorted(), kept.map(\.name).sorted())
    }

    /// Saves tokens as they are to be, and uses them so once that is done.
    ///
    /// - Parameters:
    ///   - isCounted: whether it counts among ``mostChanges``.
    ///   - plan: says how they are to be; with other names that nobody has.
    private func change(
        isCounted: Bool = true, _ plan: (State) throws(ErrorReply) -> [AccessToken]
    ) async throws(ErrorReply) -> [AccessToken] {
        let now = now()
        let (changed, names) = try state.withLock { state throws(ErrorReply) in
            let changed = try plan(state)
            let digests = changed.map(\.digest)
            guard state.changing.isDisjoint(with: digests) else {
                throw ErrorReply(.cannot, "this is being changed at this moment", hint: "try again")
            }
            if isCounted, let first = digests.first {
                var (count, since) = state.changes[first] ?? (0, now)
                if since.advanced(by: Self.changeInterval) <= now { (count, since) = (0, now) }
                guard count < Self.mostChanges else {
                    throw ErrorReply(.tooManyAttempts, "this was changed too often", hint: "try again in an hour")
                }
                state.changes[first] = (count + 1, since)
            }
            let names = Set(changed.map(\.name)).subtracting(changed.compactMap { state.token($0.digest)?.name })
            state.changing.formUnion(digests)
            state.arriving.formUnion(names)
            return (changed, names)
        }
        guard !changed.isEmpty else { return [] }
        // One of the same name may have ended, and still be in the archive.
        var outcome: Outcome = names.isEmpty ? .succeeded : await deleteEnded()
        if outcome == .succeeded {
            outcome = await withCheckedContinuation { waiting in
                archive.change(changed) { waiting.resume(returning: $0) }
            }
        }
        state.withLock { state in
            state.changing.subtract(changed.map(\.digest))
            state.arriving.subtract(names)
            guard outcome == .succeeded else { return }
            for token in changed { state.replace(with: token) }
        }
        if let failure = outcome.failure {
            throw ErrorReply(.notSaved, "nothing was changed: \(failure)", hint: "see lightd's log, then try again")
        }
        return changed
    }

    private static func checked(_ name: String) throws(ErrorReply) -> String {
        let scalars = name.unicodeScalars
        guard (1...TokenRequest.longestName).contains(scalars.count), PrintableText.isPrintable(name),
            !scalars.allSatisfy(\.properties.isWhitespace)
        else {
            throw ErrorReply(
                .invalid,
                "a token's name has 1 to \(TokenRequest.longestName) characters, in one line, all of which are seen",
                hint: "name it after the device or program that will use it")
        }
        return name
    }
}

extension AccessToken {
    fileprivate var isSession: Bool { origin != .command }
    fileprivate var lastUse: Timestamp { lastUsed ?? created }

    /// Whether its name is not lightd's, but a person's.
    fileprivate var isCalledByPeople: Bool { isNamed || !isSession }

    fileprivate func used(at time: Timestamp) -> Self { copy(end: end, origin: origin, lastUsed: time) }

    fileprivate func called(_ name: String) -> Self { copy(name: name, end: end, origin: origin, isNamed: true) }

    fileprivate func ending(_ end: Timestamp?) -> Self { copy(end: end, origin: origin) }

    /// - Parameter maker: the digest of the token with which it ends.
    fileprivate func made(by maker: String?) -> Self {
        if case .signIn = origin, let maker { return copy(end: end, origin: .signIn(maker: maker)) }
        return copy(end: end, origin: .link(maker: maker))
    }

    private func copy(
        name: String? = nil, end: Timestamp?, origin: Origin, lastUsed: Timestamp? = nil, isNamed: Bool? = nil
    ) -> Self {
        Self(
            name: name ?? self.name, access: access, digest: digest, created: created, end: end, origin: origin,
            lastUsed: lastUsed ?? self.lastUsed, isNamed: isNamed ?? self.isNamed)
    }

    fileprivate func body(maker: String?, revokedWithIt: [String]? = nil) -> TokenBody {
        TokenBody(
            name: name, access: access.body, created: created.iso8601, ends: end?.iso8601,
            lastUsed: lastUsed?.iso8601, origin: origin.body, maker: maker, revokedWithIt: revokedWithIt)
    }
}

extension AccessToken.Origin {
    fileprivate var body: TokenOrigin {
        switch self {
        case .command: .command
        case .link: .link
        case .signIn: .signIn
        }
    }
}

extension AccessToken.Access {
    init(_ access: TokenAccess) {
        self =
            switch access {
            case .look: .look
            case .readOnly: .readOnly
            case .control: .control
            case .full: .full
            }
    }

    var body: TokenAccess {
        switch self {
        case .look: .look
        case .readOnly: .readOnly
        case .control: .control
        case .full: .full
        }
    }
}
