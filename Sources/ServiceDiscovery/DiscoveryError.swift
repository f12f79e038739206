/// Why looking for services, or offering one, does not work, and what helps.
public enum DiscoveryError: Error, Equatable, Sendable {
    /// avahi-daemon, or the D-Bus that leads to it, does not answer. Avahi's dns_sd says -65537 for either.
    case daemonMissing

    /// Another machine has the name and avahi found no other for us.
    case nameTaken(String)

    /// A name, type, host or port that cannot be; `String` says which. Trying again cannot help.
    case badRequest(String)

    /// A TXT entry, `key=value`, over 255 bytes, or a key that is empty or holds `=` or anything but printable ASCII.
    case badText(key: String)

    /// There is no interface of that name.
    case noSuchInterface(String)

    /// The registration was stopped, or the task that waited was cancelled.
    case stopped

    /// Any other code: dns_sd's (-65537 and below) or the system's (`errno`, above 0).
    case code(Int32, doing: String)
}

extension DiscoveryError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .daemonMissing: "avahi-daemon is not running; start it with 'systemctl start avahi-daemon'"
        case let .nameTaken(name): "the name '\(name)' is taken by another machine; choose another"
        case let .badRequest(what): "\(what) is impossible: the name, type, host or port is malformed"
        case let .badText(key):
            "TXT entry '\(key)': the key must be printable ASCII without '=', and key and value at most 254 bytes"
        case let .noSuchInterface(name): "there is no network interface '\(name)'; 'ip link' lists those there are"
        case .stopped: "the service is no longer offered"
        case let .code(code, doing): "\(doing) failed with code \(code)"
        }
    }
}
