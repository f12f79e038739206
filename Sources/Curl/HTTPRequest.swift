/// What to ask of whom. A value: the same request can be sent many times.
public struct HTTPRequest: Equatable, Sendable {
    public enum Method: String, Sendable {
        case get = "GET"
        case put = "PUT"
        case post = "POST"
        case delete = "DELETE"
    }

    public enum Version: Sendable {
        /// HTTP/2 where the server offers it by ALPN, HTTP/1.1 otherwise.
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

    /// Where the connection really goes, whatever the URL's host says.
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
    /// `http` or `https`. Its host is the name that the certificate must bear.
    public var url: String
    public var headers: [Header]
    public var body: [UInt8]?
    public var trust: Trust
    /// Overrides the address that the URL's host stands for.
    public var connectTo: Endpoint?
    /// Path of a unix socket to speak over instead of TCP; at most 107 bytes.
    public var unixSocket: String?
    public var version: Version
    /// From the start to the connection being ready, TLS included.
    public var connectTimeout: Duration
    /// From the start to the last byte; `nil` for a stream that has no end.
    public var deadline: Duration?
    /// An answer longer than this is given up.
    public var maximumBodySize: Int
    /// Whether the answer brings the server's certificate along.
    public var wantsCertificate: Bool
    /// Begins with a new connection and ends it with itself: whatever is wrong with the ones before is not met again. Meanwhile
    /// other requests may share it.
    public var bringsConnection = false

    public init(
        _ method: Method = .get,
        _ url: String,
        headers: [Header] = [],
        body: [UInt8]? = nil,
        trust: Trust = .system,
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
