import ControlServer
import Glibc

/// Sockets that systemd passes to a service, by `sd_listen_fds(3)`: so many descriptors from 3 on, with their names.
extension ControlSocket {
    /// The socket of the control API, if systemd has made it (`lightd.socket`).
    ///
    /// - Parameter path: where it has to listen.
    /// - Returns: `nil` if nothing is passed to this process.
    /// - Throws: if it is another socket, or not the only one.
    static func passed(
        by environment: [String: String], at path: String
    ) throws(ConfigurationError) -> ControlSocket? {
        // What was meant for another process is not ours, such as for the shell that started us.
        guard environment[pidVariable] == "\(getpid())", let text = environment[countVariable], text != "0" else {
            return nil
        }
        guard text == "1" else {
            let names = environment[namesVariable].map { " ('\($0)')" } ?? ""
            throw ConfigurationError(
                countVariable,
                "lightd takes one socket, that of the control API, but systemd passes '\(text)'\(names); "
                    + "correct ListenStream= and the like in lightd.socket")
        }
        do throws(ControlServerError) {
            return try ControlSocket(inherited: firstDescriptor, at: path)
        } catch {
            throw ConfigurationError(
                environment[namesVariable] ?? countVariable,
                "lightd cannot use the socket that systemd passes: \(error.description); "
                    + "correct ListenStream= with 'systemctl edit lightd.socket', then 'systemctl restart lightd.socket'"
            )
        }
    }

    /// SD_LISTEN_FDS_START
    private static let firstDescriptor: Int32 = 3
    fileprivate static let (pidVariable, countVariable, namesVariable) = ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES")
}

extension [String: String] {
    /// For child processes, which get no sockets.
    var withoutPassedSockets: Self {
        let own = [ControlSocket.pidVariable, ControlSocket.countVariable, ControlSocket.namesVariable]
        return filter { !own.contains($0.key) }
    }
}
