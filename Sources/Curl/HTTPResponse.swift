/// The status line and headers of a response.
public struct HTTPHead: Equatable, Sendable {
    public let status: Int
    public let headers: [HTTPRequest.Header]
    /// "1.1", "2"…
    public let version: String

    public init(status: Int, headers: [HTTPRequest.Header] = [], version: String = "1.1") {
        self.status = status
        self.headers = headers
        self.version = version
    }

    /// The first header with that name, ignoring case.
    public subscript(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }
}

/// A whole response.
public struct HTTPResponse: Equatable, Sendable {
    public let head: HTTPHead
    public let body: [UInt8]
    /// The server's own certificate (PEM), if the request wanted it.
    public let certificate: String?

    public init(head: HTTPHead, body: [UInt8], certificate: String? = nil) {
        self.head = head
        self.body = body
        self.certificate = certificate
    }

    public var status: Int { head.status }
}

/// A response whose body arrives in pieces. Dropping or cancelling the iteration ends the transfer.
public struct HTTPStream: Sendable {
    public let head: HTTPHead
    /// The body as it arrives. Ends when the server ends it and throws a ``CurlError`` if the connection breaks.
    public let pieces: AsyncThrowingStream<[UInt8], any Error>
}
