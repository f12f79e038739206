import ControlProtocol
import ControlSurface
import FoundationEssentials
import HTTPTypes
import Hummingbird
import Languages
import NIOCore

/// `/v1/automations` and `/v1/timers`.
extension ControlAPI {
    func automations(_ request: APIRequest) async throws -> Response {
        var headers: HTTPFields = [.contentType: "application/yaml", .cacheControl: "no-store"]
        guard let name = request.query[.name] else {
            guard request.wantsYAML else { return try .json(surface.automations) }
            return .yaml(surface.automationFile, headers)
        }
        let (text, version) = try surface.automationFile(named: name)
        headers[.eTag] = "\"\(version)\""
        guard request.wantsYAML else {
            let id = name.lowercased()
            return try .json(
                surface.automations.filter { $0.name.lowercased() == id }, headers: [.eTag: "\"\(version)\""])
        }
        return .yaml(text, headers)
    }

    func timers(_: APIRequest) async throws -> Response { try .json(surface.timers) }
    func preview(_ request: APIRequest) async throws -> Response {
        try await read(request) { [surface] in try .json(surface.preview(of: request.query[.date])) }
    }

    /// Makes the automations what the file in the body says.
    func apply(_ request: APIRequest) async throws -> Response {
        let (keepsOthers, isDryRun) = (try request.flag(.keep), try request.flag(.dryRun))
        let place = try request.automationPlace
        let yaml = try await file(in: request)
        let permit = try commands.enter(nil, "commands wait for their outcome")
        defer { withExtendedLifetime(permit) {} }
        // Reading a thousand commands takes a while, in which others are answered.
        let changes = try await withTaskExecutorPreference(bulk) { [surface] in
            try await surface.apply(
                yaml, keepsOthers: keepsOthers, at: place, dryRun: isDryRun, from: request.client)
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

    /// Which automations a form can make, or one with the questions of its form.
    func formKinds(_ request: APIRequest) async throws -> Response {
        try .json(surface.formKinds(in: request.language))
    }

    func form(_ request: APIRequest) async throws -> Response {
        let form = try AutomationFormRequest(json: try await body(of: request))
        return try await read(request) { [surface] in
            try .json(try surface.form(form, in: request.language))
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

extension Response {
    fileprivate static func yaml(_ text: String, _ headers: HTTPFields) -> Response {
        Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

extension APIRequest {
    /// Where the file's automation is to stand, by 'name', 'If-Match' and 'If-None-Match' (RFC 9110, 13.1); `nil` if it is
    /// not only one.
    ///
    /// - Throws: `invalid` for a condition that no automation is named for.
    fileprivate var automationPlace: AutomationPlace? {
        get throws(ErrorReply) {
            let tag = http.headers[.ifMatch].map { $0 == "*" ? nil : $0.filter { $0 != "\"" } }
            let isNew = http.headers[.ifNoneMatch] == "*"
            guard let name = query[.name] else {
                guard tag == nil else {
                    throw ErrorReply(.invalid, "'If-Match' needs 'name': which automation is meant?")
                }
                return isNew ? AutomationPlace(name: nil) : nil
            }
            guard !isNew else { throw ErrorReply(.invalid, "'If-None-Match' is for a new one, without 'name'") }
            return AutomationPlace(name: name, version: tag ?? nil)
        }
    }

    fileprivate var language: Language { Language(accepted: http.headers[.acceptLanguage]) }

    /// Whether it asks for a file in place of JSON.
    fileprivate var wantsYAML: Bool {
        http.headers[.accept]?.lowercased().contains("application/yaml") ?? false
    }
}
