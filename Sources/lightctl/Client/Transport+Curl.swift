import ControlProtocol
import Curl
import FoundationEssentials
import Glibc

extension Transport {
    /// HTTP over the unix socket at a path.
    static func unixSocket(_ path: String) -> Transport {
        let client = HTTPClient()
        return Transport(
            send: { request, timeout throws(TransportError) in
                do throws(CurlError) {
                    let response = try await client.send(HTTPRequest(request, socket: path, within: timeout))
                    return Response(status: response.status, body: Data(response.body))
                } catch {
                    throw TransportError(error)
                }
            },
            stream: { route, lastID, timeout throws(TransportError) in
                var request = HTTPRequest(.get(route), socket: path, within: timeout)
                request.deadline = nil
                request.headers.append(.init("Accept", "text/event-stream"))
                if let lastID { request.headers.append(.init("Last-Event-ID", lastID)) }
                let opened = try await open(request, client, within: timeout)
                let pieces = opened.pieces
                return Stream(status: opened.head.status) { () async throws(TransportError) in
                    // Releasing the client would end its transfers, so it stays alive while the stream is read.
                    defer { withExtendedLifetime(client) {} }
                    do {
                        // Each iterator of a stream continues after the previous one.
                        var iterator = pieces.makeAsyncIterator()
                        return try await iterator.next()
                    } catch let error as CurlError {
                        throw TransportError(error)
                    } catch {
                        throw .broken("\(error)")
                    }
                }
            }
        )
    }

    /// Opens the stream, or throws `.timedOut`: without a deadline for the whole transfer, libcurl limits only the
    /// connecting, not the wait for the response head.
    private static func open(
        _ request: HTTPRequest, _ client: HTTPClient, within timeout: Duration
    ) async throws(TransportError) -> HTTPStream {
        let first: Result<HTTPStream, TransportError> = await withTaskGroup(of: Result<HTTPStream, TransportError>.self)
        { group in
            group.addTask {
                do throws(CurlError) {
                    return .success(try await client.stream(request))
                } catch {
                    return .failure(TransportError(error))
                }
            }
            group.addTask {
                // Cancelled once the stream has opened or failed.
                try? await Task.sleep(for: timeout)
                return .failure(.timedOut)
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.timedOut)
        }
        return try first.get()
    }
}

extension HTTPRequest {
    fileprivate init(_ request: Transport.Request, socket: String, within timeout: Duration) {
        let (method, path, body): (Method, String, Data?) =
            switch request {
            case let .get(path): (.get, path, nil)
            case let .post(path, body): (.post, path, body)
            }
        // The host name is arbitrary: the socket decides where the request goes.
        self.init(
            method, "http://lightd" + path, headers: [.init(Routes.clientHeader, "lightctl (uid \(getuid()))")],
            body: body.map { Array($0) },
            unixSocket: socket, version: .http1, connectTimeout: timeout, deadline: timeout
        )
        if body != nil { headers.append(.init("Content-Type", "application/json")) }
    }
}

extension TransportError {
    fileprivate init(_ error: CurlError) {
        self =
            switch error {
            // A request that libcurl rejects was not sent either.
            case .noConnection, .certificateRefused, .invalid: .noConnection(error.description)
            case .timedOut: .timedOut
            case .broken, .tooMuch, .cancelled, .closed: .broken(error.description)
            }
    }
}
