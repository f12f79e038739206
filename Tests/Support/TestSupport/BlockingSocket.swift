import Glibc

/// A call of the kernel that failed.
public struct SystemCallError: Error, CustomStringConvertible {
    public let call: String
    /// The `errno`.
    public let code: CInt

    /// With the `errno` that the call has just set.
    public init(_ call: String) { (self.call, code) = (call, errno) }

    public var description: String { "\(call): \(String(cString: strerror(code)))" }
}

/// Stream sockets that wait, as descriptors. The caller closes them.
public enum BlockingSocket {
    public enum Address: Sendable {
        /// An IPv4 address, and a port; 0: the kernel chooses one.
        case ip(host: String = "127.0.0.1", port: Int = 0)
        /// A path.
        case unix(String)
    }

    /// - Throws: ``SystemCallError``.
    public static func bound(to address: Address) throws -> CInt {
        try make(at: address, "bind") { Glibc.bind($0, $1, $2) }
    }

    /// - Throws: ``SystemCallError``.
    public static func listening(at address: Address, backlog: CInt = 64) throws -> CInt {
        try make(at: address, "listen") { descriptor, name, size in
            guard Glibc.bind(descriptor, name, size) == 0 else { return -1 }
            return Glibc.listen(descriptor, backlog)
        }
    }

    /// - Throws: ``SystemCallError``.
    public static func connected(to address: Address) throws -> CInt {
        try make(at: address, "connect") { Glibc.connect($0, $1, $2) }
    }

    /// The socket's own port; 0 if it is not one of IPv4.
    public static func port(of descriptor: CInt) -> Int { port { getsockname(descriptor, $0, $1) } }

    /// The port at the other end of a connection; 0 if it is not one of IPv4.
    public static func peerPort(of descriptor: CInt) -> Int { port { getpeername(descriptor, $0, $1) } }

    private static func port(
        _ name: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt
    ) -> Int {
        var (address, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { name($0, &size) }
        }
        return code == 0 && address.sin_family == sa_family_t(AF_INET) ? Int(UInt16(bigEndian: address.sin_port)) : 0
    }

    private static func make(
        at address: Address, _ call: String, _ use: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt
    ) throws -> CInt {
        switch address {
        case let .ip(host, port):
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = in_port_t(port).bigEndian
            inet_pton(AF_INET, host, &name.sin_addr)
            return try make(AF_INET, &name, call, use)
        case let .unix(path):
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
            return try make(AF_UNIX, &name, call, use)
        }
    }

    private static func make<Name>(
        _ family: CInt, _ name: inout Name, _ call: String, _ use: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt
    ) throws -> CInt {
        // A program that a test starts must not keep them open.
        let descriptor = socket(family, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemCallError("socket") }
        let code = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                use(descriptor, $0, socklen_t(MemoryLayout<Name>.size))
            }
        }
        guard code == 0 else {
            let error = SystemCallError(call)
            close(descriptor)
            throw error
        }
        return descriptor
    }
}
