public import Foundation

/// A file of `Tests/Support/stored`: what an earlier lightd has written or answered. It stays as it is; what is to differ
/// on purpose is written anew and looked at.
///
/// LIGHTD_TEST_WRITE_STORED=1 writes those that are missing.
public struct StoredFile: Sendable {
    /// The repository, where the tests were built.
    public static let repository = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..")
        .standardizedFileURL

    private let url: URL

    public init(_ name: String) { url = Self.repository.appendingPathComponent("Tests/Support/stored/\(name)") }

    /// - Throws: if there is no such file.
    public func lines(orWrite make: () throws -> [String]) throws -> [String] {
        let writes = ProcessInfo.processInfo.environment["LIGHTD_TEST_WRITE_STORED"] == "1"
        if writes, !FileManager.default.fileExists(atPath: url.path) {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(make().map { "\($0)\n" }.joined().utf8).write(to: url)
        }
        return String(decoding: try Data(contentsOf: url), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The first line in which others differ from the file, and the file's; `nil` if they are equal.
    public func difference(to lines: [String]) throws -> String? {
        let stored = try self.lines { lines }
        guard stored != lines else { return nil }
        let index = zip(stored, lines).prefix { $0 == $1 }.count
        func line(_ lines: [String]) -> String { index < lines.count ? lines[index] : "(the end)" }
        return "\(url.lastPathComponent):\(index + 1): \(line(stored)) is now \(line(lines))"
    }
}
