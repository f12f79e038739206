import ControlProtocol
import FoundationEssentials

/// The sites on a broker, as `lightctl sites` prints them.
struct SiteList {
    private let session: Session
    private let pattern: SitePattern

    init(_ options: GlobalOptions) throws {
        pattern = try SitePattern(options.site ?? "*")
        let environment = ProcessInfo.processInfo.environment
        let relay = try RelayProcess(
            broker: options.broker, insecure: options.insecure,
            within: options.patience, environment: environment)
        session = Session(options, at: .site("", relay), environment: environment)
    }

    func run() throws {
        try session.show(SiteRelayProtocol.sites, [], pattern.matches) { (sites: [SiteBody]) in
            Self.table(sites, on: session.terminal, WallClock.local())
        }
    }

    static func table(_ sites: [SiteBody], on terminal: Terminal, _ clock: WallClock) -> String {
        guard terminal.isTerminal else {
            return Table.plain(
                sites.map { site in
                    [
                        site.site, site.online ? "online" : "offline", site.info?.version,
                        site.info.map { "\($0.lights)" }, site.info.map { "\($0.bridges.count)" },
                        site.info?.tags.joined(separator: ","), site.info?.started,
                    ]
                })
        }
        let rows = sites.map { site in
            [
                StyledText(site.site, .strong),
                StyledText(site.online ? "online" : "offline", site.online ? .good : .alarm),
                StyledText(printable(site.info?.version ?? "")), StyledText(site.info.map { "\($0.lights)" } ?? ""),
                StyledText(site.info.map { "\($0.bridges.count)" } ?? ""),
                StyledText(printable(site.info?.tags.joined(separator: ", ") ?? "")),
                StyledText(site.info.map { clock.when($0.started) } ?? ""),
            ]
        }
        return Table(
            headings: ["SITE", "STATE", "VERSION", "LIGHTS", "BRIDGES", "TAGS", "STARTED"], rows: rows,
            elastic: [5, 0], optional: [6, 2]
        ).rendered(for: terminal)
    }
}
