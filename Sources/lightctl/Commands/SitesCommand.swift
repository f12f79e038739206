import ArgumentParser
import CommandGrammar
import ControlProtocol

/// A command that is not done at each of several sites: it knows what `--site` means, or talks with one home alone.
protocol BrokerCommand: ParsableCommand {}

struct SitesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sites",
        abstract: "Many homes on one broker: list them, and compare their automations with a file.",
        discussion: """
            Each lightd that shows its home on an MQTT broker ('mqtt' in lightd.yaml) is a site there. With --site, any \
            verb is done at another site, or at several, each by its own lightd and with as much as its 'mqtt.allow' and \
            the broker's access list let it; only what lasts (watch, log --follow) and what is for lightd's own machine \
            (tokens, backups) is not to be had. Several sites are asked at the same time, at most 32 at once, and the \
            results come under their names: in a pipe as a column before each line, with --json as an object for each. The exit code is 7 \
            if some have failed, and theirs if all have in the same way.

            The broker is named by --broker or LIGHTCTL_BROKER, its password by LIGHTCTL_BROKER_PASSWORD or the file \
            LIGHTCTL_BROKER_PASSWORD_FILE. If its certificate is not signed by an authority that this machine trusts, \
            LIGHTCTL_BROKER_CA is a file with the one that did; LIGHTCTL_BROKER_CERTIFICATE and LIGHTCTL_BROKER_KEY are \
            what this client shows of itself. lightd must be installed here, but need not run.

            Examples:
              lightctl sites
              lightctl --site hotel-3 list
              lightctl --site 'hotel-*' turn off all
              lightctl --site tag=lobby recall Evening
              lightctl sites diff home.yaml --site 'hotel-*'
              lightctl --site 'hotel-*' automation apply home.yaml
            """,
        subcommands: [ListSitesCommand.self, DiffSitesCommand.self], defaultSubcommand: ListSitesCommand.self)
}

private struct ListSitesCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the sites on the broker.",
        discussion: """
            In a pipe: site, online|offline, version, lights, bridges, tags, when its lightd started. Exit code 0 also if \
            some are offline.

            Example:
              lightctl sites --site 'hotel-*'
            """)

    @OptionGroup var options: GlobalOptions

    func run() throws { try SiteList(options).run() }
}

private struct DiffSitesCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Print what would change at each site if its automations became those of a file.",
        discussion: """
            As 'lightctl automation apply FILE --dry-run' prints it there. 'lightctl --site SITE automation apply FILE' makes \
            the change.

            Example:
              lightctl sites diff home.yaml --site 'hotel-*'
            """)

    @Argument(help: "A file, or - for standard input.") var file: InputFile
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let pattern = try SitePattern(options.site ?? "*")
        try SiteRun(pattern, ["automation", "apply", file.path, "--dry-run"], options).run()
    }
}
