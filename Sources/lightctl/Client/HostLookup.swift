import ControlProtocol
import Glibc

/// Finds the addresses of a host by its name, as this machine is configured to do (nsswitch.conf(5)): by /etc/hosts,
/// DNS, mDNS.
///
/// getent(1) does it, as a child: getaddrinfo() loads libraries, which a static program cannot do, and it waits for as
/// long as it likes.
enum HostLookup {
    /// - Parameter command: which is given the name as its last argument.
    /// - Returns: numeric addresses in the order to try them, at least one.
    static func addresses(
        of name: String, by command: [String] = ["getent", "ahosts"], until deadline: ContinuousClock.Instant
    ) throws(HostDiagnosis) -> [String] {
        let child: ChildProcess
        do throws(SystemError) {
            child = try ChildProcess(command + [name])
        } catch {
            throw .cannotLookUp("\(command[0]): \(error)")
        }
        shutdown(child.stdio, Int32(SHUT_WR))
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        reading: while true {
            let count = recv(child.stdio, &buffer, buffer.count, 0)
            switch count {
            case 1...: text += buffer[..<count]
            case 0: break reading
            default:
                guard errno == EAGAIN || errno == EINTR else { break reading }
                guard .now < deadline else {
                    child.end(within: .zero)
                    throw .lookUpTimedOut
                }
                Poll.wait(forInputOf: child.stdio, atMost: deadline - .now)
            }
        }
        let status = child.end(within: max(deadline - .now, .zero))
        let found = Self.addresses(in: String(decoding: text, as: UTF8.self))
        guard found.isEmpty else { return found }
        // 2: the name is not known.
        throw status == 0 || status == 2 ? .unknownName : .cannotLookUp("\(command[0]) ended with status \(status)")
    }

    /// The addresses in what getent prints, each once: "192.168.1.3   STREAM lights.lan", and the same for DGRAM and RAW.
    static func addresses(in text: String) -> [String] {
        var all: [String] = []
        for line in text.split(separator: "\n") {
            guard let address = line.split(whereSeparator: \.isWhitespace).first.map(String.init),
                IPEndpoint(address, 0) != nil, !all.contains(address)
            else { continue }
            all.append(address)
        }
        return all
    }
}

/// An IP address and a port.
struct IPEndpoint: Equatable, Sendable {
    /// Without brackets: "192.168.1.3", "fe80::1%eth0".
    let address: String
    let port: UInt16

    /// - Returns: `nil` if the text is a name.
    init?(_ address: String, _ port: UInt16) {
        (self.address, self.port) = (address, port)
        guard Self.v4(address) != nil || Self.v6(address) != nil else { return nil }
    }

    var isIPv6: Bool { Self.v6(address) != nil }

    /// 127.0.0.0/8 and ::1.
    var isLoopback: Bool {
        if let v4 = Self.v4(address) { return UInt32(bigEndian: v4.sin_addr.s_addr) >> 24 == 127 }
        guard var v6 = Self.v6(address) else { return false }
        return withUnsafeBytes(of: &v6.sin6_addr) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
    }

    /// Begins to connect, and waits for nothing: the socket can be written to as soon as it is connected.
    ///
    /// - Returns: a descriptor that does not block.
    func connect() throws(SystemError) -> Int32 {
        let descriptor: Int32
        if var address = Self.v4(address) {
            address.sin_port = port.bigEndian
            descriptor = try StreamSocket.connect(AF_INET, &address)
        } else if var address = Self.v6(address) {
            address.sin6_port = port.bigEndian
            descriptor = try StreamSocket.connect(AF_INET6, &address)
        } else {
            throw SystemError(number: EAFNOSUPPORT)
        }
        Self.setOptions(of: descriptor)
        return descriptor
    }

