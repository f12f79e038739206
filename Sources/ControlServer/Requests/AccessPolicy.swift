import ControlProtocol
import HTTPTypes
import Khipu
import Lighting
import Logging
import NIOCore
import Synchronization

/// What a client may do. Each level includes those before it.
enum AccessLevel: Int, Comparable, Sendable {
    /// The health paths.
    case none
    /// Lists, the log and streams.
    case readOnly
    /// Commands.
    case full
    /// Access tokens: only over the unix socket. A token that leaks must not be able to make itself others, which
    /// outlive it, or to revoke the owner's.
    case local

    static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// Decides what a request may do. For the unix socket, its file's mode decides. For TCP, a token decides, and the `Host`
/// and `Origin` headers: a web page elsewhere must not be able to switch lights.
enum AccessPolicy: Sendable {
    case socket
    case tcp(TCPAccess)

    /// - Parameter peer: the other end of the connection; `nil` for the unix socket.
    func admission(of head: HTTPRequest, from peer: SocketAddress?) -> Admission {
        let name = Self.name(in: head)
        if let refusal = head.hostRefusal { return Admission(name ?? "a client", refusal: refusal) }
        switch self {
        case .socket:
            let client = name ?? "a client of the socket"
            // Browsers reach no unix socket, unless a proxy leads them there.
            if let origin = head.headerFields[.origin], !Self.isSameOrigin(origin, head.authority) {
                return Admission(client, refusal: .page(from: origin))
            }
            if head.comesFromAnotherSite { return Admission(client, refusal: .page(from: "another site")) }
            return Admission(client, .local)
        case let .tcp(access): return access.admission(of: head, from: peer, name)
        }
    }

    /// The name that the client gives itself.
    private static func name(in head: HTTPRequest) -> String? {
        // A line of the log must stay one short line without terminal escapes.
        let readable = HTTPField.Name(Routes.clientHeader).flatMap { head.headerFields[$0] }.map { text in
            String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.properties.generalCategory != .control }))
                .prefix(Routes.longestClientName)
        }
        return readable.flatMap { $0.isEmpty ? nil : String($0) }
    }

    private static func isSameOrigin(_ origin: String, _ authority: String?) -> Bool {
        ["http://", "https://"].contains { $0 + (authority ?? "").lowercased() == origin.lowercased() }
    }
}

/// What a request may do, and for whom.
struct Admission: Sendable {
    let level: AccessLevel
    /// Who asks, for tickets.
    let client: String
    /// The token it came with, if that is one of `lightctl token` or of the configuration.
    let grant: AccessTokens.Grant?
    /// Why it may do no more than anybody.
    private let refusal: APIError?
    /// Whether it may not even do that.
    private let isRefused: Bool

    init(_ client: String, _ level: AccessLevel, grant: AccessTokens.Grant? = nil) {
        (self.level, self.client, self.grant, refusal, isRefused) = (level, client, grant, nil, false)
    }

    /// - Parameter refusal: of this request, whatever its path.
    init(_ client: String, refusal: APIError) {
        (level, self.client, grant, self.refusal, isRefused) = (.none, client, nil, refusal, true)
    }

    /// - Parameter refusal: of every path that requires a token.
    init(_ client: String, withoutToken refusal: APIError) {
        (level, self.client, grant, self.refusal, isRefused) = (.none, client, nil, refusal, false)
    }

    /// Whether the client may use its connection for another request. Who has shown no token gets one answer, so that
    /// strangers cannot keep connections.
    var isKnown: Bool { level > .none }

    /// - Throws: why the request may not do what its path does.
    func check(_ needed: AccessLevel) throws(APIError) {
        if let refusal, isRefused || needed > .none { throw refusal }
        guard level < needed else { return }
        throw needed == .local ? .onlyLocal : .readOnly
    }
}

/// The policy for TCP. All requests share it, because it counts wrong tokens.
final class TCPAccess: Sendable {
    /// How often the log may say that wrong tokens come.
    static let logInterval = Duration.seconds(600)

