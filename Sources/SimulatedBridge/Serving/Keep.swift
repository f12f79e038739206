import FoundationEssentials
import HueWire

/// What a simulated bridge remembers over a restart, where it has a directory for it.
struct Keep: Codable, Sendable {
    /// Rises when the form changes; another one is refused.
    var version = 1
    var keys: [String: BridgeCore.Key]
    /// How many keys were ever given: a key that was deleted is never given again.
    var pairings: Int?
    var lamps: [LampState]

    struct LampState: Codable, Sendable {
        let id: ResourceID
        let name: String
        let on: Bool
        let level: Int
        let mirek: Int?
        let xy: XY?

        init(_ lamp: Lamp) {
            (id, name, on, level) = (lamp.id, lamp.name, lamp.isOn, lamp.level)
            switch lamp.tint {
            case let .white(mirek): (self.mirek, xy) = (mirek, nil)
            case let .color(point): (mirek, xy) = (nil, point)
            case .none: (mirek, xy) = (nil, nil)
            }
        }

        var change: SimulatedHome.Change {
            var changes: [Lamp.Change] = [.renaming(.it(to: name)), .turning(.it(on: on)), .setting(.level(to: level))]
            if let mirek { changes.append(.setting(.tint(to: .white(mirek: mirek)))) }
            if let xy { changes.append(.setting(.tint(to: .color(xy)))) }
            return .updating(.lamp(id, by: changes))
        }
    }
}

/// The file in the state directory. Written whole, beside, and moved into place: a crash leaves the old one.
struct KeepFile: Sendable {
    let directory: String

    private var path: String { directory + "/bridge.json" }

    func read() throws -> Keep? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            let data = try Data(contentsOf: URL(filePath: path))
            // First the version alone: of another one nothing else is known.
            let version = try JSONDecoder().decode(Version.self, from: data).version
            guard version == 1 else {
                throw SimulatedBridgeError("\(path) is of version \(version); this lightsim reads version 1")
            }
            return try JSONDecoder().decode(Keep.self, from: data)
        } catch is DecodingError {
            throw SimulatedBridgeError("\(path) holds something else than a bridge's state; move it away to begin anew")
        }
    }

    private struct Version: Decodable { let version: Int }

    func write(_ keep: Keep) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try JSONEncoder.wire.encode(keep).write(to: URL(filePath: path), options: .atomic)
    }
}
