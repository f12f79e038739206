import ArgumentParser
import ControlProtocol

struct OpenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Make a link that opens the page, and signs one phone or browser in.",
        discussion: """
            On a terminal it is printed with a QR code: point a phone's camera at it. It can be used once, within ten \
            minutes. The phone then has a token of its own, which 'lightctl token list' shows and 'lightctl token \
            revoke NAME' ends.

            lightd must listen on TCP; for phones, on an address that they reach ('tcp' in lightd.yaml).

            In a pipe, prints only the link.

            Examples:
              lightctl open
              lightctl open --role control --for 3d   # for a guest
              lightctl open --role look               # for a panel that only shows
              xdg-open "$(lightctl open)"             # in a browser here
            """
    )

    @OptionGroup var role: RoleOptions
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        let link = try session.client.create(
            LinkRequest(access: role.access, ends: role.end(.local())),
            within: session.timeout ?? Session.defaultTimeout)
        let terminal = session.terminal
        if !options.json, let code = QRText.lines(link.qr, on: terminal) { try session.console.print(code + "\n") }
        // With --quiet too: nothing can show it again.
        try Console.write(
            (options.json ? Console.json(link, pretty: terminal.isTerminal) : link.url) + "\n", to: 1)
        guard !options.json, terminal.isTerminal else { return }
        for url in link.also ?? [] { session.console.note("or \(printable(url))") }
        session.console.note(
            "opens the page once, until \(WallClock.local().when(link.expires)); it \(link.access.words)"
                + (link.ends.map { ", until \(WallClock.local().when($0))" } ?? ""))
        if let hint = link.hint { session.console.note(printable(hint)) }
    }
}
