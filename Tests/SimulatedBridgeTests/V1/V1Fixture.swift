import Foundation
import HueWire
import Testing

@testable import SimulatedBridge

/// A client of API v1 without a network: each decision is carried out at once, and the clock is manual.
struct V1Fixture {
    var context: DecisionContext
    /// The decision on the last request.
    private(set) var last = Decision(.json(["": ""]))

    var home: SimulatedHome { context.home }

    init(_ model: BridgeModel = .square, _ file: HomeFile = .villa) {
        var file = file
        file.bridge = HomeFile.Bridge(name: "Villa", model: model)
        context = DecisionContext(home: SimulatedHome(file, seed: 1))
        context.keys["key"] = BridgeCore.Key(
            name: "test#one", created: Date(timeIntervalSince1970: 1_769_853_600), lastUse: nil)
        context.date = Date(timeIntervalSince1970: 1_769_860_800)
        context.now = .seconds(100)
    }

    @discardableResult
    mutating func send(_ method: String, _ path: String, _ body: String = "", ifNoneMatch: String? = nil)
        -> BridgeResponse
    {
        let path = ["api"] + path.split(separator: "/").map(String.init)
        var request = V1API.Request(method: method, path: path, body: Array(body.utf8))
        request.ifNoneMatch = ifNoneMatch
        last = V1API.decide(request, in: context)
        context.home = home.alter(by: last.changes)
        for message in last.radio { context.mesh.send(message, wanted: home, at: context.now) }
        if last.searches { context.searchUntil = context.now + .seconds(40) }
        for key in last.revoked { context.keys[key] = nil }
        return last.response
    }

    mutating func get(_ path: String) throws -> JSONValue { try send("GET", "/key" + path).json }

    /// Writes, and returns the answer as text, which shows the order.
    @discardableResult
    mutating func put(_ path: String, _ body: String) -> String { send("PUT", "/key" + path, body).text }
    @discardableResult
    mutating func post(_ path: String, _ body: String) -> String { send("POST", "/key" + path, body).text }
    @discardableResult
    mutating func delete(_ path: String) -> String { send("DELETE", "/key" + path).text }

    mutating func state(_ number: Int) throws -> JSONValue { try #require(try get("/lights/\(number)")["state"]) }

    mutating func pass(_ time: Duration) {
        context.now += time
        context.date += time / .seconds(1)
    }
}

extension BridgeResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
    var json: JSONValue { get throws { try JSONDecoder().decode(JSONValue.self, from: Data(body)) } }
}

extension JSONValue {
    /// The names of an object's members.
    var names: Set<String> { Set(object.map { Array($0.keys) } ?? []) }
}

/// Elements of an answer, as a bridge writes them.
enum V1Text {
    static func success(_ address: String, _ value: String) -> String { #"{"success":{"\#(address)":\#(value)}}"# }
    static func error(_ type: Int, _ address: String, _ words: String) -> String {
        #"{"error":{"address":"\#(address)","description":"\#(words)","type":\#(type)}}"#
    }
    static func all(_ items: String...) -> String { "[" + items.joined(separator: ",") + "]" }
}

extension HomeFile {
    /// One lamp of every kind, in the order of the kinds: 1 colour, 2 original, 3 bloom, 4 gradient, 5 wide,
    /// 6 ambiance, 7 dimmable, 8 plug. All are on. The sensors: 1 daylight, 2 to 4 motion, 5 switch, 6 and 7 dial.
    static let villa = HomeFile(
        rooms: [
            Room(
                name: "Hall", archetype: "hallway",
                lights: LampKind.allCases.map { Light(name: $0.rawValue, kind: $0, on: true, brightness: 50) },
                accessories: AccessoryKind.allCases.map { Accessory(name: $0.rawValue, kind: $0) }),
            Room(name: "Empty", lights: []),
        ],
        zones: [Zone(name: "Down", archetype: "downstairs", lights: ["color", "ambiance", "plug"])],
        scenes: [
            Scene(
                name: "Relax", group: "Hall",
                lights: [
                    "color": LightState(brightness: 40, xy: [0.5, 0.4]),
                    "ambiance": LightState(brightness: 30, mirek: 447),
                ])
        ])
}
