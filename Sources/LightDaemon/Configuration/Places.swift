/// Where things lie when nobody says otherwise: as a service (root), or run by a user.
public struct Places: Equatable, Sendable {
    public let configuration: String
    public let socket: String
    public let state: String

    /// systemd names a service's directories in the environment (systemd.exec(5)); a user's come from the XDG base directories.
    ///
    /// A user without `XDG_RUNTIME_DIR` has the socket beside the state: a name under /tmp is anybody's to take first.
    public init(environment: [String: String], isRoot: Bool) {
        if isRoot || environment["STATE_DIRECTORY"] != nil {
            // Several directories stand between colons; the first is the service's main one.
            func given(_ name: String) -> String? {
                environment[name]?.split(separator: ":").first.map(String.init)
            }
            configuration = (given("CONFIGURATION_DIRECTORY") ?? "/etc/lightd") + "/lightd.yaml"
            socket = (given("RUNTIME_DIRECTORY") ?? "/run/lightd") + "/lightd.sock"
            state = given("STATE_DIRECTORY") ?? "/var/lib/lightd"
        } else {
            // "All paths must be absolute. If an implementation encounters a relative path it should consider the path
            // invalid and ignore it": XDG Base Directory Specification 0.8.
            func absolute(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
            let home = absolute("HOME") ?? ""
            configuration = (absolute("XDG_CONFIG_HOME") ?? "\(home)/.config") + "/lightd/lightd.yaml"
            state = (absolute("XDG_STATE_HOME") ?? "\(home)/.local/state") + "/lightd"
            socket = absolute("XDG_RUNTIME_DIR").map { "\($0)/lightd/lightd.sock" } ?? "\(state)/lightd.sock"
        }
    }
}
