import Foundation
import HueWire
import Testing

/// A file in `Fixtures/`; the README there has the source of each.
enum Fixture: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case home
    case bridgePro = "bridge-pro"
    case brokenLamps = "broken-lamps"
    case laterFirmware = "later-firmware"

    var testDescription: String { rawValue }

    var bytes: Data { get throws { try Self.bytes(of: rawValue + ".json") } }

    func read() throws -> Envelope<Resource> { try JSONDecoder().decode(Envelope<Resource>.self, from: try bytes) }

    /// Its elements as plain JSON.
    func elements() throws -> [JSONValue] {
        try JSONDecoder().decode(JSONValue.self, from: try bytes)["data"]?.array ?? []
    }

    static func bytes(of name: String) throws -> Data {
        let url = try #require(Bundle.module.url(forResource: "Fixtures", withExtension: nil))
        return try Data(contentsOf: url.appendingPathComponent(name))
    }
}

extension Resource {
    init(_ json: JSONValue) throws {
        self = try JSONDecoder().decode(Resource.self, from: JSONEncoder().encode(json))
    }

    init(_ text: String) throws {
        self = try JSONDecoder().decode(Resource.self, from: Data(text.utf8))
    }
}

extension Envelope<Resource> {
    init(of elements: [JSONValue]) throws {
        let json: JSONValue = ["errors": [], "data": .array(elements)]
        self = try JSONDecoder().decode(Self.self, from: JSONEncoder().encode(json))
    }

    var lights: [LightResource] {
        data.compactMap { if case let .light(light) = $0 { light } else { nil } }
    }
}
