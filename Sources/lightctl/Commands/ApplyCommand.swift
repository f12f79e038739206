import ArgumentParser
import CommandGrammar
import ControlProtocol
import FoundationEssentials

struct SnapshotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot",
        abstract: "Print what lights show, for 'restore'.",
        discussion: """
            Prints JSON: "version" (1), "taken" (ISO 8601 in UTC) and "lights", each with id, name, power, brightness, \
            mode, and hue and saturation or temperature, in the units of 'lightctl list --json'. Lights of all bridges \
            can be in one snapshot. Of a light out of reach it has what was last known. If it lacks the lights of a \
            bridge that lightd has not reached since it started, the exit code is 7; if it has reached none, it \
            is that of the reason, such as 3.

            Examples:
              lightctl snapshot > before.json
              lightctl snapshot @living desk > evening.json
            """
    )

    @Argument(help: "Light names, @rooms, all, or ids (default: all).") var targets: [String] = []
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        let documents = try (targets.isEmpty ? ["all"] : targets).map {
            try session.document(Routes.lights, [(.target, $0)])
        }
        let lights = try documents.flatMap { try session.client.decoded([LightBody].self, $0.json) }
        let states = lights.unique(by: \.id).map(Command.LightState.init(of:))
        let snapshot = SnapshotBody(taken: WallClock.local().now.iso, lights: states)
        // Whatever --quiet says: an empty file would be a trap.
        try session.afterwards({ try Console.write(Console.json(snapshot, pretty: true) + "\n", to: 1) }) {
            try session.requireLights(of: documents.flatMap(\.unreadBridges), in: "snapshot")
        }
    }
}

struct ApplyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Make lights show what a list says.",
        discussion: """
            Takes what 'lightctl list --json' or 'lightctl snapshot' printed, as it is or changed. Each light is found \
            by its "id", which may also be a name; "power", "brightness", "hue", "saturation" and "temperature" are \
            set, and "mode" says whether the colour or the white tone is meant. What is left out stays as it is. Only \
            what a light does not show yet is sent. A light that is off and stays so is sent no values.

            A field that no listed light has, such as "brightnes", is refused; so are a light that is listed twice, a \
            "color" that contradicts the values beside it, whose swatch it is in a list, and a file with nothing in it, \
            which is what a command that failed leaves in a pipe. Nothing is sent then. A list without lights has nothing \
            to do.

            Exit code 64 if the list cannot be read or is refused, 4 if none of the lights exists, 7 if some do not or some bridges refused.

            Examples:
              lightctl list --json | jq 'map(.power="on")' | lightctl apply -
              lightctl apply evening.json --over 2s --dry-run
            """
    )

    @OptionGroup var arguments: ApplyArguments
    @OptionGroup var options: GlobalOptions

    func run() throws { try Session(options).apply(arguments, try arguments.file.data()) }
}

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Bring back a backup of lightd, or what a snapshot of lights says.",
        discussion: """
            lightctl sees by its content whether the file is a backup or a snapshot.

            A backup (of 'lightctl backup') replaces what lightd keeps: bridges, scenes, the dashboard, automations, \
            timers, bindings, curves and what lights follow. The whole file is checked first; then lightd begins anew with \
            it, which takes about a second, and lightctl waits for that. A bridge whose key is not in the backup keeps the \
            one that lightd has; if lightd has none, the bridge must be paired again, and is named. Tokens are replaced \
            only by a backup with keys. The lights are not touched. What was replaced is kept in lightd's state \
            directory, as the backup lightd.sqlite.before-restore without keys, until the next restore. Only root, and the \
            user that lightd runs as, may restore one. With --dry-run, which others may, too, says what would be \
            restored and replaced.

            A snapshot (of 'lightctl snapshot') is applied to the lights, the same as by 'lightctl apply', and as strictly. \
            Lights that show their state already are not sent anything; 'lightctl undo' takes it back.

            Exit code 6 if a backup is damaged, of a newer lightd, or of something else; nothing is changed then. 64 if \
            the file cannot be read. 3 if lightd is not back in time. A snapshot: as for 'lightctl help apply'.

            Examples:
              lightctl restore lightd.backup --dry-run
              sudo lightctl restore lightd.backup
              lightctl restore before.json --over 3s
              lightctl restore - --wait < before.json
            """
    )

    @OptionGroup var arguments: ApplyArguments
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        let data = try arguments.file.data()
        guard Session.isBackup(data) else {
            let name = arguments.file.name
            guard let first = data.firstVisible else {
                throw ErrorReply(.wrongFile, "\(name) is empty; it must be a backup or a snapshot of lights")
            }
            // What is not even JSON was hardly meant as lights.
            guard "[{".utf8.contains(first) else {
                throw ErrorReply(
                    .wrongFile, "\(name) is neither a backup nor a snapshot of lights",
                    hint: "a backup begins with '\(Routes.backupMark)'; if this was one, it is damaged")
            }
            return try session.apply(arguments, data)
        }
        let delivery = arguments.commandOptions.delivery
        guard delivery.over == nil, !delivery.wait else {
            throw ErrorReply(
                .invalid, "\(arguments.file.name) is a backup: --over and --wait are for lights",
                hint: "leave them out; lightctl waits for lightd in any case")
        }
        try session.restore(backup: data, dryRun: delivery.dryRun)
    }
}

