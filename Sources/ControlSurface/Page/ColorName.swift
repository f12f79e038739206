/// What people call a colour. Words are for telling lamps apart across a room, so there are few of them: a finer one
/// ("vermilion") would be read as if it were exact.
enum ColorName {
    /// Degrees up to which a word holds. The borders lie where most people change the word for light, not for paint:
    /// the green of a lamp reaches far into yellow, and brown and grey do not exist.
    private static let hues: [(below: Double, name: String)] = [
        (15, "red"), (46, "orange"), (72, "yellow"), (155, "green"), (190, "cyan"), (255, "blue"), (290, "violet"),
        (345, "pink"), (.infinity, "red"),
    ]

    /// - Parameters:
    ///   - hue: degrees, 0…360.
    ///   - saturation: per cent.
    static func of(hue: Double, saturation: Double) -> String {
        let name = hues.first { hue < $0.below }?.name ?? "red"
        switch saturation {
        case ..<8: return "white"
        // A lamp's paler oranges and blues are the warm and cool whites of shops.
        case ..<45 where ["orange", "yellow"].contains(name): return "warm white"
        case ..<25 where name == "blue": return "cool white"
        case ..<45: return name == "red" || name == "pink" ? "pale pink" : "pale \(name)"
        default: return name
        }
    }

    /// "2250 K": to 50 K, which is finer than people see and coarser than two lamps of one scene differ.
    static func of(mirek: Int) -> String {
        "\(Int((1_000_000 / Double(max(mirek, 1)) / 50).rounded()) * 50) K"
    }
}
