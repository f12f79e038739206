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
