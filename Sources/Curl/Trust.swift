/// How a server's certificate is checked. Connections are never shared between requests of different trust.
public enum Trust: Hashable, Sendable {
    /// By the system's roots, and the URL's host.
    case system
    /// By these roots alone (PEM), and the URL's host. A certificate without subjectAltName is checked by its CN.
    case roots(String)
    /// By its public key alone: "sha256//" and the base64 of the SHA-256 of the DER public key (as RFC 7469 has it), and by the
    /// URL's host.
    case pinned(String)
    /// Not at all. Only to look at a certificate before anything of worth is sent.
    case unverified
}
