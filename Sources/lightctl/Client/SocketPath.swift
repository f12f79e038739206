/// The socket to connect to: the one named by the user, else the socket of the user's own lightd if it exists, else the
/// system's.
struct SocketPath: Equatable, Sendable {
    let chosen: String
    /// All candidates, for the error message.
    let tried: [String]

    static let variable = "LIGHTCTL_SOCKET"
    static let system = "/run/lightd/lightd.sock"

    /// The one at a path.
    init(at path: String) { (chosen, tried) = (path, [path]) }

    init(option: String?, environment: [String: String], exists: (String) -> Bool) {
        if let named = option ?? environment[Self.variable].flatMap({ $0.isEmpty ? nil : $0 }) {
            (chosen, tried) = (named, [named])
            return
        }
        // A user's lightd listens in the runtime directory, or beside its state if there is none.
        func absolute(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let state = absolute("XDG_STATE_HOME") ?? absolute("HOME").map { "\($0)/.local/state" }
        let own = [absolute("XDG_RUNTIME_DIR"), state].compactMap {
            $0.map { ($0.hasSuffix("/") ? $0 : $0 + "/") + "lightd/lightd.sock" }
        }
        tried = own + [Self.system]
        chosen = own.first(where: exists) ?? Self.system
    }
}
