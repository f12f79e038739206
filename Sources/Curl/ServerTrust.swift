/// How a server's certificate is checked. Requests with different trust never share a connection.
public enum ServerTrust: Hashable, Sendable {
    /// Against the system's roots and the URL's host.
    case system
    /// Only against these roots (PEM), and the URL's host. A certificate without subjectAltName is checked by its CN.
    case roots(String)
    /// Only against this public key and the URL's host. "sha256//" and the base64 SHA-256 of the DER public key (RFC
    /// 7469).
    case pinned(String)
    /// Not checked. Only for reading a certificate before anything secret is sent.
    case unverified
}
