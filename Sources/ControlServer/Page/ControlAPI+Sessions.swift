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
        if let secret = admission.sessionSecret(of: request) {
            headers[.setCookie] = SessionCookie(admission.source).set(secret)
        }
        return try .json(SessionBody(admission.grant, isLocal: admission.level == .local, tokens), headers: headers)
    }

    func signIn(_ request: APIRequest) async throws -> Response {
        let source = request.admission.source
        try source.refuseOtherPages()
        guard let permit = signIns.enter() else { throw APIError.busy("\(signIns.maximum) pages are signing in") }
        defer { withExtendedLifetime(permit) {} }
        let body = try await request.body(upTo: Self.largestSignIn, within: settings.timeouts.signIn)
        guard let fields = try? JSONDecoder().decode([String: String].self, from: body), fields.count == 1,
            let (field, secret) = fields.first, ["token", "link"].contains(field)
        else { throw ErrorReply(.invalid, "the body must be {\"token\": TEXT} or {\"link\": TEXT}") }
        let (session, grant) =
            field == "token"
            ? (secret, try attempts.attempt(from: source.address, otherwise: .wrongToken) { tokens.grant(for: secret) })
            : try await redeem(secret, for: request)
        return try .json(
            SessionBody(grant, isLocal: false, tokens), headers: [.setCookie: SessionCookie(source).set(session)])
    }

    /// Signs the page out. Also if its token no longer exists: the cookie goes in any case.
    func signOut(_ request: APIRequest) async throws -> Response {
        let source = request.admission.source
        try source.refuseOtherPages()
        if let grant = request.admission.grant, grant.isMadeByLink, let name = grant.name {
            _ = try await tokens.revoke(name)
        }
        return Response(
            status: .noContent, headers: [.setCookie: SessionCookie(source).cleared, .cacheControl: "no-store"])
    }

    func createLink(_ request: APIRequest) async throws -> Response {
        let body = try await request.body(within: settings.timeouts.body)
        // A misspelt "access" must not make a link that allows everything.
        guard
            let fields = try? JSONDecoder().decode([String: String].self, from: body.isEmpty ? Data("{}".utf8) : body),
            fields.keys.allSatisfy({ $0 == "access" }), case let access = fields["access"].map(TokenAccess.init),
            access != .some(nil)
        else { throw ErrorReply(.invalid, "the body must be {} or {\"access\": \"read_only\" or \"full\"}") }
        let isOverTCP = request.admission.level != .local
        return try .json(
            try link((access ?? nil) ?? .full, by: request.admission.grant, isOverTCP ? request.admission.source : nil),
            status: .created)
    }

    /// - Parameters:
    ///   - maker: the token with which it ends; `nil` for a person at lightd's machine.
    ///   - source: of the request over TCP that asks for it.
    private func link(
        _ access: TokenAccess, by maker: AccessTokens.Grant?, _ source: RequestSource?
    ) throws -> LinkBody {
        guard let tcp = settings.tcp, let port = tcpPort.withLock(\.self) else { throw PageAddresses.tcpIsOff }
        let addresses = PageAddresses.all(tcp, port: port, askedBy: source, machine: settings.machineAddresses)
        let (secret, link) = links.make(access == .full ? .full : .readOnly, by: maker)
        // In the fragment, which a browser sends to nobody: it reaches no log, and no messenger's preview uses it up.
        let urls = addresses.map { "\($0)/#join=\(secret)" }
        return LinkBody(
            url: urls[0], also: urls.count > 1 ? Array(urls.dropFirst()) : nil, access: access,
            expires: link.expires.iso8601, hint: PageAddresses.hint(tcp, addresses), qr: try QRBody(urls[0]))
    }

    private func redeem(
        _ secret: String, for request: APIRequest
    ) async throws -> (secret: String, grant: AccessTokens.Grant) {
        let link = try attempts.attempt(from: request.admission.source.address, otherwise: .wrongLink) {
            links.take(secret)
        }
        guard link.maker.map(tokens.exists) ?? true else { throw APIError.wrongLink }
        let name = PageName(request.http.headers[.userAgent] ?? "").text(at: surface.clock.now())
        do {
            return try await tokens.create(link.access, by: link.maker, for: name)
        } catch {
            links.put(link)
            throw error
        }
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

extension Admission {
    /// The secret of the cookie with which the request was admitted; `nil` if that was by other means.
    fileprivate func sessionSecret(of request: APIRequest) -> String? {
        guard grant != nil, request.http.head.bearerToken == nil else { return nil }
        return SessionCookie(source).secret(in: request.http.head)
    }
}

extension SessionBody {
    fileprivate init(_ grant: AccessTokens.Grant?, isLocal: Bool, _ tokens: AccessTokens) {
        let made = grant.map(tokens.namesEnding) ?? []
        self.init(
            access: isLocal || grant?.access == .full ? .full : .readOnly, name: grant?.name,
            endsWithIt: made.isEmpty ? nil : made)
    }
}

extension QRBody {
    fileprivate init(_ text: String) throws {
        let rows = try QRCode(text).rows.map { $0.map { $0 ? "1" : "0" }.joined() }
        self.init(size: rows.count, rows: rows)
    }
}
