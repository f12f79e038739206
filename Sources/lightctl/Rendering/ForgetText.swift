import ControlProtocol

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