    /// A machine that lost its power does not say so: a stream that is silent for 20 s is checked every 5 s, and ends
    /// after three checks without an answer. Without an option everything still works, only later, so none can fail.
    private static func setOptions(of descriptor: Int32) {
        let options = [
            // The last part of a long body must not wait until the part before it is acknowledged.
            (IPPROTO_TCP, TCP_NODELAY, 1), (Int(SOL_SOCKET), SO_KEEPALIVE, 1),
            (IPPROTO_TCP, TCP_KEEPIDLE, 20), (IPPROTO_TCP, TCP_KEEPINTVL, 5), (IPPROTO_TCP, TCP_KEEPCNT, 3),
        ]
        for (level, name, value) in options {
            var value = Int32(value)
            setsockopt(descriptor, Int32(level), name, &value, socklen_t(MemoryLayout<Int32>.size))
        }
    }

    private static func v4(_ text: String) -> sockaddr_in? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        return inet_pton(AF_INET, text, &address.sin_addr) == 1 ? address : nil
    }

    private static func v6(_ text: String) -> sockaddr_in6? {
        let halves = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        guard inet_pton(AF_INET6, String(halves[0]), &address.sin6_addr) == 1 else { return nil }
        // An interface that does not exist has no index; connecting then says that the address is no use.
        if halves.count == 2 { address.sin6_scope_id = UInt32(halves[1]) ?? if_nametoindex(String(halves[1])) }
        return address
    }
}

/// Why a host cannot be reached.
enum HostDiagnosis: Error, Equatable, Sendable {
    /// No host has this name.
    case unknownName
    case lookUpTimedOut
    /// The name could not be looked up at all, for this reason.
    case cannotLookUp(String)
    /// None of its addresses, in the order in which they were tried.
    case unreachable([Attempt])

    struct Attempt: Equatable, Sendable {
        let address: String
        /// `nil` if nothing answered in time.
        let error: SystemError?

        /// Whether the machine is there, but nothing listens at this port.
        fileprivate var isRefused: Bool { error == SystemError(number: ECONNREFUSED) }
        /// Whether the address holds on one link only, and does not say on which.
        fileprivate var lacksInterface: Bool { error == SystemError(number: EINVAL) }
        fileprivate var reason: String { error?.description ?? "no answer in time" }
    }

    /// In a few words.
    func reason(_ url: DaemonURL) -> String {
        switch self {
        case .unknownName: return "no host has the name '\(url.host)'"
        case .lookUpTimedOut: return "nobody said in time which address '\(url.host)' has"
        case let .cannotLookUp(reason): return "the name '\(url.host)' cannot be looked up: \(reason)"
        case let .unreachable(attempts):
            // Addresses that fail alike stand together. An address that was typed is not repeated.
            var reasons: [String] = []
            for attempt in attempts where !reasons.contains(attempt.reason) { reasons.append(attempt.reason) }
            return reasons.map { reason in
                let addresses = attempts.filter { $0.reason == reason }.map(\.address)
                return addresses == [url.host] ? reason : "\(addresses.joined(separator: ", ")): \(reason)"
            }.joined(separator: "; ")
        }
    }

    func reply(_ url: DaemonURL) -> ErrorReply {
        ErrorReply(.daemonUnreachable, "cannot reach lightd at \(url) (\(reason(url)))", hint: hint(url))
    }

    private func hint(_ url: DaemonURL) -> String {
        switch self {
        case .unknownName, .lookUpTimedOut:
            return "check the name ('getent ahosts \(url.host)'), or write the machine's address in its place"
        case .cannotLookUp: return "write the machine's address in place of its name"
        case let .unreachable(attempts) where attempts.contains(where: \.isRefused):
            return "on that machine, 'systemctl status lightd' says whether lightd runs, and lightd.yaml where it "
                + "listens: tcp: {enabled: true, host: 0.0.0.0, port: \(url.port)}"
        case let .unreachable(attempts) where attempts.contains(where: \.lacksInterface):
            return "a link-local address needs the interface that leads to it, by its name in 'ip link': "
                + "http://[\(url.host.prefix { $0 != "%" })%eth0]"
        case .unreachable:
            return "check that the machine is on and in this network, and that no firewall keeps port \(url.port) shut"
        }
    }
}
