import FoundationEssentials
import HueWire
import ServerSentEvents

/// A request as the bridge reads it.
struct BridgeRequest: Sendable {
    let method: String
    /// Without the query, split at the slashes.
    let path: [String]
    let query: String?
    let key: String?
    let accept: String?
    let lastEventID: String?
    let body: [UInt8]
    let isSecure: Bool
    /// The bridge's address as the client wrote it, with the port unless it is the default one.
    var authority = "127.0.0.1"
    /// The id of the last event that a long poll has received.
    var ifNoneMatch: String?
    /// The number of the request on its connection, from 1.
    var numberOnConnection = 1

    /// The path without the slash that some clients write at its end.
    var trimmedPath: [String] { path.last == "" ? path.dropLast() : path }

    var fullPath: String { "/" + path.joined(separator: "/") + (query.map { "?\($0)" } ?? "") }
}

/// A complete response.
struct BridgeResponse: Sendable {
    var status: Int
    var type: String
    var body: [UInt8]
    var headers: [(name: String, value: String)] = []

    static func json(_ value: some Encodable) -> Self { json(200, value) }

    static func json(_ status: Int, _ value: some Encodable, by encoder: JSONEncoder = .wire) -> Self {
        do {
            // Exactly this type: openHAB refuses an added charset.
            return Self(status: status, type: "application/json", body: Array(try encoder.encode(value)))
        } catch {
            // Encoding fails only for NaN and infinities, which no document holds.
            return .page(500)
        }
    }

    /// The page that real bridges send with every error status (docs/quirks.md).
    static func page(_ status: Int) -> Self {
        let body =
            "<html><head><title>hue personal wireless lighting</title></head>"
            + "<body><b>There is no lighting here.</b></body></html>\n"
        return Self(status: status, type: "text/html", body: Array(body.utf8))
    }

    static func data(_ documents: [JSONValue]) -> Self { envelope(200, data: documents) }

    static func envelope(_ status: Int, data: [JSONValue] = [], errors: [HueError] = []) -> Self {
        .json(status, JSONValue.object(["data": .array(data), "errors": .array(errors.map(\.document))]))
    }
}

/// How the bridge reacts to a request.
enum BridgeReply: Sendable {
    case response(BridgeResponse)
    /// Pieces of an event stream, until the client disconnects.
    case stream(EventReader)
    /// The next frame of events, as the response to a long poll.
    case poll(AsyncStream<ServerSentEvent>)
    /// Closes the connection without a response.
    case hangUp
    /// Never responds.
    case hang(HangingRequest)
}

/// A request that never gets a response.
struct HangingRequest: Sendable {
    let number: Int
    /// Ends when the fault ends or the client disconnects.
    let over: AsyncStream<Never>
    let end: AsyncStream<Never>.Continuation
}

/// A reply, and how it is sent.
struct ReplyTransmission: Sendable {
    var reply: BridgeReply
    var delay: Duration = .zero
    /// Resets the connection after half of the body.
    var isReset = false
    /// Closes the connection after the response, as its protocol provides.
    var isLast = false
    /// By the bridge's own clock.
    let date: Date

    init(_ reply: BridgeReply, date: Date) {
        self.reply = reply
        self.date = date
    }
}

extension HueError {
    var document: JSONValue {
        code.map { ["description": .string(description), "error_code": .string($0)] }
            ?? ["description": .string(description)]
    }
}

extension StringProtocol {
    /// The text with "%20" and the like decoded; malformed sequences stay as they are.
    var percentDecoded: String {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            // A sign is not a digit, though the initializer takes one.
            if byte == UInt8(ascii: "%"), case let digits = String(decoding: rest.prefix(2), as: UTF8.self),
                digits.count == 2, digits.allSatisfy(\.isHexDigit), let value = UInt8(digits, radix: 16)
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

extension String {
    /// "192.0.2.10" of "192.0.2.10:8080", "[::1]" of "[::1]:8080".
    var withoutPort: String {
        // An IPv6 address in brackets contains colons.
        guard let colon = lastIndex(of: ":"), !self[colon...].contains("]") else { return self }
        return String(self[..<colon])
    }
}

extension JSONValue {
    /// Parses a body; `nil` if it is not JSON. Both APIs, the control port and the faults read bodies by this.
    init?(wire bytes: [UInt8]) {
        guard let value = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
        self = value
    }

    /// The value as text, as every response writes it.
    var wire: [UInt8] {
        // Encoding fails only for NaN and infinities, which no document holds.
        (try? JSONEncoder.wire.encode(self)).map { Array($0) } ?? []
    }
}

extension JSONEncoder {
    static var wire: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
