import ControlProtocol
import Glibc

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
