import ControlProtocol
import Foundation
import HTTPTypes
import Lighting
import LightingTestKit
import Logging
import NIOCore
import TestSupport
import Testing

@testable import ControlServer

/// The access policy over TCP for every combination of what a browser, or somebody who imitates one, can send.
@Suite struct AccessLawTests {
    private enum Bearer: CaseIterable {
        case none, full, wrong
    }

    private enum Cookie: CaseIterable {
        case none, full, readOnly, ended
        /// Not of a session, but a token that a person was told.
        case configured, command
    }

    private struct Sent {
        var method = HTTPRequest.Method.get
        var path = "/v1/lights"
        var origin: String?
        var site: String?
        var mode: String?
        var cookie = Cookie.none
        var bearer = Bearer.none

        var isSafe: Bool { [.get, .head, .options].contains(method) }
        /// By the browser's word, and not by the sender's.
        var isOfOurPage: Bool {
            (origin == ours || origin == nil && site == "same-origin") && [nil, "same-origin", "none"].contains(site)
        }
        var isOfAnotherPage: Bool {
            origin.map { $0 != ours } ?? false || ["same-site", "cross-site"].contains(site)
        }
    }

    private static let start = ContinuousClock.now
    private static let ours = "http://lights.home:8377"
    private static let secrets: [Cookie: String] = [
        .full: "lightd_" + String(repeating: "1", count: 64), .readOnly: "lightd_" + String(repeating: "2", count: 64),
        .ended: "lightd_" + String(repeating: "3", count: 64), .configured: "sesame",
        .command: "lightd_" + String(repeating: "4", count: 64),
    ]

    private let access: AccessPolicy
    private let address: SocketAddress

