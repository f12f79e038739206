import Foundation

struct NotInTime: Error, CustomStringConvertible {
    let description: String
}

/// Waits until something is so, looking every few milliseconds; a healthy machine never needs the limit.
func until(
    _ what: String, within limit: Duration = .seconds(30), _ seen: @autoclosure () -> String = "",
    _ isSo: () async throws -> Bool
) async throws {
    let clock = ContinuousClock()
    let end = clock.now + limit
    while clock.now < end {
        if try await isSo() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    throw NotInTime(description: "not in time: \(what) \(seen())")
}

/// A directory of a test's own, short enough for a unix socket in it.
struct Place: Sendable, ~Copyable {
    let path: String

    init() throws {
        path = "/tmp/lightd-e2e-\(UInt32.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }  // a test's leftovers, at worst
}
