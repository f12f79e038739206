import FoundationEssentials
import HueWire

/// Writes an outcome as a response: Hue bridges always answer 200, deCONZ with real statuses and an `ETag`
/// (dresden-elektronik/deconz-rest-plugin).
struct V1Dialect: Sendable {
    private let hasStatuses: Bool

    init(_ model: BridgeModel) { hasStatuses = model == .deconz }

    func decision(_ outcome: V1Outcome, for request: V1API.Request) -> Decision {
        var decision = Decision(changes: outcome.changes, radio: outcome.radio, response(outcome.content, request))
        decision.revoked = outcome.revoked
        decision.searches = outcome.searches
        decision.timedTasks = outcome.timedTasks
        return decision
    }

    /// - Returns: a response with this error alone.
    func failure(_ error: V1Error) -> BridgeResponse { response(.items([.failure(error)]), nil) }

    private func response(_ content: V1Outcome.Content, _ request: V1API.Request?) -> BridgeResponse {
        switch content {
        case let .document(document):
            var response = BridgeResponse.json(document)
            guard hasStatuses, request?.method == "GET" else { return response }
            let tag = "\"\(Self.digest(response.body))\""
            if request?.ifNoneMatch == tag {
                response = BridgeResponse(status: 304, type: "application/json", body: [])
            }
            response.headers = [("ETag", tag)]
            return response
        case let .items(items):
            return .json(hasStatuses ? Self.status(of: items) : 200, JSONValue.array(items.map(\.document)))
        }
    }

    /// 200 if anything succeeded; otherwise the status of the first error.
    private static func status(of items: [V1Outcome.Item]) -> Int {
        var first: Int?
        for item in items {
            guard case let .failure(error) = item else { return 200 }
            first = first ?? error.type
        }
        return switch first {
        case 1, 101: 403
        case 3, 4: 404
        case 901: 503
        case nil: 200
        default: 400
        }
    }

    /// FNV-1a of 64 bits: the same in every process, which Swift's own hash is not.
    private static func digest(_ bytes: [UInt8]) -> String {
        let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}
