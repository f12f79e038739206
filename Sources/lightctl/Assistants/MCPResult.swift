import AnyJSON
import ControlProtocol

/// What a request comes to.
struct MCPResult: Encodable {
    /// What the revision that a request is of wants beside the result itself.
    enum Form: Equatable {
        /// Of a conversation that began with `initialize`: nothing.
        case handshake
        /// That it is whole, and who sends it; of what may be kept also for how long, which is not at all.
        case perRequest(isCacheable: Bool)
    }

    /// An object.
    private let body: any Encodable
    private let form: Form

    /// - Parameter body: what is encoded as an object.
    init(_ body: [String: JSONValue], _ form: Form) { (self.body, self.form) = (body, form) }
    init(_ body: MCPTool.Outcome, _ form: Form) { (self.body, self.form) = (body, form) }
    init(_ body: MCPTool.List, _ form: Form) { (self.body, self.form) = (body, form) }

    static let server: JSONValue = ["name": "lightctl", "title": "lightd", "version": .string(Release.version)]

    private enum CodingKeys: String, CodingKey {
        case resultType, ttlMs, cacheScope
        case meta = "_meta"
    }

    func encode(to encoder: any Encoder) throws {
        try body.encode(to: encoder)
        guard case let .perRequest(isCacheable) = form else { return }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode("complete", forKey: .resultType)
        try container.encode(["io.modelcontextprotocol/serverInfo": Self.server], forKey: .meta)
        guard isCacheable else { return }
        // A token's role may change at any time, and lightd may be another one after a restart.
        try container.encode(0, forKey: .ttlMs)
        try container.encode("private", forKey: .cacheScope)
    }
}
