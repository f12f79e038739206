/// An HTTP request. A value that can be sent many times.
public struct HTTPRequest: Equatable, Sendable {
    public enum Method: String, Sendable {
        case get = "GET"
        case put = "PUT"
        case post = "POST"
        case delete = "DELETE"
    }

    public enum Version: Sendable {
        /// HTTP/2 if the server offers it by ALPN, otherwise HTTP/1.1.
        case automatic
        case http1
    }

    public struct Header: Equatable, Sendable {
        public let name: String
        public let value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The address to connect to instead of the URL's host.
    public struct Endpoint: Hashable, Sendable {
        /// A host name or a literal address, without brackets.
        public let host: String
        public let port: Int

        public init(host: String, port: Int) {
            self.host = host
            self.port = port
        }
    }

    public var method: Method
    /// `http` or `https`. The certificate must name its host.
    public var url: String
    public var headers: [Header]
    public var body: [UInt8]?
    public var trust: ServerTrust
    /// Connects here instead of resolving the URL's host.
    public var connectTo: Endpoint?
    /// The path of a unix socket to use instead of TCP; at most 107 bytes.
    public var unixSocket: String?
    public var version: Version
    /// From the start until the connection is ready, including TLS.
    public var connectTimeout: Duration
    /// From the start to the last byte; `nil` for an endless stream.
    public var deadline: Duration?
    /// A longer response fails with ``CurlError/tooMuch``.
    public var maximumBodySize: Int
    /// Whether the response includes the server's certificate. Takes a new connection.
    public var wantsCertificate: Bool
    /// Opens a new connection for this request and closes it afterwards, to avoid a broken one. Other requests may
    /// share it in the meantime.
    public var bringsConnection = false

    public init(
        _ method: Method = .get,
        _ url: String,
        headers: [Header] = [],
        body: [UInt8]? = nil,
        trust: ServerTrust = .system,
        connectTo: Endpoint? = nil,
        unixSocket: String? = nil,
        version: Version = .automatic,
        connectTimeout: Duration = .seconds(5),
        deadline: Duration? = .seconds(10),
        maximumBodySize: Int = 16 << 20,
        wantsCertificate: Bool = false
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.trust = trust
        self.connectTo = connectTo
        self.unixSocket = unixSocket
        self.version = version
        self.connectTimeout = connectTimeout
        self.deadline = deadline
        self.maximumBodySize = maximumBodySize
        self.wantsCertificate = wantsCertificate
    }
}

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
