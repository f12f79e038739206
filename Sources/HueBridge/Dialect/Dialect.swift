import Curl
import FoundationEssentials
import HueWire
import Lighting

/// Which of its two APIs is spoken with a bridge. What is asked of it and what it tells are the same words in both, those of API v2; only
/// here are paths, bodies and answers different.
enum Dialect: String, Sendable {
    /// The one that every bridge speaks, over HTTP or HTTPS. The key is a part of the path; errors come with status 200.
    case v1
    /// Square bridges since 2021 and the Pro, over HTTPS. The key is a header.
    case v2

    init(_ api: Pairing.API) {
        switch api {
        case .v1: self = .v1
        case .v2: self = .v2
        }
    }

    func path(of query: Query, key: Secret?) -> String {
        switch (self, query) {
        case (.v1, .everything): Self.first(key)
        case (.v1, .lights): "\(Self.first(key))/lights"
        case let (.v1, .light(id)): "\(Self.first(key))/lights/\(id)"
        case (.v2, .everything): "/clip/v2/resource"
        case (.v2, .lights): "/clip/v2/resource/light"
        case let (.v2, .light(id)): "/clip/v2/resource/light/\(id)"
        }
    }

    /// Where a deed is PUT.
    func path(of operation: Operation, key: Secret?) -> String {
        switch self {
        case .v1: Self.first(key) + Self.v1Path(of: operation)
        case .v2: "/clip/v2/resource/" + Self.v2Path(of: operation)
        }
    }

    /// What is PUT there.
    func body(of operation: Operation) throws -> [UInt8] {
        switch self {
        case .v1: try Self.v1Body(of: operation)
        case .v2: try Self.v2Body(of: operation)
        }
    }

    func receipt(of operation: Operation, _ response: HTTPResponse) -> Receipt {
        switch self {
        case .v1: Self.v1Receipt(response)
        case .v2: Self.v2Receipt(response)
        }
    }

    func reading(_ query: Query, _ response: HTTPResponse) -> Reading {
        switch self {
        case .v1: Self.v1Reading(query, response)
        case .v2: Self.v2Reading(response)
        }
    }

    /// Where to DELETE our key, in either dialect: API v2 has no way.
    static func farewell(_ key: Secret) -> String {
        "\(first(key))/config/whitelist/\(escaped(key.revealed))"
    }

    /// The beginning of every path of API v1.
    private static func first(_ key: Secret?) -> String { "/api/\(escaped(key?.revealed ?? "0"))" }

    /// Keys are opaque: an emulator may make them of anything.
    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }
}

extension HTTPResponse {
    func decoded<Value: Decodable>(as type: Value.Type = Value.self) -> Value? {
        try? JSONDecoder().decode(type, from: Data(body))
    }

    /// Whether the bridge is overloaded, in either API; its body is then a page (docs/hue-quirks.md).
    var isBusy: Bool { [429, 500, 502, 503].contains(status) }
    var isTaken: Bool { (200..<300).contains(status) }
}
