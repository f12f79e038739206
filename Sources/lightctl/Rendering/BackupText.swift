import ControlProtocol

/// What a backup holds, and what restoring it did, for a person.
enum BackupText {
    static func lines(_ body: BackupBody, dryRun: Bool, _ clock: WallClock) -> [String] {
        let version = printable(body.version)
        let title =
            "the backup of \(clock.full(body.created)) (lightd \(version), \(body.keys ? "with" : "without") keys)"
        var lines = [
            "\(dryRun ? "would restore" : "restored") \(title): \(text(body.contents))",
            "\(dryRun ? "it would replace" : "replaced"): \(text(body.replaced))",
        ]
        if !body.unpaired.isEmpty {
            let names = enumeration(body.unpaired.map { "'\(printable($0))'" }, "and")
            lines.append("not in the backup, and \(dryRun ? "would no longer be" : "no longer") paired: \(names)")
        }
        // Otherwise they are warnings, which also a script sees.
        if dryRun { lines += body.withoutKey.map(mustBePaired) }
        return lines
    }

    static func mustBePaired(_ name: String) -> String {
        "'\(printable(name))' must be paired again, because neither the backup nor lightd has its key: press its button, "
            + "then run 'lightctl pair'"
    }

    /// "2 bridges (Attic, Cellar), 14 scenes".
    static func text(_ counts: BackupBody.Counts) -> String {
        let names = counts.bridges.map { printable($0) }.joined(separator: ", ")
        var parts = [counted(counts.bridges.count, "bridge") + (names.isEmpty ? "" : " (\(names))")]
        let others: [(Int?, String)] = [
            (counts.scenes, "scene"), (counts.automations, "automation"), (counts.timers, "timer"),
            (counts.pins, "pin"), (counts.bindings, "binding"), (counts.curves, "curve"),
            (counts.followings, "following"), (counts.tokens, "token"),
        ]
        for case let (count?, word) in others where count > 0 { parts.append(counted(count, word)) }
        return parts.joined(separator: ", ")
    }
}