    init() throws {
        let saved = [
            (Cookie.full, AccessToken.Access.full, AccessToken.Origin.link(maker: nil)),
            (.readOnly, .readOnly, .signIn(maker: Secret.digest(of: Self.secrets[.command] ?? ""))),
            (.command, .full, .command),
        ].map { cookie, access, origin in
            AccessToken(
                name: "\(cookie)", access: access, digest: Secret.digest(of: Self.secrets[cookie] ?? ""),
                created: .sample, origin: origin)
        }
        let tokens = AccessTokens(
            configured: "sesame", saved: saved, archive: MemoryTokenArchive().archive, now: { .sample })
        let settings = ControlServerSettings.TCP(
            host: "0.0.0.0", port: 8377, names: ["lights.home"], proxies: [try #require(AddressRange("10.0.0.1"))])
        access = .tcp(TCPAccess({ settings }, tokens, SecretAttempts(now: { Self.start }, logger: .silent)))
        address = try SocketAddress(ipAddress: "192.0.2.7", port: 50_000)
    }

    /// - Parameter sender: `nil` for another one each time: nobody has to wait.
    private func admission(_ sent: Sent, from sender: SocketAddress? = nil) -> Admission {
        var head = HTTPRequest(method: sent.method, scheme: nil, authority: "lights.home:8377", path: sent.path)
        head.headerFields[.origin] = sent.origin
        for (name, value) in [("Sec-Fetch-Site", sent.site), ("Sec-Fetch-Mode", sent.mode)] {
            head.headerFields[HTTPField.Name(name)!] = value
        }
        if let secret = Self.secrets[sent.cookie] {
            let cookie = SessionCookie(RequestSource(authority: "lights.home:8377")).set(secret)
            head.headerFields[.cookie] = "a=b; " + cookie.prefix { $0 != ";" }
        }
        switch sent.bearer {
        case .none: break
        case .full: head.headerFields[.authorization] = "Bearer sesame"
        case .wrong: head.headerFields[.authorization] = "Bearer sesamE"
        }
        return access.admission(of: head, from: sender, at: nil)
    }

    private func isRefused(_ admission: Admission) -> Bool { refusal(of: admission, .none) != nil }

    private static let all: [Sent] = {
        var all: [Sent] = []
        for method in [HTTPRequest.Method.get, .head, .post, .put, .delete] {
            for path in ["/", "/v1/lights"] {
                for origin in [
                    nil, ours, "https://lights.home:8377", "http://lights.home", "http://lights.home:8123",
                    "http://localhost:3000", "http://evil.example", "http://evil.example:8377", "null",
                ] {
                    for site in [nil, "same-origin", "same-site", "cross-site", "none"] {
                        for mode in [nil, "navigate", "cors"] {
                            for cookie in Cookie.allCases {
                                for bearer in Bearer.allCases {
                                    all.append(
                                        Sent(
                                            method: method, path: path, origin: origin, site: site, mode: mode,
                                            cookie: cookie, bearer: bearer))
                                }
                            }
                        }
                    }
                }
            }
        }
        return all
    }()

    @Test func `the access of every request follows from few laws`() {
        for sent in Self.all {
            let level = admission(sent).level
            // '#expect' would take most of the time.
            func expect(_ holds: Bool) { if !holds { Issue.record("\(sent): \(level)") } }
            expect(level < .local)
            // Nothing but a right secret gives access, and in a cookie only that of a session.
            if sent.bearer != .full, ![.full, .readOnly].contains(sent.cookie) { expect(level == .none) }
            switch sent.bearer {
            case .full, .wrong:
                // A token in the header is all that counts, whatever the cookie.
                var plain = sent
                plain.cookie = .none
                expect(level == self.admission(plain).level)
                if sent.bearer == .wrong { expect(level == .none) }
            case .none:
                let right: AccessLevel = sent.cookie == .full ? .full : sent.cookie == .readOnly ? .readOnly : .none
                // Pages of another origin get nothing by the cookie, and nothing is changed unless lightd's page asks.
                let isWidened = sent.origin == "https://lights.home:8377"
                if !isWidened {
                    let isAllowed = sent.isSafe ? !sent.isOfAnotherPage : sent.isOfOurPage
                    expect(level == (isAllowed ? right : .none))
                }
            }
        }
    }

    @Test func `a request that its browser sends for another site is refused, unless it opens the page`() {
        for sent in Self.all where sent.origin == nil {
            let isForeign = ["same-site", "cross-site"].contains(sent.site)
            let opensPage = sent.method == .get && sent.path == "/" && sent.mode == "navigate"
            #expect(isRefused(admission(sent)) == (isForeign && !opensPage), "\(sent)")
        }
        for sent in Self.all where sent.origin == "http://evil.example" || sent.origin == "null" {
            #expect(isRefused(admission(sent)), "\(sent)")
        }
    }

    @Test func `no cookie makes its sender wait, whatever it holds`() throws {
        for sent in Self.all where sent.bearer == .none { _ = admission(sent, from: address) }
        #expect(admission(Sent(bearer: .full), from: address).level == .full)
        for _ in 0...FailedAttempts.free { _ = admission(Sent(bearer: .wrong), from: address) }
        #expect(admission(Sent(bearer: .full), from: address).level == .none)
        // And who waits keeps a session.
        #expect(admission(Sent(cookie: .full), from: address).level == .full)
    }

    @Test func `a cookie without a session is forgotten with the refusal, and no other is`() {
        for sent in Self.all where sent.bearer == .none && sent.path != "/" {
            let refusal = refusal(of: admission(sent), .readOnly)
            let isStale = ![.none, .full, .readOnly].contains(sent.cookie) && refusal?.status == .unauthorized
            let isCleared = refusal?.headers[.setCookie]?.contains("Max-Age=0") ?? false
            if sent.origin != "https://lights.home:8377" { #expect(isCleared == isStale, "\(sent)") }
        }
    }

    private func refusal(of admission: Admission, _ level: AccessLevel) -> APIError? {
        do throws(APIError) {
            try admission.check(level)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Proxies

    private func head(_ method: HTTPRequest.Method, origin: String?, cookie: String?, _ forwarded: [String: String])
        -> HTTPRequest
    {
        var head = HTTPRequest(method: method, scheme: nil, authority: "127.0.0.1:8377", path: "/v1/messages")
        head.headerFields[.origin] = origin
        head.headerFields[.cookie] = cookie
        for (name, value) in forwarded { head.headerFields[HTTPField.Name(name)!] = value }
        return head
    }

    @Test(arguments: [
        ("https://lights.home", "lights.home", true), ("http://lights.home", "lights.home", false),
        ("https://lights.home:8443", "lights.home", false), ("https://lights.home:8443", "lights.home:8443", true),
        ("https://127.0.0.1:8377", "lights.home", false),
    ])
    func `behind a proxy with TLS, the page's origin is the one that the proxy was addressed by`(
        origin: String, host: String, isOurs: Bool
    ) throws {
        let secret = try #require(Self.secrets[.full])
        let forwarded = ["X-Forwarded-Proto": "https", "X-Forwarded-Host": host, "X-Forwarded-For": "203.0.113.7"]
        let cookie = SessionCookie(RequestSource(scheme: "https", authority: host))
        #expect(cookie.name.hasPrefix("__Host-lightd") && cookie.set(secret).hasSuffix("; Secure"))
        let proxy = try SocketAddress(ipAddress: "10.0.0.1", port: 1)
        let value = String(cookie.set(secret).prefix { $0 != ";" })
        let head = head(.post, origin: origin, cookie: value, forwarded)
        #expect(access.admission(of: head, from: proxy, at: nil).level == (isOurs ? .full : .none))
        // From anybody else these are only words.
        #expect(access.admission(of: head, from: address, at: nil).level == .none)
        // Over TLS the other name does not count: a page without TLS can set it.
        let plain = SessionCookie(RequestSource(authority: host)).set(secret)
        let other = self.head(.post, origin: origin, cookie: String(plain.prefix { $0 != ";" }), forwarded)
        #expect(access.admission(of: other, from: proxy, at: nil).level == .none)
    }

    /// 10.0.0.1 is behind 10.0.0.2: both are ours, and both append.
    @Test func `behind two proxies, Origin, cookie and links all follow one name and one scheme: the browser's`() throws
    {
        let secret = try #require(Self.secrets[.full])
        let names = ["lights.home", "inner.home"]
        let settings = ControlServerSettings.TCP(
            host: "0.0.0.0", port: 8377, names: names,
            proxies: ["10.0.0.1", "10.0.0.2"].compactMap { AddressRange($0) })
        let saved = AccessToken(
            name: "page", access: .full, digest: Secret.digest(of: secret), created: .sample, origin: .link(maker: nil))
        let tokens = AccessTokens(
            configured: nil, saved: [saved], archive: MemoryTokenArchive().archive, now: { .sample })
        let access = AccessPolicy.tcp(
            TCPAccess({ settings }, tokens, SecretAttempts(now: { Self.start }, logger: .silent)))
        let proxy = try SocketAddress(ipAddress: "10.0.0.1", port: 1)
        // The client may have written something before.
        for (claimedHost, claimedScheme) in [("", ""), ("inner.home, ", "http, "), ("lights.home, ", "https, ")] {
            for originHost in names {
                for originScheme in ["http", "https"] {
                    for cookieHost in names {
                        let cookie = SessionCookie(RequestSource(scheme: "https", authority: cookieHost)).set(secret)
                        let head = head(
                            .post, origin: "\(originScheme)://\(originHost)",
                            cookie: String(cookie.prefix { $0 != ";" }),
                            [
                                "X-Forwarded-For": "203.0.113.7, 10.0.0.2",
                                "X-Forwarded-Host": claimedHost + "lights.home, inner.home",
                                "X-Forwarded-Proto": claimedScheme + "https, http",
                            ])
                        let admission = access.admission(of: head, from: proxy, at: nil)
                        let isOurs = (originScheme, originHost) == ("https", "lights.home")
                        #expect(admission.level == (isOurs ? .full : .none), "\(head)")
                        guard !isRefused(admission) else { continue }
                        let source = admission.source
                        #expect(source.authority == "lights.home" && source.scheme == "https")
                        let link = PageAddresses.all(settings, port: 8377, askedBy: source) { [] }.first
                        #expect(link == "https://lights.home")
                    }
                }
            }
        }
    }

    // MARK: TLS of lightd's own

    @Test func `over TLS of lightd's own, only https is its origin, by no word of a stranger another`() async throws {
        let secret = try #require(Self.secrets[.full])
        let settings = ControlServerSettings.TCP(
            host: "0.0.0.0", port: 8377, names: ["lights.home"], proxies: ["10.0.0.1"].compactMap { AddressRange($0) },
            certificate: try await .sample())
        let saved = AccessToken(
            name: "page", access: .full, digest: Secret.digest(of: secret), created: .sample, origin: .link(maker: nil))
        let tokens = AccessTokens(
            configured: nil, saved: [saved], archive: MemoryTokenArchive().archive, now: { .sample })
        let policy = AccessPolicy.tcp(
            TCPAccess({ settings }, tokens, SecretAttempts(now: { Self.start }, logger: .silent)))
        #expect(policy.certificate != nil)
        for claimed in [nil, "http", "https"] {
            for origin in [nil, "http", "https"] {
                for cookieScheme in ["http", "https"] {
                    let source = RequestSource(scheme: cookieScheme, authority: "lights.home:8377")
                    var head = HTTPRequest(
                        method: origin == nil ? .get : .post, scheme: nil, authority: "lights.home:8377",
                        path: "/v1/lights")
                    head.headerFields[.origin] = origin.map { "\($0)://lights.home:8377" }
                    head.headerFields[.cookie] = String(SessionCookie(source).set(secret).prefix { $0 != ";" })
                    head.headerFields[HTTPField.Name("X-Forwarded-Proto")!] = claimed
                    let admission = policy.admission(of: head, from: address, at: nil)
                    let isAllowed = origin != "http" && cookieScheme == "https"
                    #expect(admission.level == (isAllowed ? .full : .none), "\(head)")
                    if !isRefused(admission) { #expect(admission.source.scheme == "https") }
                }
            }
        }
        // A proxy that speaks TLS to lightd says itself how the browser came.
        let proxy = try SocketAddress(ipAddress: "10.0.0.1", port: 1)
        for scheme in ["http", "https", nil] {
            var head = HTTPRequest(method: .get, scheme: nil, authority: "lights.home:8377", path: "/")
            head.headerFields[HTTPField.Name("X-Forwarded-Proto")!] = scheme
            #expect(policy.admission(of: head, from: proxy, at: nil).source.scheme == scheme)
        }
    }

    @Test func `links of a lightd with TLS begin with https`() async throws {
        let certificate = try await ServerCertificate.sample()
        for (host, port, names, addresses) in [
            ("0.0.0.0", 8377, [], ["https://192.168.1.5:8377"]), ("192.168.1.5", 443, [], ["https://192.168.1.5"]),
            ("192.168.1.5", 80, [], ["https://192.168.1.5:80"]), ("0.0.0.0", 443, ["a.home"], ["https://a.home"]),
            ("0.0.0.0", 8377, ["a.home", "b.home"], ["https://a.home:8377", "https://b.home:8377"]),
            ("0.0.0.0", 8377, ["https://a.home"], ["https://a.home"]),
        ] as [(String, Int, [String], [String])] {
            let settings = ControlServerSettings.TCP(host: host, port: 0, names: names, certificate: certificate)
            #expect(PageAddresses.all(settings, port: port, askedBy: nil) { ["192.168.1.5"] } == addresses)
        }
    }

    /// The proxy is not in `tcp.proxies`, but passes the name on by which it was addressed: only the browser says that
    /// the page came over TLS.
    @Test func `behind a proxy with TLS that the configuration does not name, the cookie is one of TLS all the same`()
        throws
    {
        let secret = try #require(Self.secrets[.full])
        func head(_ method: HTTPRequest.Method, _ scheme: String?, cookie: String?) -> HTTPRequest {
            var head = HTTPRequest(method: method, scheme: nil, authority: "lights.home", path: "/v1/messages")
            head.headerFields[.origin] = scheme.map { "\($0)://lights.home" }
            head.headerFields[.cookie] = cookie
            return head
        }
        let sources = ["http", "https"].map {
            access.admission(of: head(.post, $0, cookie: nil), from: address, at: nil)
        }
        let cookies = sources.map { SessionCookie($0.source).set(secret) }
        #expect(cookies[0].hasPrefix("lightd=") && !cookies[0].contains("Secure"))
        #expect(cookies[1].hasPrefix("__Host-lightd=") && cookies[1].hasSuffix("; Secure"))
        let sent = cookies.map { String($0.prefix { $0 != ";" }) }
        for (scheme, cookie, level) in [
            ("http", sent[0], AccessLevel.full), ("https", sent[1], .full), ("https", sent[0], .none),
            ("http", sent[1], .none),
        ] {
            let admission = access.admission(of: head(.post, scheme, cookie: cookie), from: address, at: nil)
            #expect(admission.level == level, "\(scheme) \(cookie)")
        }
        // To read, a browser sends no Origin; what only TLS can have set comes first.
        for cookie in sent {
            #expect(access.admission(of: head(.get, nil, cookie: cookie), from: address, at: nil).level == .full)
        }
        let both = "lightd=c2VzYW1l; " + sent[1]
        #expect(access.admission(of: head(.get, nil, cookie: both), from: address, at: nil).level == .full)
    }

    // MARK: Addresses

    @Test(arguments: [
        ("192.168.1.5:8377", "192.168.1.5", true), ("192.168.1.5", "192.168.1.5", true),
        ("192.168.1.5", "::ffff:192.168.1.5", true), ("[fd00::7]:8377", "fd00::7", true),
        ("[FD00:0::7]", "fd00::7", true), ("192.168.1.6:8377", "192.168.1.5", false),
        ("192.168.1.5.evil.example", "192.168.1.5", false), ("evil.example:8377", "192.168.1.5", false),
        ("3232235781", "192.168.1.5", false), ("0xc0.168.1.5", "192.168.1.5", false),
        ("192.168.1.5\u{0}", "192.168.1.5", false), ("192.168.1.5%eth0", "192.168.1.5", false),
        ("192.168.1.5\u{301}", "192.168.1.5", false), ("192.168.1.5:1\u{301}", "192.168.1.5", false),
        ("192.168.1.5:١", "192.168.1.5", false),
    ])
    func `lightd answers to the address that a connection came to, which no DNS can change`(
        authority: String, local: String, answers: Bool
    ) {
        let settings = ControlServerSettings.TCP(host: "0.0.0.0", port: 8377)
        #expect(settings.answers(to: authority, at: ClientAddress(local)) == answers)
        #expect(settings.accepts(origin: "http://" + authority, over: nil, at: ClientAddress(local)) == answers)
        #expect(!settings.answers(to: authority))
    }

    @Test(arguments: [
        ("https://lights.example.org", "lights.example.org", true),
        ("https://lights.example.org:8443/", "lights.example.org:8443", true),
        ("HTTPS://Lights.Example.org", "lights.example.org.", true), ("https://lights.example.org", "https", false),
        ("http://[fd00::7]:80", "[fd00::7]", true), ("fd00::7", "[fd00::7]:8377", true),
    ])
    func `a name may be written as the whole address of the page`(name: String, authority: String, answers: Bool) {
        let settings = ControlServerSettings.TCP(host: "127.0.0.1", port: 8377, names: [name])
        #expect(settings.answers(to: authority) == answers)
    }

    @Test(arguments: ["\u{212A}itchen.lan", "kitchen.lan\u{301}", "kitchen\u{2024}lan", "[kitchen.lan]\u{FE0F}:80", ""])
    func `what only looks like a name is another one`(authority: String) {
        let settings = ControlServerSettings.TCP(host: "127.0.0.1", port: 8377, names: ["kitchen.lan"])
        #expect(settings.answers(to: "Kitchen.lan:80") && settings.accepts(origin: "HTTP://Kitchen.lan", over: nil))
        #expect(!settings.answers(to: authority) && !settings.accepts(origin: "http://" + authority, over: nil))
    }

    // MARK: What a link names

    @Test(
        arguments: [
            ("127.0.0.1", 8377, [], [], ["http://127.0.0.1:8377"]), ("::1", 80, [], [], ["http://[::1]"]),
            ("192.168.1.5", 1234, [], [], ["http://192.168.1.5:1234"]),
            ("0.0.0.0", 8377, [], [], ["http://192.168.1.5:8377", "http://10.0.0.2:8377", "http://[fd00::7]:8377"]),
            (
                "0.0.0.0", 8377, ["lights.home", "other.home"], [],
                ["http://lights.home:8377", "http://other.home:8377"]
            ),
            ("127.0.0.1", 8377, ["lights.home"], ["127.0.0.1"], ["https://lights.home"]),
            ("127.0.0.1", 8377, ["lights.home"], [], ["https://lights.home"]),
            ("0.0.0.0", 8377, ["lights.home"], ["10.0.0.1"], ["https://lights.home"]),
            ("127.0.0.1", 8377, ["http://lights.home:8080/"], ["127.0.0.1"], ["http://lights.home:8080"]),
        ] as [(String, Int, [String], [String], [String])])
    func `a link names what phones can reach`(
        host: String, port: Int, names: [String], proxies: [String], addresses: [String]
    ) {
        let settings = ControlServerSettings.TCP(
            host: host, port: 0, names: names, proxies: proxies.compactMap { AddressRange($0) })
        let all = PageAddresses.all(settings, port: port, askedBy: nil) { ["192.168.1.5", "10.0.0.2", "fd00::7"] }
        #expect(all == addresses)
        let isUnreachable = ["127.0.0.1", "::1"].contains(host) && names.isEmpty
        #expect((PageAddresses.hint(settings, all) != nil) == isUnreachable)
    }

    @Test func `a link that a page asks for names the address of that page, unless only this machine has it`() {
        let settings = ControlServerSettings.TCP(host: "0.0.0.0", port: 8377)
        func first(_ source: RequestSource) -> String? {
            PageAddresses.all(settings, port: 8377, askedBy: source) { ["192.168.1.5"] }.first
        }
        #expect(first(RequestSource(authority: "10.0.0.2:8377")) == "http://10.0.0.2:8377")
        #expect(first(RequestSource(scheme: "https", authority: "lights.home")) == "https://lights.home")
        #expect(first(RequestSource(authority: "localhost:8377")) == "http://192.168.1.5:8377")
        // By a program, behind a proxy that says nothing: the configuration may have the whole address.
        let written = ControlServerSettings.TCP(host: "127.0.0.1", port: 8377, names: ["https://lights.home"])
        let source = RequestSource(authority: "Lights.home")
        #expect(PageAddresses.all(written, port: 8377, askedBy: source) { [] } == ["https://Lights.home"])
    }

    @Test func `a machine's own addresses are none of loopback or of one link, IPv4 first`() {
        let all = PageAddresses.machine()
        for address in all {
            #expect(ClientAddress(address)?.isLoopback == false && !address.hasPrefix("fe80"))
        }
        let kinds = all.map { $0.contains(":") }
        #expect(kinds == kinds.sorted { !$0 && $1 })
    }
}
