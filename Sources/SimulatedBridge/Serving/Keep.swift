import FoundationEssentials
import HueWire

/// What a simulated bridge remembers over a restart, where it has a directory for it.
struct Keep: Codable, Sendable {
    /// Rises when the form changes; another one is refused.
    var version = 1
    var keys: [String: BridgeCore.Key]
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
        let keep = try JSONDecoder().decode(Keep.self, from: Data(contentsOf: URL(filePath: path)))
        guard keep.version == 1 else {
            throw SimulatedBridgeError("\(path) is of version \(keep.version); this lightsim reads version 1")
        }
        return keep
    }

    func write(_ keep: Keep) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try JSONEncoder.wire.encode(keep).write(to: URL(filePath: path), options: .atomic)
    }
}
