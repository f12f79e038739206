import ControlProtocol
import ControlSurface
import HTTPTypes
import Lighting
import NIOCore

/// What a client may do, and what a route needs (``ControlAPI/routes``). Each level includes those before it. Those
/// between `none` and `local` are the roles of tokens (``TokenAccess``).
enum AccessLevel: Int, CaseIterable, Comparable, Sendable {
    /// The health paths, and signing in and out.
    case none
    /// The home as it is now: lists and streams.
    case look
    /// The log, too.
    case readOnly
    /// Commands that use the home as it is arranged.
    case control
    /// All commands, links for pages, and the access log.
    case full
    /// Access tokens and backups: only over the unix socket. A token that leaks must not be able to make itself others,
    /// which outlive it, to revoke the owner's, or to take the home along.
    case local
    /// The keys of the bridges, and what replaces them: only root and the user that lightd runs as, by the kernel's word.
    case owner

    init(_ role: TokenAccess) {
        self =
            switch role {
            case .look: .look
            case .readOnly: .readOnly
            case .control: .control
            case .full: .full
            }
    }

    /// The role with which a token has it; `nil` if none is needed, or none suffices.
    var role: TokenAccess? { TokenAccess.allCases.first { AccessLevel($0) == self } }

    static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// Decides what a request may do. For the unix socket, its file's mode decides. For TCP, a token decides, and the `Host`
/// and `Origin` headers: a web page elsewhere must not be able to switch lights.
enum AccessPolicy: Sendable {
    case socket
    case tcp(TCPAccess)

    /// With which its listener speaks TLS; `nil`: it speaks none.
    var certificate: ServerCertificate? { if case let .tcp(access) = self { access.certificate } else { nil } }

    /// - Parameters:
    ///   - peer: the other end of the connection; `nil` for the unix socket.
    ///   - local: lightd's end of it.
    ///   - user: who has opened the connection; `nil` over TCP.
    func admission(
        of head: HTTPRequest, from peer: SocketAddress?, at local: SocketAddress?, by user: SocketUser? = nil
    ) -> Admission {
        let name = Self.name(in: head)
        switch self {
        case .socket:
            let client = SenderName(user?.peer, user: user?.name, calling: name)
            if let refusal = head.hostRefusal { return Admission(client, refusal: refusal) }
            let source = RequestSource(of: head)
            // Browsers reach no unix socket, unless a proxy leads them there.
            if case let .another(origin) = source.page, !head.opensPage {
                return Admission(client, refusal: .page(from: origin))
            }
            return Admission(client, user?.peer.isOwner ?? false ? .owner : .local, source, uid: user?.peer.uid)
        case let .tcp(access): return access.admission(of: head, from: peer, at: local, name)
        }
    }

    /// The name that the client gives itself.
    private static func name(in head: HTTPRequest) -> ClientName? {
        HTTPField.Name(Routes.clientHeader).flatMap { head.headerFields[$0] }.flatMap { ClientName($0) }
    }
}

/// Who has opened a connection over the unix socket.
struct SocketUser: Sendable {
    let peer: SocketPeer
    /// `nil` if it is not known.
    let name: String?
}

/// What a request may do, and for whom.
struct Admission: Sendable {
    let level: AccessLevel
    /// Who asks.
    let sender: SenderName
    /// The token it came with, if that is one of `lightctl token`, of a page or of the configuration.
    let grant: AccessTokens.Grant?
    /// Of the user who asks over the unix socket, by the kernel's word.
    let uid: UInt32?
    let source: RequestSource
    /// Whether it came by a broker.
    let isOverMQTT: Bool
    /// Why it may do no more than anybody.
    private let refusal: APIError?
    /// Whether it may not even do that.
    let isRefused: Bool

    init(
        _ sender: SenderName, _ level: AccessLevel, _ source: RequestSource = RequestSource(),
        grant: AccessTokens.Grant? = nil, uid: UInt32? = nil, isOverMQTT: Bool = false
    ) {
        (self.level, self.sender, self.grant, self.uid, self.source) = (level, sender, grant, uid, source)
        (refusal, isRefused, self.isOverMQTT) = (nil, false, isOverMQTT)
    }

