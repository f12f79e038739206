import Khipu
public import Lighting
import Synchronization

/// Backups in memory: a file of bytes that are its summary's version.
public final class MemoryBackups: Sendable {
    private let files = Mutex<[[UInt8]]>([])
    private let examining = Mutex<(@Sendable () -> Void)?>(nil)

    public init() {}

    /// The files that were to be restored, in order.
    public var restored: [[UInt8]] { files.withLock { $0 } }

    /// Called on the thread that examines a file.
    public func whileExamining(_ call: @escaping @Sendable () -> Void) { examining.withLock { $0 = call } }

    public static func summary(version: String = "1.2.3", hasKeys: Bool = false) -> BackupSummary {
        let counts = BackupSummary.Counts(
            bridges: ["Attic"], scenes: 2, automations: 3, timers: 4, pins: 5, bindings: 6, curves: 7, followings: 8,
            tokens: hasKeys ? 9 : nil)
        return BackupSummary(
            created: Timestamp(milliseconds: 0), version: version, hasKeys: hasKeys, contents: counts, replaced: counts,
            withoutKey: ["Attic"], unpaired: ["Cellar"])
    }

    public var backups: StateBackups {
        StateBackups(
            make: { withKeys, version, _ in Array("lightd-backup \(version) \(withKeys)\n".utf8) },
            examine: { file throws(BackupError) in
                self.examining.withLock(\.self)?()
                return try Self.examine(file)
            },
            restore: { file throws(BackupError) in
                let summary = try Self.examine(file)
                self.files.withLock { $0.append(file) }
                return summary
            })
    }

    private static func examine(_ file: [UInt8]) throws(BackupError) -> BackupSummary {
        switch String(decoding: file, as: UTF8.self) {
        case "newer": throw .newer(version: "9.9")
        case "full": throw .database("the disk is full")
        case let text where text.hasPrefix("lightd-backup "): return summary(hasKeys: text.contains("true"))
        default: throw .wrongFile("it is not a backup of lightd's, or its beginning is damaged")
        }
    }
}
