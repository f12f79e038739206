import Curl
import FoundationEssentials
import HueWire
import Lighting

/// Which of its two APIs a bridge is spoken to in. Commands and answers have the same meaning in both; only here do
/// paths, bodies and answers differ.
enum Dialect: String, Sendable {
    /// Every bridge has it, over HTTP or HTTPS. The key is part of the path; errors come with status 200.
    case v1
    /// Square bridges since 2021 and the Pro have it, over HTTPS. The key is a header.
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
        case (.v1, .lights), (.v1, .connectivity): "\(Self.first(key))/lights"
        case let (.v1, .light(id)): "\(Self.first(key))/lights/\(id)"
        case (.v2, .everything): "/clip/v2/resource"
        case (.v2, .lights): "/clip/v2/resource/light"
        case (.v2, .connectivity): "/clip/v2/resource/zigbee_connectivity"
        case let (.v2, .light(id)): "/clip/v2/resource/light/\(id)"
        case (.v1, .sensors): "\(Self.first(key))/sensors"
        case let (.v2, .sensors(type)): "/clip/v2/resource/\(type)"
        case let (.v1, .group(_, id)): "\(Self.first(key))/groups/\(id)"
        case let (.v2, .group(type, id)): "/clip/v2/resource/\(type)/\(id)"
        case let (.v1, .scene(id)): Self.first(key) + Self.v1Path(ofScene: id)
        case let (.v2, .scene(id)): "/clip/v2/resource/scene/\(id)"
        }
    }

    func method(of operation: Operation) -> HTTPRequest.Method {
        switch operation {
        case .light, .group, .recall, .activate, .enable, .rename, .configure, .identify, .signal, .arrange, .store,
            .storeLight:
            .put
        case .createGroup, .createScene: .post
        case .delete: .delete
        }
    }

    /// Where an operation is sent.
    func path(of operation: Operation, key: Secret?) -> String {
        switch self {
        case .v1: Self.first(key) + Self.v1Path(of: operation)
        case .v2: "/clip/v2/resource/" + Self.v2Path(of: operation)
        }
    }

    /// What is sent there; `nil` for a DELETE.
    func body(of operation: Operation) throws -> [UInt8]? {
        switch self {
        case .v1: try Self.v1Body(of: operation)
        case .v2: try Self.v2Body(of: operation)
        }
    }

    /// Keys are sorted, so that equal operations are equal texts: a rehearsal shows what is sent, byte for byte.
    static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }

    func delivery(of operation: Operation, _ response: HTTPResponse) -> Delivery {
        switch self {
        case .v1: Self.v1Delivery(response)
        case .v2: Self.v2Delivery(of: operation, response)
        }
    }

    /// The id of what an operation has created, if the answer names it.
    func created(by operation: Operation, _ response: HTTPResponse) -> ResourceID? {
        switch self {
        case .v1:
            response.decoded(as: V1Answer.self)?.created.map { id in
                guard case let .createScene(_, group, _, inGroup: true) = operation else { return ResourceID(id) }
                return V1Group.OwnScene.id(id, in: group.rid.description)
            }
        case .v2: response.decoded(as: Envelope<ResourceReference>.self)?.data.first?.rid
        }
    }

    func reading(_ query: Query, _ response: HTTPResponse) -> Reading {
        switch self {
        case .v1: Self.v1Reading(query, response)
        case .v2: Self.v2Reading(response)
        }
    }

    /// What the status says, in either dialect; `nil` if the body is to be read.
    static func reading(ofStatus response: HTTPResponse) -> Reading? {
        if response.isBusy { return .busy("HTTP \(response.status), overloaded") }
        return switch response.status {
        case 200: nil
        case 401, 403: .keyRefused
        case 404: .gone
        default: .unreadable("HTTP \(response.status)")
        }
    }

    /// How much room the bridge has, in either dialect: only API v1 tells it.
    static func capabilitiesPath(_ key: Secret?) -> String { "\(first(key))/capabilities" }

    /// Where our key is DELETEd, in either dialect: API v2 has no way to do that.
    static func keyPath(_ key: Secret) -> String {
        "\(first(key))/config/whitelist/\(escaped(key.revealed))"
    }

    /// The beginning of every path of API v1.
    private static func first(_ key: Secret?) -> String { "/api/\(escaped(key?.revealed ?? "0"))" }

    /// Keys are opaque: an emulator may use any characters.
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

    /// An overloaded bridge's answer to a command; `nil` if it is not overloaded.
    func overload(_ words: String? = nil) -> Delivery? {
        guard isBusy else { return nil }
        let words = words ?? "HTTP \(status), overloaded"
        return status == 500 ? .faulty(words) : .busy(words)
    }

    /// Whether the bridge is overloaded, in either API; its body is then an HTML page (docs/quirks.md).
    var isBusy: Bool { [429, 500, 502, 503].contains(status) }
    var isAccepted: Bool { (200..<300).contains(status) }
}

/// What a bridge's answer to a ``Query`` means.
enum Reading: Equatable, Sendable {
    /// - Parameter unreadable: why some elements were skipped.
    case resources([Resource], unreadable: [String])
    /// Overloaded, worth another try: the bridge's words.
    case busy(String)
    case keyRefused
    /// The bridge has no such light, or does not speak this API.
    case gone
    /// Not an answer to the query: why.
    case unreadable(String)

    var isBusy: Bool { if case .busy = self { true } else { false } }
}