    /// - Parameter refusal: of this request, whatever its path.
    init(_ sender: SenderName, refusal: APIError) {
        (level, self.sender, grant, uid, source) = (.none, sender, nil, nil, RequestSource())
        (self.refusal, isRefused, isOverMQTT) = (refusal, true, false)
    }

    /// - Parameter refusal: of every path that requires a token.
    init(_ sender: SenderName, _ source: RequestSource, withoutToken refusal: APIError) {
        (level, self.sender, grant, uid, self.source) = (.none, sender, nil, nil, source)
        (self.refusal, isRefused, isOverMQTT) = (refusal, false, false)
    }

    /// Whether the client may do more than anybody.
    var isKnown: Bool { level > .none }

    /// - Throws: why the request may not do what its path does.
    func check(_ needed: AccessLevel) throws(APIError) {
        if let refusal, isRefused || needed > .none { throw refusal }
        guard level < needed else { return }
        if needed == .owner, level == .local { throw .onlyOwner }
        guard let role = needed.role else { throw .onlyLocal }
        throw isOverMQTT ? APIError(.notAllowedOverMQTT(role)) : .needs(role, but: grant?.access.body)
    }

    /// The same, and notes a refusal.
    func check(_ needed: AccessLevel, _ audit: AccessAudit) throws(APIError) {
        do {
            try check(needed)
        } catch {
            audit.refused(sender, because: error)
            throw error
        }
    }

    /// Decides again, for a request whose body took its time: the token it came with may have ended meanwhile.
    func checkAgain(_ tokens: AccessTokens, _ audit: AccessAudit) throws(APIError) {
        guard let grant, !tokens.exists(grant) else { return }
        audit.refused(sender, because: .endedMeanwhile)
        throw .endedMeanwhile
    }
}

/// The policy for TCP.
struct TCPAccess: Sendable {
    private let currentSettings: @Sendable () -> ControlServerSettings.TCP
    private let tokens: AccessTokens
    private let attempts: SecretAttempts

    /// - Parameter settings: asked at each request.
    init(
        _ settings: @escaping @Sendable () -> ControlServerSettings.TCP, _ tokens: AccessTokens,
        _ attempts: SecretAttempts
    ) {
        currentSettings = settings
        self.tokens = tokens
        self.attempts = attempts
    }

    fileprivate var certificate: ServerCertificate? { currentSettings().certificate }

    /// - Parameter name: that the client gives itself.
    fileprivate func admission(
        of head: HTTPRequest, from peer: SocketAddress?, at local: SocketAddress?, _ name: ClientName?
    ) -> Admission {
        let settings = currentSettings()
        let local = local?.ipAddress.flatMap { ClientAddress($0) }
        guard
            let sender = ForwardedSender(
                of: head, from: peer?.ipAddress.flatMap { ClientAddress($0) },
                over: settings.certificate.map { _ in "https" }, proxies: settings.proxies)
        else { return Admission(SenderName(calling: name, " over TCP"), refusal: .unknownSender) }
        let way = " over TCP" + (sender.address.map { $0.isLoopback ? "" : " from \($0)" } ?? "")
        let stranger = SenderName(calling: name, way)
        if let refusal = head.hostRefusal { return Admission(stranger, refusal: refusal) }
        for host in [head.authority] + sender.hosts {
            guard let host, settings.answers(to: host, at: local) else {
                return Admission(stranger, refusal: .unknownHost(host ?? ""))
            }
        }
        if let origin = head.headerFields[.origin] {
            guard settings.accepts(origin: origin, over: sender.scheme, at: local) else {
                return Admission(stranger, refusal: .page(from: origin))
            }
        } else if head.comesFromAnotherSite, !head.opensPage {
            return Admission(stranger, refusal: .page(from: RequestSource.anotherSite))
        }
        let source = RequestSource(of: head, from: sender)
        do throws(APIError) {
            let grant = try grant(of: head, source)
            let client = SenderName(
                calling: name, isPage: grant.isSession,
                (grant.name.map(grant.isNamed ? SenderName.page : SenderName.token) ?? "") + way)
            return Admission(client, AccessLevel(grant.access.body), source, grant: grant)
        } catch {
            return Admission(stranger, source, withoutToken: error)
        }
    }

