import ArgumentParser
import ControlProtocol

struct ForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Forget a bridge, its key and its lights.",
        discussion: """
            The bridge itself keeps its lights, rooms and scenes. 'lightctl pair' adds it again, but not what goes with \
            it: the bindings of its switches.

            On a terminal, says what goes and asks before it does anything. --yes answers the question; in a pipe or \
            with --json none is asked. --dry-run only says what would go.

            Examples:
              lightctl forget 001788fffe123456 --dry-run
              lightctl forget "Hue Bridge" --yes
            """
    )

    @Argument(help: "A bridge's id or name.") var bridge: String
    @Flag(help: "Forget it without asking.") var yes = false
    @Flag(help: "Say what would be forgotten, and do nothing.") var dryRun = false
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        let console = session.console
        let asks = console.canAsk && !yes
        // A pipe is told nothing, so nothing needs to be looked up for it.
        let isTold = dryRun || (console.terminal.isTerminal && !console.json)
        let forgotten = isTold ? try look(session) : nil
        if dryRun, let forgotten { return try session.show(forgotten, forgotten.lines.joined(separator: "\n")) }
        if asks, let forgotten {
            try console.print(forgotten.lines.joined(separator: "\n"))
            guard try console.ask("Forget it?") else {
                throw ErrorReply(.cannot, "\(printable(forgotten.bridge.name)) was not forgotten")
            }
        }
        let reply = try session.client.send(
            .forget(bridge: forgotten?.bridge.id ?? bridge), within: session.timeout ?? Session.defaultTimeout)
        if console.json { return try console.printJSON(reply) }
        try console.confirm("\(printable(bridge)): forgotten")
        if let lost = forgotten?.lost { try console.confirm(lost) }
    }

    private func look(_ session: Session) throws -> ForgottenBridge {
        try ForgottenBridge(bridge, among: try session.get(Routes.bridges), try session.get(Routes.bindings))
    }
}

/// What goes when a bridge is forgotten.
struct ForgottenBridge: Encodable, Sendable {
    let bridge: BridgeBody
    /// Those of its switches.
    let bindings: [BindingBody]
    /// Those of other bridges' switches that control lights or rooms of this one: they stay, and do nothing.
    let idleBindings: [BindingBody]

    /// - Parameter name: a bridge's name or id; case is ignored.
    /// - Throws: if no bridge, or more than one, is called that.
    init(_ name: String, among bridges: [BridgeBody], _ bindings: [BindingBody]) throws(ErrorReply) {
        let called = bridges.filter { [$0.id.lowercased(), $0.name.lowercased()].contains(name.lowercased()) }
        guard let bridge = called.first else {
            throw ErrorReply(
                .noSuchTarget, "no bridge is called '\(name)'", hint: "run 'lightctl list bridges' for all names",
                candidates: closest(to: name, in: bridges.map(\.name)).map { [$0] })
        }
        guard called.count == 1 else {
            throw ErrorReply(
                .ambiguousTarget, "'\(name)' is the name of \(called.count) bridges", candidates: called.map(\.id))
        }
        func isOfBridge(_ id: String) -> Bool { id.hasPrefix(bridge.id + "/") }
        self.bridge = bridge
        self.bindings = bindings.filter { isOfBridge($0.id) }
        idleBindings = bindings.filter { binding in
            let target = binding.target.hasPrefix("@") ? String(binding.target.dropFirst()) : binding.target
            return !isOfBridge(binding.id) && isOfBridge(target)
        }
    }

    /// What a person should know before it is done.
    var lines: [String] {
        var lines = [
            "\(printable(bridge.name)) (\(printable(bridge.id))) would be forgotten, with its key and "
                + counted(bridge.lights, "light")
        ]
        if !bindings.isEmpty { lines.append("with it would go \(Self.list(bindings))") }
        if !idleBindings.isEmpty { lines.append("nothing would be left to control for \(Self.list(idleBindings))") }
        return lines
    }

    /// What went with it.
    var lost: String? { bindings.isEmpty ? nil : "gone with it: \(Self.list(bindings))" }

    /// "the bindings of Dial Living (@Living) and Dimmer (all)"
    private static func list(_ bindings: [BindingBody]) -> String {
        let each = bindings.map { "\(printable($0.name)) (\(printable($0.targetName)))" }
        return "the binding\(bindings.count == 1 ? "" : "s") of \(enumeration(each, "and"))"
    }
}
