import Curl
import Foundation
import HueWire
import Khipu
import Lighting
import Testing

@testable import HueBridge
@testable import SimulatedBridge

/// A client of a simulated home in one dialect, without a network: each request is decided and carried out at once.
struct DialectFixture {
    let dialect: Dialect
    var context: DecisionContext
    static let key = Secret("key")

    var home: SimulatedHome { context.home }

    init(_ dialect: Dialect, _ model: BridgeModel = .square, _ file: HomeFile = .flat) {
        var file = file
        file.bridge = HomeFile.Bridge(name: "Flat", model: model)
        self.init(dialect, SimulatedHome(file, seed: 1))
    }

    init(_ dialect: Dialect, _ home: SimulatedHome) {
        self.dialect = dialect
        context = DecisionContext(home: home)
        context.keys[Self.key.revealed] = BridgeCore.Key(name: "test#one", created: Date(), lastUse: nil)
    }

    /// Carries out an operation, and reads the bridge's answer.
    mutating func put(_ operation: HueBridge.Operation, as key: Secret = key) throws -> Delivery {
        dialect.delivery(of: operation, try send(operation, as: key))
    }

    /// Carries out an operation that creates something, and reads its id from the bridge's answer.
    mutating func create(_ operation: HueBridge.Operation) throws -> (delivery: Delivery, id: ResourceID?) {
        let response = try send(operation)
        return (dialect.delivery(of: operation, response), dialect.created(by: operation, response))
    }

    private mutating func send(_ operation: HueBridge.Operation, as key: Secret = key) throws -> HTTPResponse {
        let path = dialect.path(of: operation, key: key)
        let decision = decide(dialect.method(of: operation).rawValue, path, try dialect.body(of: operation) ?? [])
        context.home = home.alter(by: decision.changes)
        return HTTPResponse(decision)
    }

    func ask(_ query: Query, as key: Secret = key) -> Reading {
        let path = dialect.path(of: query, key: key)
        if dialect == .v1 { return dialect.reading(query, HTTPResponse(decide("GET", path, []))) }
        let parts = path.split(separator: "/").dropFirst(3).map(String.init)
        let documents = home.documents.filter { document in
            (parts.isEmpty || document["type"]?.string == parts[0])
                && (parts.count < 2 || document["id"]?.string == parts[1])
        }
        return dialect.reading(
            query, HTTPResponse(Decision(.json(["data": JSONValue.array(documents), "errors": []]))))
    }

    private func decide(_ method: String, _ path: String, _ body: [UInt8]) -> Decision {
        let parts = path.split(separator: "/").map(String.init)
        if dialect == .v1 {
            return V1API.decide(V1API.Request(method: method, path: parts, body: body), in: context)
        }
        return V2API.decide(
            V2API.Request(
                method: method, type: ResourceType(rawValue: parts[3]),
                id: parts.dropFirst(4).first.map { ResourceID($0) },
                body: body, key: Self.key.revealed), in: context)
    }

    /// The whole home, as the domain sees it.
    var map: HomeResources {
        get throws {
            guard case let .resources(resources, unreadable) = ask(.everything) else { throw NoHome() }
            #expect(unreadable.isEmpty)
            var map = HomeResources(bridge: Bridge.ID("ecb5fafffe010203"))
            map.load(resources, at: Timestamp(milliseconds: 1000))
            return map
        }
    }

    struct NoHome: Error {}
}

extension HTTPResponse {
    init(_ decision: Decision) {
        self.init(head: HTTPHead(status: decision.response.status), body: decision.response.body, certificate: nil)
    }

    init(_ status: Int, _ body: String) {
        self.init(head: HTTPHead(status: status), body: Array(body.utf8), certificate: nil)
    }
}

extension HomeFile {
    /// One lamp of every kind in one room, all on; a zone and scenes with some of them.
    static let villa = HomeFile(
        rooms: [
            Room(
                name: "Hall", archetype: "hallway",
                lights: LampKind.allCases.map { Light(name: $0.rawValue, kind: $0, on: true, brightness: 50) }),
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