    /// What the request's token allows, which is in its header or in the cookie of its session.
    private func grant(of head: HTTPRequest, _ source: RequestSource) throws(APIError) -> AccessTokens.Grant {
        if let token = head.bearerToken {
            return try attempts.attempt(from: source.address) { tokens.grant(for: token) }
        }
        guard let (cookie, secret) = SessionCookie.sent(in: head, from: source) else { throw .noToken }
        try source.checkCookie(for: head.method)
        // Not counted: a session's secret is no guess at a token, and nobody can guess one. A browser sends that of a
        // session that has ended with whatever it asks for, and would lock out all who share its address.
        guard let grant = tokens.session(of: secret) else { throw .signedOut(cookie) }
        return grant
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

    fileprivate static let unknownSender = APIError(
        ErrorReply(
            .invalid, "the proxy names a sender in 'X-Forwarded-For' that is not an address",
            hint: "a proxy of 'tcp.proxies' must append the address alone from which it got the request"))

    static func page(from origin: String) -> Self {
        APIError(ErrorReply(.notAllowed, "pages from '\(origin)' may not use lightd"))
    }

    fileprivate static let noToken = unauthorized("over TCP, lightd requires a token")
    static let wrongToken = unauthorized("lightd does not know this token")

    /// - Parameter cookie: of the session that has ended, which the browser forgets.
    fileprivate static func signedOut(_ cookie: SessionCookie) -> Self {
        unauthorized(
            "this page is signed out", hint: "'lightctl open' on lightd's machine prints a link that signs it in",
            headers: [.setCookie: cookie.cleared])
    }

    fileprivate static let endedMeanwhile = unauthorized("the token ended before the request had arrived")

    static let wrongLink = unauthorized(
        "this link was used already, or its time is over", hint: "'lightctl open' on lightd's machine prints a new one")

    private static func unauthorized(
        _ message: String, hint: String = "send 'Authorization: Bearer TOKEN'; 'lightctl token create NAME' makes one",
        headers: HTTPFields = [:]
    ) -> Self {
        var headers = headers
        headers[.wwwAuthenticate] = "Bearer realm=\"lightd\""
        return APIError(ErrorReply(.notAllowed, message, hint: hint), status: .unauthorized, headers: headers)
    }

    static func tooManyAttempts(_ wait: Duration) -> Self {
        let seconds = Int((wait / .seconds(1)).rounded(.up))
        return APIError(
            ErrorReply(
                .tooManyAttempts, "too many wrong tokens came from this address", hint: "try again in \(seconds) s"),
            headers: [.retryAfter: "\(seconds)"])
    }

    /// - Parameter has: the role of the client's token.
    fileprivate static func needs(_ role: TokenAccess, but has: TokenAccess?) -> Self {
        let asked = role == .readOnly ? "control" : role.rawValue
        // Which command it is nobody reads who may send none.
        let arranging = role == .control ? ", and 'full' if it renames or arranges anything" : ""
        return APIError(
            ErrorReply(
                .notAllowed,
                "this needs the role '\(asked)'\(arranging)"
                    + (has.map { ", but this token has '\($0.rawValue)'" } ?? ""),
                hint: "'lightctl token create NAME --role \(asked)' makes a token that has it, "
                    + "'lightctl open --role \(asked)' a link for a page"))
    }

    fileprivate static let onlyLocal = APIError(
        ErrorReply(
            .notAllowed, "tokens and backups are made and used over lightd's unix socket only",
            hint: "run lightctl on lightd's own machine"))

    fileprivate static let onlyOwner = APIError(
        ErrorReply(
            .notAllowed,
            "only root, and the user that lightd runs as, may take the keys of bridges or restore a backup",
            hint: "use sudo: 'sudo lightctl backup --with-keys FILE', 'sudo lightctl restore FILE'"))
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
    var comesFromAnotherSite: Bool {
        guard let site = HTTPField.Name("Sec-Fetch-Site").flatMap({ headerFields[$0] }) else { return false }
        return !site.isSame(as: "same-origin") && !site.isSame(as: "none")
    }

    /// Whether a person follows a link to the page, wherever that stands: in a mail, in a chat. The page's index alone
    /// tells nothing, and a browser shows it to nobody else.
    fileprivate var opensPage: Bool {
        let mode = HTTPField.Name("Sec-Fetch-Mode").flatMap { headerFields[$0] }
        return method == .get && mode?.isSame(as: "navigate") == true && PageFiles.isIndex(path)
            && headerFields[.origin] == nil
    }

    /// The token of `Authorization: Bearer TOKEN`; `nil` if there is none.
    var bearerToken: String? {
        guard let rest = headerFields[.authorization]?.after("bearer ") else { return nil }
        let token = rest.utf8.drop { $0 == UInt8(ascii: " ") }
        return token.isEmpty ? nil : String(Substring(token))
    }
}

extension ControlServerSettings.TCP {
    /// - Parameters:
    ///   - authority: a `Host` header: a name or address, with or without a port.
    ///   - local: lightd's end of the connection. A browser that names it has asked no DNS, which could lie.
    func answers(to authority: String, at local: ClientAddress? = nil) -> Bool {
        guard let host = Self.host(of: authority) else { return false }
        if Self.isLoopback(host) { return true }
        if let local, ClientAddress(host) == local { return true }
        // No honest client names the wildcard address.
        let own = isWildcard ? [] : [Self.bracketed(self.host)]
        return (own + names.map(Self.authority)).contains { Self.host(of: $0) == host }
    }

