/// Where lightd listens: what was asked for, or the user's own socket where there is one, or the system's.
struct SocketPath: Equatable, Sendable {
    let chosen: String
    /// All places looked at, for the message when nobody is there.
    let tried: [String]

    static let system = "/run/lightd/lightd.sock"

    init(option: String?, environment: [String: String], exists: (String) -> Bool) {
        if let named = option ?? environment["LIGHTCTL_SOCKET"].flatMap({ $0.isEmpty ? nil : $0 }) {
            (chosen, tried) = (named, [named])
            return
        }
        // The places where a user's lightd listens: beside the state where there is no directory for what runs.
        func absolute(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let state = absolute("XDG_STATE_HOME") ?? absolute("HOME").map { "\($0)/.local/state" }
        let own = [absolute("XDG_RUNTIME_DIR"), state].compactMap {
            $0.map { ($0.hasSuffix("/") ? $0 : $0 + "/") + "lightd/lightd.sock" }
        }
        tried = own + [Self.system]
        chosen = own.first(where: exists) ?? Self.system
    }
}