/// The arguments of `apply` and `restore`.
struct ApplyArguments: ParsableArguments {
    @Argument(help: "A file, or - for standard input.") var file: InputFile
    @OptionGroup var commandOptions: CommandOptions
}

extension Session {
    fileprivate func apply(_ arguments: ApplyArguments, _ data: Data) throws {
        let states = try Self.states(in: data, of: arguments.file)
        let delivery = arguments.commandOptions.delivery
        let request = CommandRequest(
            .apply(lights: states, over: delivery.over?.milliseconds), wait: delivery.wait, dryRun: delivery.dryRun)
        // lightd would refuse it as well, but after the whole of it was sent.
        try request.validate()
        let reply = try client.send([request], within: timeout(for: delivery))[0].get()
        let failing = DryRunText.error(reply.failing ?? [])
        do {
            if console.json {
                try console.printJSON(reply)
            } else if let requests = reply.requests {
                try show(dryRun: requests)
                for line in ApplyText.withheld(reply) { try console.confirm(line) }
                try console.show(leftOut: reply.leftOut)
            } else {
                for line in ApplyText.lines(reply, of: states.count) { try console.confirm(line) }
                try console.show(leftOut: reply.leftOut)
            }
        } catch is Console.ReaderGone where failing != nil {
            // A closed pipe must not turn a partial failure into a success.
        }
        if let failing { throw failing }
    }

    /// The lights of a list or a snapshot.
    static func states(in data: Data, of file: InputFile) throws(ErrorReply) -> [Command.LightState] {
        let hint = "'lightctl list --json' and 'lightctl snapshot' print one"
        guard data.firstVisible != nil else {
            throw ErrorReply(.invalid, "\(file.name) is empty; it must be a list of lights", hint: hint)
        }
        let lights: [Command.LightState]
        do {
            lights = try JSONDecoder().decode(ListOrSnapshot.self, from: data).lights
        } catch let newer as ListOrSnapshot.Newer {
            throw ErrorReply(
                .invalid, "\(file.name) is a snapshot of version \(newer.version), which this lightctl does not know",
                hint: "this is lightctl \(Release.version); a newer one wrote it")
        } catch {
            throw ErrorReply(.invalid, "\(file.name) is not a list of lights: \(reason(error, in: data))", hint: hint)
        }
        if let name = repeatedName(in: data) {
            throw ErrorReply(
                .invalid, "\(file.name) has the field '\(printable(String(name.prefix(100))))' twice in one object",
                hint: "leave one of the two out")
        }
        return lights
    }

    private struct ListOrSnapshot: Decodable {
        let lights: [Command.LightState]

        struct Newer: Error {
            let version: Int
        }

        init(from decoder: any Decoder) throws {
            // Whatever is not a snapshot must be a list.
            guard (try? decoder.container(keyedBy: Version.CodingKeys.self)) != nil else {
                lights = try [Command.LightState](from: decoder)
                return
            }
            // Before the lights, whose form it says.
            let version = try Version(from: decoder).version
            guard version <= SnapshotBody.newestVersion else { throw Newer(version: version) }
            lights = try SnapshotBody(from: decoder).lights
        }

        private struct Version: Decodable {
            let version: Int
            enum CodingKeys: CodingKey { case version }
        }
    }
}

/// What is printed after `apply` and `restore`.
enum ApplyText {
    /// - Parameter count: how many lights were listed.
    static func lines(_ reply: CommandReply, of count: Int) -> [String] {
        let (changed, withheld) = (reply.lights?.count ?? 0, withheld(reply))
        let line =
            if changed > 0 {
                "changed \(counted(changed, "light")) of \(count)"
            } else if count == 0 {
                "nothing to change: no lights are listed"
            } else if withheld.isEmpty {
                "nothing to change: every light is as listed"
            } else {
                "nothing to change"
            }
        return [line] + withheld
    }

    /// "the values of Desk, Fan were not sent, because they are off": a line, or none.
    static func withheld(_ reply: CommandReply) -> [String] {
        guard let lights = reply.withheld, !lights.isEmpty else { return [] }
        let names = lights.map { printable($0.name) }
        let most = 6
        let list = names.prefix(most).joined(separator: ", ")
        let more = names.count > most ? " and \(names.count - most) more" : ""
        let verb = reply.requests == nil ? "were not sent" : "would not be sent"
        return ["the values of \(list)\(more) \(verb): a light that is off takes none"]
    }
}
