/// Who sent a command, as ``CauseBody/by`` and the log name it.
public enum SenderText {
    /// What it begins with, in place of all that lightd knows: "anna" of "anna (uid 1000) with lightctl", "uid 1000" of
    /// "uid 1000 with curl", "a page" of "a page with token 'phone' over TCP", and with its quotation marks what a client
    /// over TCP calls itself.
    public static func brief(_ sender: String) -> Substring {
        let quote = sender.utf8.firstIndex(of: UInt8(ascii: "\""))
        if let quote, quote == sender.startIndex {
            let end = sender.utf8.dropFirst().firstIndex(of: UInt8(ascii: "\""))
            return sender[..<(end.map { sender.utf8.index(after: $0) } ?? sender.endIndex)]
        }
        // What comes first is lightd's own; in quotation marks a client may say the same.
        let known = sender[..<(quote ?? sender.endIndex)]
        if sender.hasPrefix("uid "), let end = known.utf8.dropFirst(4).firstIndex(of: UInt8(ascii: " ")) {
            return known[..<end]
        }
        let ends = [" (uid ", " with token ", " over TCP"].compactMap { known.firstRange(of: $0)?.lowerBound }
        return ends.min().map { known[..<$0] } ?? sender[...]
    }
}
