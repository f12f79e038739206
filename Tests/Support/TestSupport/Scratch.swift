public import Foundation

/// A directory of one test's own, with a short path (a unix socket's has 107 bytes at most), gone when the test ends.
public func withScratch<Value>(_ body: (Scratch) async throws -> Value) async throws -> Value {
    let scratch = try Scratch()
    defer { scratch.remove() }
    return try await body(scratch)
}

public struct Scratch: Sendable {
    public let path: String

    public init() throws {
        var template = Array("/tmp/lightd-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Trouble("mkdtemp: \(String(cString: strerror(errno)))") }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    public var socket: String { path + "/s" }
    public var state: String { path + "/state" }

    /// Writes a file and says where it lies.
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
        // What is left over is /tmp's to forget.
        try? FileManager.default.removeItem(atPath: path)
    }
}

public struct Trouble: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

/// Waits for a condition; looks often, and gives up at a deadline that only a defect reaches.
public func until(
    _ what: String, within limit: Duration = .seconds(20), _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < end else { throw Trouble("waited \(limit) in vain until \(what)") }
        try await Task.sleep(for: .milliseconds(5))
    }
}

/// Runs what blocks on a thread of its own: the pool's threads are those on which the daemon runs.
public func off<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: work)) }
    }
}

/// The repository's own files, found from this one.
public enum Repository {
    public static func file(_ path: String) -> String {
        URL(filePath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .appending(path: path).path(percentEncoded: false)
    }

    public static func text(_ path: String) throws -> String {
        try String(contentsOf: URL(filePath: file(path)), encoding: .utf8)
    }
}
