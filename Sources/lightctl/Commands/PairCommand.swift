import ArgumentParser
import CommandGrammar
import ControlProtocol

struct PairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair",
        abstract: "Pair with a bridge by pressing its link button.",
        discussion: """
            Without a name, pairs with the only unpaired bridge found; if there are several, name one. \
            Pair again after a bridge was reset or its certificate changed.
            --timeout sets how long to wait for the button, in seconds (default: 60, at most 600).

            Examples:
              lightctl pair
              lightctl pair 001788fffe123456
            """
    )

    @Argument(help: "A bridge's id, or the name of a paired bridge.") var bridge: String?
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard options.timeout?.duration ?? .zero <= .seconds(600) else {
            throw ValidationError("pair waits at most 10 minutes for the button: --timeout 600")
        }
    }

    func run() throws {
        let session = try Session(options)
        let wait = session.timeout ?? .seconds(60)
        let choice = try choice(session)
        if let remark = choice.remark { session.console.note(remark) }
        let reply = try Countdown(
            console: session.console, wait: wait, text: { PairingText.request(choice.description, seconds: $0) }
        ).run {
            try session.client.send(
                .pair(bridge: choice.name, seconds: wait / .seconds(1)), within: wait + .seconds(10), meanwhile: $0)
        }
        if session.console.json {
            if let paired = reply.bridge {
                try session.console.printJSON(paired)
            } else {
                try session.console.printJSON(reply)
            }
        } else {
            try session.console.print(PairingText.result(reply.bridge, choice))
        }
    }

    /// The bridge whose button is to be pressed: nobody shall be sent to one that does not exist.
    private func choice(_ session: Session) throws -> PairingText.Choice {
        if let bridge {
            if PairingText.isID(bridge) { return PairingText.Choice(named: bridge) }
            let paired: [BridgeBody] = try session.get(Routes.bridges)
            // Several of one name are told apart by lightd.
            if paired.contains(where: { $0.name.lowercased() == bridge.lowercased() }) {
                return PairingText.Choice(named: bridge)
            }
        }
        var searching = session
        searching.timeout = Session.defaultTimeout
        return try PairingText.choose(bridge, from: try DiscoverCommand.search(searching))
    }
}

/// The choice of the bridge to pair with, and the lines that `lightctl pair` prints about it.
enum PairingText {
    struct Choice: Equatable, Sendable {
        /// The name or id sent to lightd.
        let name: String
        /// For messages: "Hue Bridge (001788fffe123456, 192.0.2.10:443)".
        let description: String
        /// What to say before the wait, if it is not what was expected.
        var remark: String?

        init(named name: String) {
            self.name = name
            description = "bridge '\(printable(name))'"
        }

        init(_ found: DiscoveryBody, id: String) {
            name = id
            let place = [id, found.address].compactMap { $0 }.joined(separator: ", ")
            description = "\(printable(found.name)) (\(printable(place)))"
        }
    }

    /// Whether it is a bridge's id rather than a name.
    static func isID(_ text: String) -> Bool { text.utf8.count == 16 && text.allSatisfy(\.isHexDigit) }

    /// The only unpaired bridge; if all are paired, the only bridge.
    ///
    /// - Parameter name: of the bridge, if it is called by one; case is ignored.
    static func choose(_ name: String? = nil, from found: [DiscoveryBody]) throws(ErrorReply) -> Choice {
        let all = found.compactMap { body in body.id.map { (id: $0, body: body) } }
        guard !all.isEmpty else { throw DiscoverCommand.nothingFound(explained: false) }
        let bridges = all.filter { name == nil || $0.body.name.lowercased() == name?.lowercased() }
        guard !bridges.isEmpty else {
            throw ErrorReply(
                .noSuchTarget, "no bridge is called '\(name ?? "")'",
                hint: "found: " + all.map { "\($0.body.name) (\($0.id))" }.joined(separator: ", "))
        }
        let new = bridges.filter { !$0.body.paired }
        let candidates = new.isEmpty ? bridges : new
        guard let only = candidates.first, candidates.count == 1 else {
            let each = candidates.map { Choice($0.body, id: $0.id).description }.joined(separator: ", ")
            throw ErrorReply(
                .whichBridge,
                new.isEmpty
                    ? "\(whole(bridges.count, "bridge")) found are already paired: \(each)"
                    : "\(new.count) bridges can be paired: \(each)",
                hint: "name one, for example: \(ShellQuote.line("lightctl pair", operand: candidates[0].id))",
                candidates: candidates.map { $0.id }
            )
        }
        var choice = Choice(only.body, id: only.id)
        if new.isEmpty, name == nil {
            choice.remark =
                "\(choice.description) is paired already, and no other bridge was found: press its button only to pair "
                + "with it again; 'lightctl discover --explain' shows where lightd searched"
        }
        return choice
    }

    static func request(_ bridge: String, seconds: Int) -> String {
        // Seconds first, because a narrow terminal cuts the end.
        "\(seconds) s left: press the round link button on \(bridge)"
    }

    static func result(_ bridge: BridgeBody?, _ choice: Choice) -> String {
        guard let bridge else { return "paired with \(choice.description)" }
        return "paired with \(printable(bridge.name)) (\(printable(bridge.id)), \(printable(bridge.address))): "
            + (bridge.connected ? counted(bridge.lights, "light") : bridge.reason.map(printable) ?? "connecting")
    }
}
