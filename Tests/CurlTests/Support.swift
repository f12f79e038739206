import Curl
import Testing

/// A server with its script and a client; both end with the test.
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
    /// What the request came to, as a value.
    func outcome(of request: HTTPRequest) async -> Result<HTTPResponse, CurlError> {
        do throws(CurlError) { return .success(try await send(request)) } catch { return .failure(error) }
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
