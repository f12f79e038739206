import FoundationEssentials
import HueWire

/// What a simulated bridge remembers over a restart, where it has a directory for it: all that it knows.
struct SavedState: Codable, Sendable {
    /// Rises when the form changes; another one is refused.
    static let version = 2

    var version = SavedState.version
    /// The file that the home was made of. Another file makes another home; keys and certificate stay.
    var file: HomeFile
    var seed: UInt64
    var keys: [String: BridgeCore.Key]
    /// How many keys were ever given: a key that was deleted is never given again.
    var pairings: Int
    /// With its private key, which is no secret: it derives from the seed.
    var certificate: BridgeCertificate
    var home: SimulatedHome
}

/// The file in the state directory. Written whole, beside, and moved into place: a crash leaves the old one.
struct SavedStateFile: Sendable {
    let directory: String

    private var path: String { directory + "/bridge.json" }

    func read() throws -> SavedState? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            let data = try Data(contentsOf: URL(filePath: path))
            // First the version alone: of another one nothing else is known.
            let version = try JSONDecoder().decode(Version.self, from: data).version
            guard version == SavedState.version else {
                throw SimulatedBridgeError(
                    "\(path) is of version \(version); this lightsim reads version \(SavedState.version). "
                        + "Move it away to begin anew")
            }
            return try JSONDecoder().decode(SavedState.self, from: data)
        } catch is DecodingError {
            throw SimulatedBridgeError("\(path) holds something else than a bridge's state; move it away to begin anew")
        }
    }

    private struct Version: Decodable { let version: Int }

    /// Finds out whether it can be written at all, before anybody relies on it.
    func prepare() throws(SimulatedBridgeError) {
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            let probe = URL(filePath: directory + "/.probe")
            try Data().write(to: probe)
            try FileManager.default.removeItem(at: probe)
        } catch {
            throw SimulatedBridgeError("cannot keep anything in \(directory): it cannot be made, or not be written to")
        }
    }

    func write(_ state: SavedState) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try JSONEncoder.wire.encode(state).write(to: URL(filePath: path), options: .atomic)
    }
}
