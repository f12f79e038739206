/// The next name to try where one is taken: `Lamp`, `Lamp #2`, `Lamp #3`, as avahi itself counts.
///
/// Avahi's dns_sd renames what another machine has, but refuses what another program on this one has.
func alternative(to name: String) -> String {
    var stem = name[...]
    var number = 2
    if let mark = name.lastIndex(of: "#"), let last = Int(name[name.index(after: mark)...]), last > 1, last < .max,
        name[..<mark].hasSuffix(" ")
    {
        stem = name[..<mark].dropLast()
        number = last + 1
    }
    let suffix = " #\(number)"
    // A label of DNS holds 63 bytes; a letter is never cut in two.
    while stem.utf8.count + suffix.utf8.count > 63 { stem = stem.dropLast() }
    return stem + suffix
}
