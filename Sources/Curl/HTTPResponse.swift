/// The beginning of an answer.
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

    /// The first header of that name, case ignored.
    public subscript(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }
}

/// A whole answer.
public struct HTTPResponse: Equatable, Sendable {
    public let head: HTTPHead
    public let body: [UInt8]
    /// The server's own certificate (PEM), where it was asked for.
    public let certificate: String?

    public init(head: HTTPHead, body: [UInt8], certificate: String? = nil) {
        self.head = head
        self.body = body
        self.certificate = certificate
    }

    public var status: Int { head.status }
}

/// An answer that comes in pieces. Dropping or cancelling the iteration ends the transfer.
public struct HTTPStream: Sendable {
    public let head: HTTPHead
    /// As they arrive; ends when the server ends it, throws a ``CurlError`` when it breaks.
    public let pieces: AsyncThrowingStream<[UInt8], any Error>
}
