extension String {
    /// The longest name that is taken from a bridge, in bytes of UTF-8. A Hue bridge allows 32 characters, and gateways of
    /// others more; but every list, event and journal entry repeats a name.
    static let longestName = 256

    /// The name as it is, or its beginning with "…" if it is longer than that.
    var heldToName: String {
        guard utf8.count > Self.longestName else { return self }
        let end: Character = "…"
        var held = ""
        for character in self {
            guard held.utf8.count + character.utf8.count + end.utf8.count <= Self.longestName else { break }
            held.append(character)
        }
        return held + String(end)
    }
}
