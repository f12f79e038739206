import ControlProtocol
import ControlSurface
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

/// `/v1/automations` and `/v1/timers`.
extension ControlAPI {
    func automations(_ request: APIRequest) async throws -> Response {
        guard request.wantsYAML else { return try .json(surface.automations) }
        return Response(
            status: .ok, headers: [.contentType: "application/yaml", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: surface.automationFile)))
    }

    func timers(_: APIRequest) async throws -> Response { try .json(surface.timers) }
    func preview(_ request: APIRequest) async throws -> Response {
        try await read(request) { [surface] in try .json(surface.preview(of: request.query[.date])) }
    }

    /// Makes the automations what the file in the body says.
    func apply(_ request: APIRequest) async throws -> Response {
        let (keepsOthers, isDryRun) = (try request.flag(.keep), try request.flag(.dryRun))
        let yaml = try await file(in: request)
        let permit = try commands.enter(nil, "commands wait for their outcome")
        defer { withExtendedLifetime(permit) {} }
        // Reading a thousand commands takes a while, in which others are answered.
        let changes = try await withTaskExecutorPreference(bulk) { [surface] in
            try await surface.apply(yaml, keepsOthers: keepsOthers, dryRun: isDryRun, from: request.client)
        }
        return try .json(changes)
    }

    /// What the automations of the file in the body would have done.
    func simulate(_ request: APIRequest) async throws -> Response {
        let (start, end) = (try request.time(.since), try request.time(.until))
        let yaml = try await file(in: request)
        return try await read(request) { [surface] in
            try .json(try await surface.simulate(yaml, from: start, until: end, for: request.client))
        }
    }

    private func file(in request: APIRequest) async throws -> String {
        let body = try await body(of: request)
        guard let yaml = String(validating: body, as: UTF8.self) else {
            throw ErrorReply(.wrongFile, "the file is not UTF-8")
        }
        return yaml
    }
}

extension APIRequest {
    /// Whether it asks for a file in place of JSON.
    fileprivate var wantsYAML: Bool {
        http.headers[.accept]?.lowercased().contains("application/yaml") ?? false
    }
}