    /// - Parameters:
    ///   - origin: an `Origin` header: "https://lights.example:8443", or "null", which is refused.
    ///   - scheme: that a proxy says the request came by; a page that came by another one is another origin.
    ///   - local: lightd's end of the connection.
    func accepts(origin: String, over scheme: String?, at local: ClientAddress? = nil) -> Bool {
        guard origin.isVisibleASCII else { return false }
        let origin = origin.lowercased()
        for prefix in ["http://", "https://"] where origin.hasPrefix(prefix) {
            return answers(to: String(origin.dropFirst(prefix.count)), at: local)
                && (scheme.map { "\($0)://" } ?? prefix) == prefix
        }
        return false
    }

    /// Without its port, in lower case, and without the final dot or the brackets; `nil` if it is not an authority.
    private static func host(of authority: String) -> String? {
        guard authority.isVisibleASCII else { return nil }
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

    static func bracketed(_ host: String) -> String {
        host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    }

    /// "192.168.1.3:8377", "[::1]:8377"
    static func address(_ host: String, _ port: Int) -> String { "\(bracketed(host)):\(port)" }

    /// What a request names: an entry of ``names`` is a name, or the whole address of the page.
    private static func authority(of name: String) -> String {
        for prefix in ["http://", "https://"] where name.lowercased().hasPrefix(prefix) {
            return String(name.dropFirst(prefix.count).prefix { $0 != "/" })
        }
        return bracketed(name)
    }

    /// Whether a browser could send it as the host: "lights.home", "[::1]:8377", "https://lights.example.org". Of a name in
    /// other letters it sends the form in ASCII ("xn--…").
    public static func isName(_ name: String) -> Bool {
        guard name.isVisibleASCII, let host = host(of: authority(of: name)) else { return false }
        return !host.contains(":") || ClientAddress(host) != nil
    }

    /// "http" or "https" if ``names`` has the whole address of the page there.
    func scheme(of authority: String) -> String? {
        guard authority.isVisibleASCII else { return nil }
        return names.first { $0.contains("://") && Self.authority(of: $0).lowercased() == authority.lowercased() }
            .map { $0.prefix { $0 != ":" }.lowercased() }
    }

    /// - Parameter authority: a name or address, with or without a port.
    static func isLoopback(authority: String) -> Bool { host(of: authority).map { isLoopback($0) } ?? false }

    /// - Parameter host: without its port.
    public static func isLoopback(_ host: String) -> Bool {
        // The whole of it is an address: anybody may own "127.0.0.1.example.org".
        host == "localhost" || ClientAddress(host)?.isLoopback == true
    }

    /// Whether it listens on all addresses of the machine.
    var isWildcard: Bool { ["0.0.0.0", "::", "[::]", ""].contains(host) }

    /// Whether only this machine reaches it.
    var isLoopback: Bool { Self.isLoopback(authority: Self.bracketed(host)) }
}
