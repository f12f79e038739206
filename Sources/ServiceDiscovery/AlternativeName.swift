/// The next name to try if one is taken: `Lamp`, `Lamp #2`, `Lamp #3`, as avahi itself counts.
///
/// Avahi's dns_sd renames a service if another machine has its name, but fails if another program on this machine has
/// it.
func alternativeName(after name: String) -> String {
    var stem = name[...]
    var number = 2
    if let mark = name.lastIndex(of: "#"), let last = Int(name[name.index(after: mark)...]), last > 1, last < .max,
        name[..<mark].hasSuffix(" ")
    {
        stem = name[..<mark].dropLast()
        number = last + 1
    }
    let suffix = " #\(number)"
    // A DNS label holds 63 bytes. Drops whole characters, never half of one.
    while stem.utf8.count + suffix.utf8.count > 63 { stem = stem.dropLast() }
    return stem + suffix
}