    private let settings: ControlServerSettings.TCP
    private let tokens: AccessTokens
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    private let attempts = Mutex(FailedAttempts())
    private let logged = Mutex<Timestamp?>(nil)

    init(
        _ settings: ControlServerSettings.TCP, _ tokens: AccessTokens, now: @escaping @Sendable () -> Timestamp,
        logger: Logger
    ) {
        self.settings = settings
        self.tokens = tokens
        self.now = now
        self.logger = logger
    }

    /// - Parameter name: that the client gives itself.
    func admission(of head: HTTPRequest, from peer: SocketAddress?, _ name: String?) -> Admission {
        let sender = ForwardedSender(
            of: head, from: peer?.ipAddress.flatMap { ClientAddress($0) }, proxies: settings.proxies)
        let way = "over TCP" + (sender.address.map { $0.isLoopback ? "" : " from \($0)" } ?? "")
        let stranger = (name ?? "a client") + " " + way
        for host in [head.authority] + sender.hosts {
            guard let host, settings.answers(to: host) else {
                return Admission(stranger, refusal: .unknownHost(host ?? ""))
            }
        }
        if let origin = head.headerFields[.origin] {
            guard settings.accepts(origin: origin, over: sender.scheme) else {
                return Admission(stranger, refusal: .page(from: origin))
            }
        } else if head.comesFromAnotherSite {
            return Admission(stranger, refusal: .page(from: "another site"))
        }
        guard let token = head.bearerToken else { return Admission(stranger, withoutToken: .noToken) }
        switch grant(for: token, from: sender.address) {
        case let .success(grant):
            let client = (name ?? "a client") + (grant.name.map { " with token '\($0)'" } ?? "") + " " + way
            return Admission(client, grant.access == .full ? .full : .readOnly, grant: grant)
        case let .failure(refusal):
            return Admission(stranger, withoutToken: refusal)
        }
    }

    private func grant(
        for token: String, from address: ClientAddress?
    ) -> Result<AccessTokens.Grant, APIError> {
        let now = now()
        if let address, let wait = attempts.withLock({ $0.wait(of: address, at: now) }) {
            return .failure(.tooManyAttempts(wait))
        }
        if let grant = tokens.grant(for: token) { return .success(grant) }
        if let address, attempts.withLock({ $0.failed(address, at: now) }) { log(address, at: now) }
        return .failure(.wrongToken)
    }

    private func log(_ address: ClientAddress, at now: Timestamp) {
        let isFirst = logged.withLock { logged in
            if let last = logged, now < last.advanced(by: Self.logInterval) { return false }
            logged = now
            return true
        }
        guard isFirst else { return }
        logger.notice("wrong tokens come over TCP: their sender has to wait", metadata: ["from": "\(address)"])
    }
}

extension APIError {
    fileprivate static func hosts(_ count: String) -> Self {
        APIError(
            ErrorReply(
                .invalid, "the request has \(count) 'Host' header",
                hint: "HTTP/1.1 requires exactly one, such as 'Host: localhost'"))
    }

    fileprivate static func unknownHost(_ host: String) -> Self {
        APIError(
            ErrorReply(
                .notAllowed, "lightd does not answer to the name '\(host)'",
                hint: "names other than localhost and the configured address belong in 'tcp.names'"))
    }

    fileprivate static func page(from origin: String) -> Self {
        APIError(ErrorReply(.notAllowed, "pages from '\(origin)' may not use lightd"))
    }

    fileprivate static let noToken = unauthorized("over TCP, lightd requires a token")
    fileprivate static let wrongToken = unauthorized("lightd does not know this token")

    private static func unauthorized(_ message: String) -> Self {
        APIError(
            ErrorReply(
                .notAllowed, message,
                hint: "send 'Authorization: Bearer TOKEN'; 'lightctl token create NAME' makes one"),
            status: .unauthorized,
            headers: [.wwwAuthenticate: "Bearer realm=\"lightd\""])
    }

