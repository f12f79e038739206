import ControlProtocol
import HTTPTypes

/// Where a request comes from and how it names lightd, by the word of its browser, and of the proxies before it if they
/// are to be believed.
struct RequestSource: Equatable, Sendable {
    /// The page that sends a request.
    enum Page: Equatable, Sendable {
        /// One of lightd's own.
        case ours
        /// None, or one whose browser does not say. A browser names the page of every request that can change anything,
        /// so it is no page of another site.
        case unknown
        /// One of another origin: its scheme, name or port differs.
        case another(String)
    }

    static let anotherSite = "another site"

    /// The client's; `nil` over the unix socket.
    var address: ClientAddress?
    /// "http" or "https", if the connection or a proxy says so, or else the `Origin` of lightd's own page: behind a
    /// proxy that the configuration does not name, only the browser knows.
    var scheme: String?
    /// The name with its port that the browser addressed; `nil` if the request has none.
    var authority: String?
    var page = Page.unknown
}

extension RequestSource {
    /// - Parameter sender: `nil` over the unix socket, where nothing says which proxies are to be believed.
    init(of head: HTTPRequest, from sender: ForwardedSender? = nil) {
        let authority = sender?.host ?? head.authority
        let schemes = sender?.scheme.map { [$0] } ?? ["http", "https"]
        let page: Page =
            if let origin = head.headerFields[.origin], !Self.isOne(origin, of: schemes, authority ?? "") {
                .another(origin)
            } else if head.comesFromAnotherSite {
                .another(Self.anotherSite)
            } else {
                head.headerFields[.origin] != nil || head.comesFromSameOrigin ? .ours : .unknown
            }
        let origin = page == .ours ? head.headerFields[.origin] : nil
        self.init(
            address: sender?.address, scheme: sender?.scheme ?? origin.map { Self.scheme(of: $0) },
            authority: authority, page: page)
    }

    private static func scheme(of origin: String) -> String { origin.prefix { $0 != ":" }.lowercased() }

    var isSecure: Bool { scheme == "https" }

    private static func isOne(_ origin: String, of schemes: [String], _ authority: String) -> Bool {
        origin.isVisibleASCII && authority.isVisibleASCII
            && schemes.contains { "\($0)://\(authority.lowercased())" == origin.lowercased() }
    }

    /// A browser adds the cookie to what other pages ask of lightd, too. A token in a header is only sent by those who
    /// know it.
    ///
    /// - Throws: why the cookie of a session does not count for this request.
    func checkCookie(for method: HTTPRequest.Method) throws(APIError) {
        try refuseOtherPages()
        guard [.get, .head, .options].contains(method) || page == .ours else { throw .noOrigin }
    }

    /// - Throws: the refusal of a request that a page of another origin sends.
    func refuseOtherPages() throws(APIError) {
        if case let .another(origin) = page { throw .page(from: origin) }
    }
}

extension APIError {
    fileprivate static let noOrigin = APIError(
        ErrorReply(
            .notAllowed, "a request with the cookie of a session needs the 'Origin' of lightd's page",
            hint: "programs send 'Authorization: Bearer TOKEN' instead"))
}

extension HTTPRequest {
    fileprivate var comesFromSameOrigin: Bool {
        HTTPField.Name("Sec-Fetch-Site").flatMap { headerFields[$0] }?.isSame(as: "same-origin") == true
    }
}
