import ControlProtocol
import ControlSurface
import FoundationEssentials
import Glibc
import HTTPTypes
import Hummingbird
import Khipu
import Lighting
import QRCode
import Synchronization

/// `/v1/session` and `/v1/links`: signs pages in and out.
extension ControlAPI {
    /// Of a body, in bytes.
    private static let largestSignIn = 4 << 10

    func session(_ request: APIRequest) async throws -> Response {
        let admission = request.admission
        var headers: HTTPFields = [:]
        // Renewed, or a browser would forget it at some time.
        if let (cookie, secret) = request.session?.cookie { headers[.setCookie] = cookie.set(secret) }
        return try .json(SessionBody(admission.grant, isLocal: admission.level >= .local, tokens), headers: headers)
    }

    func signIn(_ request: APIRequest) async throws -> Response {
        do {
            return try await admitted(request)
        } catch let error as APIError where [.unauthorized, .forbidden, .tooManyRequests].contains(error.status) {
            audit.refused(request.admission.sender, because: error)
            throw error
        }
    }

    private func admitted(_ request: APIRequest) async throws -> Response {
        let source = request.admission.source
        try source.refuseOtherPages()
        let fields = try BodyFields(
            try await signInBody(request), ["token", "link", "replace"],
            form: #"{"token": TEXT} or {"link": TEXT}, and may have "replace": true"#)
        let replaces = try fields.flag("replace")
        if let old = request.session?.grant, !replaces {
            // Nobody needs to be asked about a link that is of no use.
            if let link = try fields.text("link"), !links.contain(link) { throw APIError.wrongLink }
            throw ErrorReply.signedIn(as: old)
        }
        let (session, grant) =
            switch (try fields.text("token"), try fields.text("link")) {
            case let (token?, nil):
                try await signIn(
                    .token(try attempts.attempt(from: source.address) { tokens.grant(for: token) }), for: request)
            case let (nil, link?): try await redeem(link, for: request)
            default: throw fields.wrong
            }
        return try .json(
            SessionBody(grant, isLocal: false, tokens), headers: [.setCookie: SessionCookie(source).set(session)])
    }

    private func signInBody(_ request: APIRequest) async throws -> Data {
        let permit = try signIns.enter(
            request.admission.source.address?.network, "pages are signing in",
            ofClient: "pages of this address are signing in")
        defer { withExtendedLifetime(permit) {} }
        return try await request.body(upTo: Self.largestSignIn, within: settings.timeouts.signIn)
    }

    /// Signs the page out. Also if its token no longer exists: the cookie goes in any case.
    func signOut(_ request: APIRequest) async throws -> Response {
        let source = request.admission.source
        try source.refuseOtherPages()
        if let session = request.session?.grant, let name = session.name {
            let keeps = try request.flag(.keep)
            let (_, kept) = try await audit.recording(.signOut, name, by: request.admission.sender) {
                try await tokens.signOut(.one(id: AccessTokens.id(of: session.digest)), keepsAll: keeps, by: session)
            }
            record(kept, without: [name], request)
        }
        return Response(
            status: .noContent, headers: [.setCookie: SessionCookie(source).cleared, .cacheControl: "no-store"])
    }

    /// Gives the page a name, by its own session.
    func nameSession(_ request: APIRequest) async throws -> Response {
        let name = try BodyFields(try await body(of: request), ["name"], form: #"{"name": TEXT}"#).required("name")
        guard let (grant, (_, secret)) = request.session else {
            throw ErrorReply(.cannot, "only a page that is signed in has a name here")
        }
        try await rename(AccessTokens.id(of: grant.digest), to: name, request)
        return try .json(SessionBody(tokens.session(of: secret), isLocal: false, tokens))
    }

    func listSessions(_ request: APIRequest) async throws -> Response {
        try .json(tokens.signedIn(request.admission.grant))
    }

    /// Renames a page, or gives it another end.
    func changeSession(_ request: APIRequest) async throws -> Response {
        let fields = try BodyFields(
            try await body(of: request), ["name", "ends"],
            form: #"{"name": TEXT}, or {"ends": TIME or "\#(SignedInRequest.never)"}, or both"#)
        let (id, own) = (try request.sessionID, request.admission.grant)
        let (name, ends) = (try fields.text("name"), try fields.text("ends"))
        guard name != nil || ends != nil else { throw fields.wrong }
        // Before its end is another.
        if let name { _ = try AccessTokens.checked(pageName: name) }
        if let ends {
            let end: AccessTokens.End = ends == SignedInRequest.never ? .never : .at(try tokens.end(required: ends))
            let (name, time) = try await tokens.end(id, end, by: own)
            let words = time.map { "it ends \($0.iso8601) now" } ?? "it has no end now"
            audit.record(.tokenChanged, name, by: request.admission.sender, because: words)
        }
        if let name { try await rename(id, to: name, request) }
        guard let changed = tokens.signedIn(own).first(where: { $0.id == id }) else {
            throw ErrorReply(.noSuchTarget, "this one is signed in no more")
        }
        return try .json(changed)
    }

    /// Signs out one page, or all others.
    func endSessions(_ request: APIRequest) async throws -> Response {
        let leaving: AccessTokens.Leaving = try request.flag(.others) ? .others : .one(id: try request.sessionID)
        let (out, kept) = try await tokens.signOut(
            leaving, keepsAll: try request.flag(.keep), by: request.admission.grant)
        for name in out { audit.record(.tokenRevoked, name, by: request.admission.sender) }
        record(kept, without: out, request)
        return try .json(tokens.signedIn(request.admission.grant))
    }

    private func rename(_ id: String, to name: String, _ request: APIRequest) async throws {
        let (old, new) = try await tokens.rename(id, to: name)
        guard old != new else { return }
        audit.record(.tokenChanged, old, by: request.admission.sender, because: "it is called '\(new)' now")
    }

    private func record(_ kept: [String], without out: [String], _ request: APIRequest) {
        let reason = "it stays without '\(out.joined(separator: "', '"))'"
        for name in kept { audit.record(.tokenChanged, name, by: request.admission.sender, because: reason) }
    }

    func createLink(_ request: APIRequest) async throws -> Response {
        let body = try await body(of: request)
        let fields = try BodyFields(
            body.isEmpty ? Data("{}".utf8) : body, ["access", "ends"],
            form: "{}, and may have \(BodyFields.roleAndEnd)")
        let isOverTCP = request.admission.level < .local
        let (access, end) = (try fields.access ?? .full, try tokens.end(try fields.text("ends")))
        let made = try await audit.recording(.linkMade, access.rawValue, by: request.admission.sender) {
            try link(access, until: end, by: request.admission.grant, isOverTCP ? request.admission.source : nil)
        }
        return try .json(made, status: .created)
    }

    /// - Parameters:
    ///   - end: of the page's session.
    ///   - maker: the token with which it ends; `nil` for a person at lightd's machine.
    ///   - source: of the request over TCP that asks for it.
    private func link(
        _ access: TokenAccess, until end: Timestamp?, by maker: AccessTokens.Grant?, _ source: RequestSource?
    ) throws -> LinkBody {
        guard var tcp = settings.tcp else { throw PageAddresses.tcpIsOff }
        let state = tcpState.withLock(\.self)
        guard let listener = state.listener else { throw PageAddresses.tcpFails(state.failure) }
        // Another than that of the settings if lightd could not move there.
        tcp.host = listener.host
        if !listener.isEncrypted { tcp.certificate = nil }
        let addresses = PageAddresses.all(tcp, port: listener.port, askedBy: source, machine: settings.machineAddresses)
        let end = [end, maker?.end].compactMap(\.self).min()
        let secret = links.make(AccessToken.Access(access), until: end, by: maker)
        let expires = surface.clock.now().advanced(by: OneTimeLinks.lifetime)
        // In the fragment, which a browser sends to nobody: it reaches no log, and no messenger's preview uses it up.
        let urls = addresses.map { "\($0)/#join=\(secret)" }
        return LinkBody(
            url: urls[0], also: urls.count > 1 ? Array(urls.dropFirst()) : nil, access: access, ends: end?.iso8601,
            expires: expires.iso8601, hint: PageAddresses.hint(tcp, addresses), qr: try QRBody(urls[0]))
    }

    private func redeem(
        _ secret: String, for request: APIRequest
    ) async throws -> (secret: String, grant: AccessTokens.Grant) {
        // Not counted, as a wrong token is: see ``SecretAttempts``.
        guard let link = links.take(secret), link.maker.map(tokens.exists) ?? true else { throw APIError.wrongLink }
        do {
            return try await signIn(.link(link.access, by: link.maker, end: link.sessionEnd), for: request)
        } catch {
            links.put(link)
            throw error
        }
    }

    private func signIn(
        _ way: AccessTokens.SignIn, for request: APIRequest
    ) async throws -> (secret: String, grant: AccessTokens.Grant) {
        let name = PageName(request.http.headers[.userAgent] ?? "").text(at: surface.clock.now())
        let (secret, grant) = try await tokens.signIn(way, as: name, replacing: request.session?.grant)
        audit.record(way.isByLink ? .linkUsed : .signIn, grant.name, by: request.admission.sender)
        return (secret, grant)
    }
}

/// What a page's token is called: a person will look for it in a list.
struct PageName {
    private let device: String

    /// - Parameter userAgent: what the browser says of itself.
    init(_ userAgent: String) {
        device =
            if userAgent.contains("iPad") || userAgent.contains("Tablet") {
                "tablet"
            } else if ["iPhone", "Mobile"].contains(where: userAgent.contains) {
                "phone"
            } else {
                userAgent.contains("Android") ? "tablet" : "browser"
            }
    }

    /// "phone 22 Nov 14:03", in the machine's own time.
    func text(at time: Timestamp) -> String {
        var (seconds, date) = (time_t(time.milliseconds / 1000), tm())
        localtime_r(&seconds, &date)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let month = Self.months[Int(date.tm_mon)]
        return "\(device) \(date.tm_mday) \(month) \(two(date.tm_hour)):\(two(date.tm_min))"
    }

    // In English whatever the locale, so not by strftime.
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}

extension APIRequest {
    fileprivate var sessionID: String {
        get throws(ErrorReply) {
            guard let id = query[.id] else {
                throw ErrorReply(.invalid, "the query field 'id' is missing: it says which page is meant")
            }
            return id
        }
    }

    /// The session whose cookie has admitted the request; `nil` if that was by other means.
    fileprivate var session: (grant: AccessTokens.Grant, cookie: (SessionCookie, secret: String))? {
        guard let grant = admission.grant, http.head.bearerToken == nil,
            let cookie = SessionCookie.sent(in: http.head, from: admission.source)
        else { return nil }
        return (grant, cookie)
    }
}

extension ErrorReply {
    fileprivate static func signedIn(as session: AccessTokens.Grant) -> Self {
        Self(
            .signedIn, "this browser is signed in already" + (session.name.map { ", as '\($0)'" } ?? ""),
            hint: "with \"replace\": true, the new session takes the place of that one, which ends")
    }
}

extension SessionBody {
    fileprivate init(_ grant: AccessTokens.Grant?, isLocal: Bool, _ tokens: AccessTokens) {
        let made = grant.map(tokens.namesEnding) ?? []
        self.init(
            access: isLocal ? .full : grant?.access.body ?? .look, ends: grant?.end?.iso8601, name: grant?.name,
            endsWithIt: made.isEmpty ? nil : made, isNamed: grant.flatMap { $0.isSession ? $0.isNamed : nil },
            by: grant.flatMap(tokens.maker))
    }
}

extension QRBody {
    fileprivate init(_ text: String) throws {
        let rows = try QRCode(text).rows.map { $0.map { $0 ? "1" : "0" }.joined() }
        self.init(size: rows.count, rows: rows)
    }
}
