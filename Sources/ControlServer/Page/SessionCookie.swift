import FoundationEssentials
import HTTPTypes

/// The cookie of a page that is signed in: it holds a token, which no script can read and which a browser sends for
/// lightd's own pages only.
struct SessionCookie {
    /// As long as browsers keep a cookie. Each look at the session renews it.
    static let days = 400

    let name: String
    private let isSecure: Bool

    /// The name is another one for each port, because cookies are not: two lightds on one machine would sign each
    /// other's pages out. Over TLS it is one that only a page of the same host over TLS can set.
    init(_ source: RequestSource) { self.init(source, isSecure: source.isSecure) }

    private init(_ source: RequestSource, isSecure: Bool) {
        self.isSecure = isSecure
        let port = source.authority?.split(separator: ":").last.flatMap { UInt16($0) }
        name = (isSecure ? "__Host-lightd" : "lightd") + (port.map { "-\($0)" } ?? "")
    }

    /// The cookie of a request, with the secret in it; `nil` if it has none.
    ///
    /// Where nothing says whether the page came over TLS, that is the cookie which only TLS can have set, if there is
    /// one: a browser says so with its `Origin`, which it does not send to read something.
    static func sent(
        in head: HTTPRequest, from source: RequestSource
    ) -> (cookie: SessionCookie, secret: String)? {
        let cookies = (source.scheme == nil ? [true, false] : [source.isSecure]).map { Self(source, isSecure: $0) }
        return cookies.lazy.compactMap { cookie in cookie.secret(in: head).map { (cookie, $0) } }.first
    }

    private func secret(in head: HTTPRequest) -> String? {
        let cookies = head.headerFields[values: .cookie].flatMap { $0.elements(separatedBy: ";") }
        let value = cookies.lazy.map(\.utf8).first { $0.starts(with: (name + "=").utf8) }?
            .dropFirst(name.utf8.count + 1)
        guard let value, let bytes = Data(base64Encoded: String(Substring(value))) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The value of `Set-Cookie` that signs in.
    func set(_ secret: String) -> String {
        written(Data(secret.utf8).base64EncodedString(), seconds: Self.days * 86_400)
    }

    /// The value of `Set-Cookie` that signs out.
    var cleared: String { written("", seconds: 0) }

    private func written(_ value: String, seconds: Int) -> String {
        "\(name)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    }
}
