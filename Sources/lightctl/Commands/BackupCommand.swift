import ArgumentParser
import CommandGrammar
import ControlProtocol
import FoundationEssentials
import Glibc

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Save what lightd keeps to a file.",
        discussion: """
            The file has the paired bridges, their scenes as lightd knows them, the dashboard, automations and timers, \
            bindings of switches, curves and what lights follow, all as of one moment, while lightd runs. It has neither \
            the journal nor what is under way: runs of automations, a presence replay, what can be undone. \
            'lightctl restore FILE' brings it back, also into a newer lightd.

            Without --with-keys the file has no secrets: restored where the bridges are paired it is complete; elsewhere \
            they have to be paired again, and tokens made again. With --with-keys whoever has the file can control the \
            lights; only root, and the user that lightd runs as, may make one.

            The file replaces an older one as a whole, and only its owner can read it (mode 0600). lightd checks it first as \
            it would to restore it. A lightd that is not paired with any bridge, as after its database was lost, \
            replaces no file.

            Exit code 1 if the file cannot be written, or would be replaced by one without a bridge; 6 if lightd could \
            not restore it.

            Examples:
              lightctl backup lightd.backup
              sudo lightctl backup --with-keys - | gpg -e > lightd.backup.gpg
            """
    )

    @Argument(help: "The file to write, or - for standard output.", completion: .file()) var file: OutputFile
    @Flag(help: "Put in the keys of the bridges and the access tokens.") var withKeys = false
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        if file.isStandardOutput, session.terminal.isTerminal {
            throw ErrorReply(.invalid, "a backup is not for a terminal", hint: "name a file, or redirect the output")
        }
        let limit = session.timeout ?? Session.defaultTimeout
        let data = try session.client.backup(withKeys: withKeys, within: limit)
        if file.isStandardOutput {
            do {
                // With --quiet too: it is what was asked for.
                try Console.write(String(decoding: data, as: UTF8.self), to: STDOUT_FILENO)
            } catch is Console.ReaderGone {
                // Unlike a list, half of a backup is of no use.
                throw ErrorReply(.internalError, "cannot write the backup: its reader has gone")
            }
        } else {
            let contents = try session.client.restore(backup: data, dryRun: true, within: limit).contents
            // A lost database is an empty home, and the file may be the only one that brings it back.
            guard !contents.bridges.isEmpty || !file.hasContent else {
                throw ErrorReply(
                    .cannot, "'\(printable(file.path))' is not replaced: the new backup would have no bridges",
                    hint: "if lightd has lost them, 'lightctl restore' brings them back from a backup; otherwise name "
                        + "another file, or remove this one")
            }
            try file.replace(by: data)
            try session.console.confirm(
                "\(printable(file.path)): saved \(BackupText.text(contents)), "
                    + (withKeys ? "with keys: keep it private" : "without keys (--with-keys puts them in)"))
        }
    }
}

extension Session {
    /// Whether a file is a backup, and not a list of lights.
    static func isBackup(_ data: Data) -> Bool { data.starts(with: Routes.backupMark.utf8) }

    /// Restores a backup, waits until lightd is back, and prints what was restored.
    func restore(backup: Data, dryRun: Bool) throws {
        let limit = timeout ?? Self.defaultTimeout
        // To tell apart the lightd that ends and the one that begins.
        let before: StatusBody = try get(Routes.status)
        let body = try client.restore(backup: backup, dryRun: dryRun, within: limit)
        if !dryRun {
            let status = try statusOfNext(after: before.started, within: limit)
            // It says so only as long as it runs.
            guard let restored = status.restored else {
                throw ErrorReply(
                    .internalError,
                    "lightd has started once more meanwhile, and does not say whether the backup was restored",
                    hint: "its log says it")
            }
            if let reason = restored.error {
                throw ErrorReply(
                    .internalError, "the backup was not restored: \(printable(reason))",
                    hint: "lightd goes on as before; its log says more")
            }
        }
        if console.json { return try console.printJSON(body) }
        for line in BackupText.lines(body, dryRun: dryRun, .local()) {
            // What was done is confirmed, what would be done was asked for.
            if dryRun { try console.print(line) } else { try console.confirm(line) }
        }
        if !dryRun { for name in body.withoutKey { console.note(BackupText.mustBePaired(name)) } }
    }

    private func statusOfNext(after started: String, within limit: Duration) throws -> StatusBody {
        let deadline = ContinuousClock.now + limit
        while true {
            do {
                let status = try client.get(StatusBody.self, Routes.status, within: .seconds(1))
                if status.started != started { return status }
            } catch let error as ErrorReply {
                // It is between its end and its beginning.
                guard [.daemonUnreachable, .daemonStopping].contains(error.error.code) else { throw error }
            }
            guard .now < deadline else {
                throw ErrorReply(
                    .daemonUnreachable,
                    "lightd has taken the backup and is not back yet; it is restored when lightd starts",
                    hint: client.endpoint.statusHint)
            }
            usleep(20_000)
        }
    }
}

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
