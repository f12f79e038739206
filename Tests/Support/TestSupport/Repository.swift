import Foundation

/// Files of the repository, found relative to this one.
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
