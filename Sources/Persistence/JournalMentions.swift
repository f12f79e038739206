import FoundationEssentials
import Lighting

/// Finds in the text of a message, without decoding it, whether it may have one of the ids of a subject.
struct JournalMentions {
    /// The ids as JSON writes them, each up to the first escape in its resource.
    private let ids: Set<String>

    init(_ subject: Journal.Subject) throws {
        let all =
            subject.lights.map(\.description) + subject.rooms.map(\.description) + subject.scenes.map(\.description)
            + subject.sensors.map(\.description)
        let encoder = JSONEncoder()
        ids = Set(
            try all.compactMap { id in
                try encoder.encode(id).withUnsafeBytes { bytes in
                    bytes.withMemoryRebound(to: UInt8.self) { bytes in
                        bytes.firstIndex(of: Self.escape).map { Self.id(around: $0, in: bytes) }
                    }
                }
            })
    }

    /// Whether the text has one of the ids; it may also be that it only begins like one, or that a name looks like one.
    func mayBe(in text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var rest = bytes[...]
            while let slash = rest.firstIndex(of: Self.escape) {
                if ids.contains(Self.id(around: slash, in: bytes)) { return true }
                rest = bytes[min(slash + 2, bytes.endIndex)...]
            }
            return false
        }
    }

    private static let escape = UInt8(ascii: "\\")

    /// The text from the quote before this escape to the quote or escape after it: JSON writes the slash between a bridge
    /// and a resource as an escape.
    private static func id(around slash: Int, in bytes: UnsafeBufferPointer<UInt8>) -> String {
        let quote = UInt8(ascii: "\"")
        let start = bytes[..<slash].lastIndex(of: quote).map { $0 + 1 } ?? 0
        let rest = bytes[min(slash + 2, bytes.endIndex)...]
        let end = rest.firstIndex { $0 == quote || $0 == escape } ?? bytes.endIndex
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}
