import Foundation
import Synchronization
import TestSupport

/// The wall clock of a program, which may be set while it runs (`Tests/Support/clock`); the machine's stays as it is.
final class DaemonClock: Sendable {
    /// What the program has in its environment.
    let environment: [String: String]
    private let path: String
    private let aheadBy = Mutex(Duration.zero)
    /// By how much it was ahead when the machine forgot the time.
    private let forgotten = Mutex(Duration.zero)

    /// Compiles it, with the C compiler that Swift brings.
    init(at path: String) async throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let source = tests.appending(path: "Support/clock/clock.c").path(percentEncoded: false)
        let library = "\(path)/clock.so"
        self.path = "\(path)/clock"
        let made = try await Program.run(
            .at("/usr/bin/env"),
            ["clang", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-o", library, source],
            environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"])
        guard made.status == 0 else { throw TestError("the clock cannot be compiled: \(made)") }
        environment = ["LD_PRELOAD": library, "LIGHTD_TEST_CLOCK": self.path]
        try write(.zero)
    }

    /// What it shows.
    var now: Date { Date(timeIntervalSinceNow: aheadBy.withLock(\.self) / .seconds(1)) }

    func set(to time: Date) throws {
        let ahead = Duration.seconds(time.timeIntervalSinceNow)
        aheadBy.withLock { $0 = ahead }
        try write(ahead)
    }

    /// It begins at 1970, as that of a machine without a battery does.
    func forget() throws {
        forgotten.withLock { $0 = aheadBy.withLock(\.self) }
        try set(to: Date(timeIntervalSince1970: 100))
    }

    /// A time server tells it what it would be by now.
    func remember() throws {
        let ahead = forgotten.withLock(\.self)
        aheadBy.withLock { $0 = ahead }
        try write(ahead)
    }

    /// In place: the program has the file's page in its memory.
    private func write(_ ahead: Duration) throws {
        let (seconds, attoseconds) = ahead.components
        let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        let bytes = withUnsafeBytes(of: nanoseconds.littleEndian) { Data($0) }
        guard FileManager.default.fileExists(atPath: path) else { return try bytes.write(to: URL(filePath: path)) }
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.write(contentsOf: bytes)
        try file.close()
    }
}
