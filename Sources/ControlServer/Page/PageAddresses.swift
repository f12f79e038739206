import ControlProtocol
import Glibc

/// The addresses at which phones find the page, for links.
enum PageAddresses {
    /// - Parameters:
    ///   - port: the one that lightd listens on.
    ///   - source: of the request for a link, if it came over TCP: where its page was found, another will be.
    ///   - machine: the addresses of this machine.
    /// - Returns: the best one first, such as "http://192.168.1.7:8377"; at least one.
    static func all(
        _ tcp: ControlServerSettings.TCP, port: Int, askedBy source: RequestSource?, machine: () -> [String]
    ) -> [String] {
        let scheme = tcp.certificate == nil ? "http" : "https"
        var all =
            source.map { source in
                [source.authority].compactMap(\.self).filter { !ControlServerSettings.TCP.isLoopback(authority: $0) }
                    .map { "\(source.scheme ?? tcp.scheme(of: $0) ?? scheme)://\($0)" }
            } ?? []
        let suffix = port == (tcp.certificate == nil ? 80 : 443) ? "" : ":\(port)"
        func address(of host: String) -> String { "\(scheme)://" + ControlServerSettings.TCP.bracketed(host) + suffix }
        if !tcp.names.isEmpty {
            // Only a proxy reaches a lightd that listens on loopback: these names are the proxy's, which is there for
            // TLS.
            let isBehindProxy = tcp.isLoopback || !tcp.proxies.isEmpty
            all += tcp.names.map { name in
                if name.contains("://") { return name.hasSuffix("/") ? String(name.dropLast()) : name }
                return isBehindProxy ? "https://" + ControlServerSettings.TCP.bracketed(name) : address(of: name)
            }
        } else if tcp.isWildcard {
            all += machine().map(address)
        } else {
            all.append(address(of: tcp.host))
        }
        all = all.unique { $0.lowercased() }
        return all.isEmpty ? [address(of: "localhost")] : all
    }

    /// What to do if the first of the addresses is of no use to a phone.
    static func hint(_ tcp: ControlServerSettings.TCP, _ addresses: [String]) -> String? {
        guard let first = addresses.first, let authority = first.split(separator: "/").last,
            ControlServerSettings.TCP.isLoopback(authority: String(authority))
        else { return nil }
        return tcp.proxies.isEmpty
            ? "only this machine can open it; for phones, set 'tcp: {enabled: true, host: 0.0.0.0}' in lightd.yaml"
            : "only this machine can open it; write the proxy's address in lightd.yaml: "
                + "'tcp: {names: [https://lights.example.org]}'"
    }

    static let tcpIsOff = ErrorReply(
        .cannot, "there is no page to open: lightd does not listen on TCP",
        hint: "set 'tcp: {enabled: true}' in lightd.yaml, for phones 'tcp: {enabled: true, host: 0.0.0.0}', "
            + "and run 'systemctl reload lightd'")

    /// - Parameter failure: `nil` if TCP is just being opened or closed.
    static func tcpFails(_ failure: TCPFailure?) -> ErrorReply {
        ErrorReply(
            .cannot, "there is no page to open: lightd \(failure?.problem ?? "does not listen on TCP at this moment")",
            hint: failure.map { "\($0.remedy), and run 'systemctl reload lightd'" } ?? "try again")
    }

    /// The addresses of this machine that others can reach, IPv4 first; none if the system does not say.
    static func machine() -> [String] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var (short, long): ([String], [String]) = ([], [])
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let address = entry.ifa_addr, Int(entry.ifa_flags) & Int(IFF_UP) != 0,
                Int(entry.ifa_flags) & Int(IFF_LOOPBACK) == 0
            else { continue }
            switch Int32(address.pointee.sa_family) {
            case AF_INET: if let text = text(of: address, MemoryLayout<sockaddr_in>.size) { short.append(text) }
            // An address of the link only would need the name of the phone's own interface.
            case AF_INET6:
                if let text = text(of: address, MemoryLayout<sockaddr_in6>.size), !text.hasPrefix("fe80:") {
                    long.append(text)
                }
            default: continue
            }
        }
        return short + long
    }

    private static func text(of address: UnsafeMutablePointer<sockaddr>, _ size: Int) -> String? {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard getnameinfo(address, socklen_t(size), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
            return nil
        }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
