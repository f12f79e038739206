import ArgumentParser
import ControlProtocol
import FoundationEssentials

struct ApplyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Make lights show what a list says.",
        discussion: """
            Takes what 'lightctl list --json' or 'lightctl snapshot' printed, as it is or changed. Each light is found \
            by its "id", which may also be a name; "power", "brightness", "hue", "saturation" and "temperature" are \
            set, and "mode" says whether the colour or the white tone is meant. What is left out stays as it is. Only \
            what a light does not show yet is sent. A light that is to be off is sent no values.

            Exit code 4 if none of the lights exists, 7 if some do not or some bridges refused.

            Examples:
              lightctl list --json | jq 'map(.power = "on")' | lightctl apply - --over 2s
              lightctl apply evening.json --dry-run
            """
    )

    @OptionGroup var arguments: ApplyArguments
    @OptionGroup var options: GlobalOptions

    func run() throws { try Session(options).apply(arguments) }
}

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make lights show what a snapshot says.",
        discussion: """
            The same as 'lightctl apply'. Lights that show their state already are not sent anything; 'lightctl undo' \
            takes it back.

            Examples:
              lightctl restore before.json --over 3s
              lightctl restore - --wait < before.json
            """
    )

    @OptionGroup var arguments: ApplyArguments
    @OptionGroup var options: GlobalOptions

    func run() throws { try Session(options).apply(arguments) }
}

/// The arguments of `apply` and `restore`.
struct ApplyArguments: ParsableArguments {
    @Argument(help: "A file, or - for standard input.") var file: InputFile
    @OptionGroup var commandOptions: CommandOptions
}

extension Session {
    fileprivate func apply(_ arguments: ApplyArguments) throws {
        let states = try Self.states(in: arguments.file)
        let options = arguments.commandOptions
        let request = CommandRequest(
            .apply(lights: states, over: options.over?.milliseconds), wait: options.wait, dryRun: options.dryRun)
        let reply = try client.send([request], within: timeout(for: options))[0].get()
        let failing = DryRunText.error(reply.failing ?? [])
        do {
            if console.json {
                try console.printJSON(reply)
            } else if let requests = reply.requests {
                try show(dryRun: requests)
            } else {
                let changed = reply.lights?.count ?? 0
                try console.confirm(
                    changed == 0
                        ? "nothing to change: every light is as listed"
                        : "changed \(counted(changed, "light")) of \(states.count)")
            }
        } catch is Console.ReaderGone where failing != nil {
            // A closed pipe must not turn a partial failure into a success.
        }
        if let failing { throw failing }
    }

    /// The lights of a list or a snapshot.
    static func states(in file: InputFile) throws(ErrorReply) -> [Command.LightState] {
        let data = try file.data()
        do {
            guard let version = try? JSONDecoder().decode(VersionOnly.self, from: data).version else {
                return try JSONDecoder().decode([Command.LightState].self, from: data)
            }
            guard version <= SnapshotBody.newestVersion else {
                throw ErrorReply(
                    .invalid, "\(file.name) is a snapshot of version \(version), which this lightctl does not know",
                    hint: "this is lightctl \(Release.version); a newer one wrote it")
            }
            return try JSONDecoder().decode(SnapshotBody.self, from: data).lights
        } catch let error as ErrorReply {
            throw error
        } catch {
            let isJSON = (try? JSONDecoder().decode(AnyJSON.self, from: data)) != nil
            throw ErrorReply(
                .invalid, "\(file.name) is not a list of lights: \(isJSON ? reason(error) : "it is not JSON")",
                hint: "'lightctl list --json' and 'lightctl snapshot' print one")
        }
    }

    private struct VersionOnly: Decodable {
        let version: Int
    }

    /// Is read from any JSON.
    private struct AnyJSON: Decodable {
        init(from decoder: any Decoder) {}
    }
}
