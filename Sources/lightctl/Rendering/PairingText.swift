import ControlProtocol

/// Which bridge is meant, and what is said of it.
enum PairingText {
    struct Choice: Equatable, Sendable {
        /// As lightd is asked for it.
        let name: String
        /// As it is spoken of: "Hue Bridge (001788fffe123456, 192.0.2.10:443)".
        let words: String

        init(named name: String) {
            self.name = name
            words = "bridge '\(printable(name))'"
        }

        init(_ found: DiscoveryBody, id: String) {
            name = id
            words =
                "\(printable(found.name)) (\(printable(([id] + [found.address].compactMap { $0 }).joined(separator: ", "))))"
        }
    }

    /// The only bridge that is not paired; where all are paired, the only one there is.
    static func choose(from found: [DiscoveryBody]) throws(ErrorReply) -> Choice {
        let bridges = found.compactMap { body in body.id.map { (id: $0, body: body) } }
        guard !bridges.isEmpty else { throw DiscoverCommand.nothing(explained: false) }
        let new = bridges.filter { !$0.body.paired }
        let candidates = new.isEmpty ? bridges : new
        guard let only = candidates.first, candidates.count == 1 else {
            throw ErrorReply(
                .whichBridge,
                new.isEmpty
                    ? "all \(bridges.count) bridges found are paired already" : "\(new.count) bridges can be paired",
                hint: "name the one you mean: lightctl pair \(candidates[0].id)",
                candidates: candidates.map { $0.id }
            )
        }
        return Choice(only.body, id: only.id)
    }

    static func request(_ bridge: String, seconds: Int) -> String {
        // The seconds first: a narrow terminal cuts the end.
        "\(seconds) s left: press the round link button on \(bridge)"
    }

    static func result(_ bridge: BridgeBody?, _ choice: Choice) -> String {
        guard let bridge else { return "paired with \(choice.words)" }
        return "paired with \(printable(bridge.name)) (\(printable(bridge.id)), \(printable(bridge.address))): "
            + (bridge.connected ? counted(bridge.lights, "light") : bridge.reason.map(printable) ?? "connecting")
    }
}
