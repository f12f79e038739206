import Curl
import Testing

/// Runs a scripted server and a client for the duration of a test.
func withServer(
    _ location: ScriptedServer.Location = .loopback,
    _ script: @escaping ScriptedServer.Script,
    _ test: (ScriptedServer, HTTPClient) async throws -> Void
) async throws {
    let server = try ScriptedServer(location, script)
    defer { server.stop() }
    let client = HTTPClient()
    defer { client.shutdown() }
    try await test(server, client)
}

extension HTTPClient {
    /// The result of sending the request.
    func outcome(of request: HTTPRequest) async -> Result<HTTPResponse, CurlError> {
        do throws(CurlError) { return .success(try await send(request)) } catch { return .failure(error) }
    }

    /// Whether sending the request times out after it was sent. Starts with a short deadline and extends it if a busy
    /// machine could not even connect in that time.
    func timesOut(
        _ request: HTTPRequest, whenSentBy send: (HTTPRequest) async throws -> Void
    ) async -> Bool {
        var request = request
        for milliseconds in [100, 400, 1600, 6400, 25_600] {
            request.deadline = .milliseconds(milliseconds)
            do {
                try await send(request)
                return false
            } catch {
                if (error as? CurlError)?.isNoConnection != true { return error as? CurlError == .timedOut }
            }
        }
        return false
    }
}

extension Result where Success == HTTPResponse, Failure == CurlError {
    var error: CurlError? { if case let .failure(error) = self { error } else { nil } }
    var status: Int? { if case let .success(response) = self { response.status } else { nil } }
}

extension CurlError {
    var isNoConnection: Bool { if case .noConnection = self { true } else { false } }
    var isBroken: Bool { if case .broken = self { true } else { false } }
    var isInvalid: Bool { if case .invalid = self { true } else { false } }
}

extension HTTPResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}