    fileprivate static func tooManyAttempts(_ wait: Duration) -> Self {
        let seconds = Int((wait / .seconds(1)).rounded(.up))
        return APIError(
            ErrorReply(
                .tooManyAttempts, "too many wrong tokens came from this address", hint: "try again in \(seconds) s"),
            headers: [.retryAfter: "\(seconds)"])
    }

    fileprivate static let readOnly = APIError(
        ErrorReply(
            .notAllowed, "this token is read-only: it allows lists and events, but no commands",
            hint: "'lightctl token create NAME' makes one that allows commands"))

    fileprivate static let onlyLocal = APIError(
        ErrorReply(
            .notAllowed, "tokens are listed, made and revoked over lightd's unix socket only",
            hint: "run 'lightctl token' on lightd's own machine"))
}

extension HTTPRequest {
    /// HTTP/1.1 requires one `Host`, and a server to refuse none or several (RFC 9112, 3.2): who stands before it may
    /// have looked at another one. ``HTTPConformance`` gives a request of HTTP/1.0 an empty one.
    fileprivate var hostRefusal: APIError? {
        if authority == nil { return .hosts("no") }
        // The first one is the authority.
        return headerFields.contains { $0.name.canonicalName == "host" } ? .hosts("more than one") : nil
    }

    /// Whether a browser sends it for a page of another site, by its word (Fetch Metadata, "Sec-Fetch-Site"). Links and
    /// images of such a page carry no `Origin`.
    fileprivate var comesFromAnotherSite: Bool {
        guard let site = HTTPField.Name("Sec-Fetch-Site").flatMap({ headerFields[$0] }) else { return false }
        return !["same-origin", "none"].contains(site.lowercased())
    }

    /// The token of `Authorization: Bearer TOKEN`; `nil` if there is none.
    var bearerToken: String? {
        guard let text = headerFields[.authorization], text.lowercased().hasPrefix("bearer ") else { return nil }
        let token = text.dropFirst("bearer ".count).drop { $0 == " " }
        return token.isEmpty ? nil : String(token)
    }
}

extension ControlServerSettings.TCP {
    /// - Parameter authority: a `Host` header: a name or address, with or without a port.
    func answers(to authority: String) -> Bool {
        guard let host = Self.host(of: authority) else { return false }
        if Self.isLoopback(host) { return true }
        // No honest client names the wildcard address.
        let own = Self.isWildcard(self.host) ? [] : [self.host]
        return (own + names).contains { Self.host(of: Self.bracketed($0)) == host }
    }

    /// - Parameters:
    ///   - origin: an `Origin` header: "https://lights.example:8443", or "null", which is refused.
    ///   - scheme: that a proxy says the request came by; a page that came by another one is another origin.
    func accepts(origin: String, over scheme: String?) -> Bool {
        let origin = origin.lowercased()
        for prefix in ["http://", "https://"] where origin.hasPrefix(prefix) {
            return answers(to: String(origin.dropFirst(prefix.count)))
                && (scheme.map { "\($0)://" } ?? prefix) == prefix
        }
        return false
    }

    /// Without its port, in lower case, and without the final dot or the brackets; `nil` if it is not an authority.
    private static func host(of authority: String) -> String? {
        let text = authority.lowercased()
        let host: Substring
        let rest: Substring
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            (host, rest) = (text[text.index(after: text.startIndex)..<end], text[text.index(after: end)...])
        } else {
            let colon = text.firstIndex(of: ":") ?? text.endIndex
            (host, rest) = (text[..<colon], text[colon...])
        }
        guard !host.isEmpty,
            rest.isEmpty || (rest.first == ":" && rest.dropFirst().allSatisfy { ("0"..."9").contains($0) })
        else { return nil }
        return String(host.hasSuffix(".") ? host.dropLast() : host)
    }

    private static func bracketed(_ host: String) -> String {
        host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        // Exactly four numbers: anybody may own "127.0.0.1.example.org".
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return numbers.count == 4 && numbers.allSatisfy { $0 != nil } && numbers[0] == 127
    }

    private static func isWildcard(_ host: String) -> Bool {
        ["0.0.0.0", "::", "[::]", ""].contains(host)
    }
}
