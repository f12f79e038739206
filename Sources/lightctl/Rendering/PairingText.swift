import ControlProtocol

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
