import Glibc

/// A stream socket that does not block.
enum StreamSocket {
    /// Begins to connect to an address of the kernel's, such as `sockaddr_in`, and waits for nothing.
    ///
    /// - Returns: the descriptor, which can be written to as soon as it is connected.
    static func connect<Address>(_ family: Int32, _ address: inout Address) throws(SystemError) -> Int32 {
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, flags, 0)
        guard descriptor >= 0 else { throw SystemError(number: errno) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
        let number = errno
        guard code != 0, number != EINPROGRESS else { return descriptor }
        close(descriptor)
        throw SystemError(number: number)
    }
}

/// An error of the kernel, by its `errno`.
struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    let number: Int32

    /// "connection refused"
    var description: String { String(cString: strerror(number)).lowercased() }
}
