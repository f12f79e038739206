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
        let runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.isEmpty ? nil : $0 }
        let own = runtime.map { ($0.hasSuffix("/") ? $0 : $0 + "/") + "lightd/lightd.sock" }
        tried = [own, Self.system].compactMap { $0 }
        chosen = own.flatMap { exists($0) ? $0 : nil } ?? Self.system
    }
}
