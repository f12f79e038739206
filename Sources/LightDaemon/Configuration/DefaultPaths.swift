/// The default paths: those of a system service if run by root or systemd, otherwise the user's.
public struct DefaultPaths: Equatable, Sendable {
    public let configuration: String
    public let socket: String
    public let state: String

    /// Reads the service's directories as systemd passes them (systemd.exec(5)), or the user's XDG base directories.
    ///
    /// Without `XDG_RUNTIME_DIR` the socket is in the state directory: another user could take a name in /tmp first.
    public init(environment: [String: String], isRoot: Bool) {
        if isRoot || environment["STATE_DIRECTORY"] != nil {
            // Several directories are separated by colons; the first is the main one.
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
