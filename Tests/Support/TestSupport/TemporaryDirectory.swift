public import Foundation

/// Runs a test with a directory of its own. Its path is short, because a unix socket's path has at most 107 bytes.
public func withTemporaryDirectory<Value>(_ body: (TemporaryDirectory) async throws -> Value) async throws -> Value {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    return try await body(directory)
}

public struct TemporaryDirectory: Sendable {
    public let path: String

    public init() throws {
        var template = Array("/tmp/lightd-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TestError("mkdtemp: \(String(cString: strerror(errno)))") }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    public var socket: String { path + "/s" }
    public var state: String { path + "/state" }

    /// Writes a file and returns its path.
    @discardableResult
    public func write(_ name: String, _ bytes: Data, mode: mode_t = 0o644) throws -> String {
        let file = "\(path)/\(name)"
        try bytes.write(to: URL(filePath: file))
        chmod(file, mode)
        return file
    }

    @discardableResult
    public func write(_ name: String, _ text: String, mode: mode_t = 0o644) throws -> String {
        try write(name, Data(text.utf8), mode: mode)
    }

    public func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(path)/\(name)") }

    public func remove() {
        chmod(state, 0o700)
        // A leftover in /tmp does no harm.
        try? FileManager.default.removeItem(atPath: path)
    }
}
