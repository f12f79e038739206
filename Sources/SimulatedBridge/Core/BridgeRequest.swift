import FoundationEssentials
import HueWire

/// A request as a bridge looks at it.
struct BridgeRequest: Sendable {
    let method: String
    /// Without the query, split at its slashes.
    let path: [String]
    let query: String?
    let key: String?
    let accept: String?
    let lastEventID: String?
    let body: [UInt8]
    let isSecure: Bool
    /// The address by which the client knows the bridge, with its port where it is not the usual one.
    var authority = "127.0.0.1"
    /// The id of the last event that a long poll has seen.
    var ifNoneMatch: String?
    /// Which request on its connection it is, from 1.
    var place = 1

    var fullPath: String { "/" + path.joined(separator: "/") + (query.map { "?\($0)" } ?? "") }
}

/// A whole answer.
struct BridgeResponse: Sendable {
    var status: Int
    var type: String
    var body: [UInt8]
    var headers: [(name: String, value: String)] = []

    static func json(_ value: some Encodable) -> Self { json(200, value) }

    static func json(_ status: Int, _ value: some Encodable, by encoder: JSONEncoder = .wire) -> Self {
        do {
            // Exactly this type: openHAB refuses a charset behind it.
            return Self(status: status, type: "application/json", body: Array(try encoder.encode(value)))
        } catch {
            // Only a number that is none cannot be written; no document holds one.
            return .page(500)
        }
    }

    /// The page that real bridges send with every refusal, whatever the status (docs/hue-quirks.md).
    static func page(_ status: Int) -> Self {
        let body =
            "<html><head><title>hue personal wireless lighting</title></head><body><b>There is no lighting here.</b></body></html>\n"
        return Self(status: status, type: "text/html", body: Array(body.utf8))
    }

    static func data(_ documents: [JSONValue]) -> Self { envelope(200, data: documents) }

    static func envelope(_ status: Int, data: [JSONValue] = [], errors: [HueError] = []) -> Self {
        .json(status, JSONValue.object(["data": .array(data), "errors": .array(errors.map(\.document))]))
    }

    static func v1(_ error: V1Error) -> Self { .json([["error": error]]) }
}

enum BridgeReply: Sendable {
    case response(BridgeResponse)
    /// Pieces of an event stream, until the client goes.
    case stream(EventReader)
    /// The next frame of events, as the one answer to a long poll.
    case poll(AsyncStream<EventFrame>)
    /// The connection is cut without a word.
    case hangUp
    /// Nothing is ever said.
    case hang(HangingRequest)
}

/// A request that is never answered.
struct HangingRequest: Sendable {
    let number: Int
    /// Ends when the fault does, or the client has gone.
    let over: AsyncStream<Never>
    let end: AsyncStream<Never>.Continuation
}

/// How a request is dealt with: what is answered, and what becomes of it on the way.
struct ReplyTransmission: Sendable {
    var reaction: BridgeReply
    var delay: Duration = .zero
    /// The connection is reset after half of the body.
    var isReset = false
    /// The connection ends with the answer, in the way of its protocol.
    var isLast = false

    init(_ reaction: BridgeReply) { self.reaction = reaction }
}

extension HueError {
    var document: JSONValue {
        code.map { ["description": .string(description), "error_code": .string($0)] }
            ?? ["description": .string(description)]
    }
}

extension StringProtocol {
    /// The text behind "%20" and the like; as it stands where that is malformed.
    var percentDecoded: String {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
