import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Why the control API cannot listen, for the person who started the daemon.
public struct ControlServerError: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension ControlServerError {
    /// - Parameter error: why it is impossible to listen on `tcp`.
    init(listeningOn tcp: ControlServerSettings.TCP, _ error: any Error) {
        let place = "\(tcp.host), port \(tcp.port)"
        switch error {
        case let error as SocketAddressError.UnknownHost:
            self.init(
                "cannot listen on '\(tcp.host)': \(error.errorDescription); set 'tcp.host' to an address of this machine"
            )
        case let error as IOError where error.errnoCode == EADDRINUSE:
            self.init("cannot listen on \(place): another program uses it; free it, or choose another 'tcp.port'")
        case let error as IOError:
            self.init(
                "cannot listen on \(place): \(String(cString: strerror(error.errnoCode))); "
                    + "set 'tcp.host' and 'tcp.port' to what lightd may use")
        default:
            self.init("cannot listen on \(place): \(error)")
        }
    }
}
