import FoundationEssentials
import Glibc
import HueWire

/// What a simulated bridge stores in its state directory to survive a restart.
struct SavedState: Codable, Sendable {
    /// Increases when the format changes; other versions are refused.
    static let version = 2

    var version = SavedState.version
    /// The home file. If it has changed, the home is built anew; keys and certificate stay.
    var file: HomeFile
    var seed: UInt64
    var keys: [String: BridgeCore.Key]
    /// How many keys were ever issued: a deleted key is never issued again.
    var pairings: Int
    /// With its private key, which is not a secret: it is derived from the seed.
    var certificate: BridgeCertificate
    var home: SimulatedHome
}

/// The file in the state directory. It is replaced as a whole, so a crash leaves the old one.
struct SavedStateFile: Sendable {
    let directory: String

    private var path: String { directory + "/bridge.json" }

    func read() throws -> SavedState? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            let data = try Data(contentsOf: URL(filePath: path))
            // The version first: the rest of another version cannot be read.
            let version = try JSONDecoder().decode(Version.self, from: data).version
            guard version == SavedState.version else {
                throw SimulatedBridgeError(
                    "\(path) is of version \(version); this lightsim reads version \(SavedState.version). "
                        + "Move it away to start afresh")
            }
            return try JSONDecoder().decode(SavedState.self, from: data)
        } catch let error as SimulatedBridgeError {
            throw error
        } catch is DecodingError {
            throw SimulatedBridgeError("\(path) is not the saved state of a bridge. Move it away to start afresh")
        } catch {
            throw SimulatedBridgeError("\(path) is not a readable file. Move it away to start afresh")
        }
    }

    private struct Version: Decodable { let version: Int }

    /// Checks that the directory can be written, before anything relies on it.
    func prepare() throws(SimulatedBridgeError) {
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            let probe = URL(filePath: directory + "/.probe")
            try Data().write(to: probe)
            try FileManager.default.removeItem(at: probe)
        } catch {
            throw SimulatedBridgeError("cannot write to the state directory \(directory)")
        }
    }

    /// Writes the state. Only the owner can read the file, because it holds keys.
    func write(_ state: SavedState) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let next = directory + "/.bridge.json"
        // A leftover of a crash may have another mode.
        unlink(next)
        let descriptor = open(next, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw unwritable }
        close(descriptor)
        try JSONEncoder.wire.encode(state).write(to: URL(filePath: next))
        guard rename(next, path) == 0 else { throw unwritable }
    }

    private var unwritable: SimulatedBridgeError {
        SimulatedBridgeError("cannot write \(path): \(String(cString: strerror(errno)))")
    }
}
