/// Why browsing for services or registering one failed, and what to do about it.
public enum DiscoveryError: Error, Equatable, Sendable {
    /// avahi-daemon or D-Bus does not answer. Avahi's dns_sd returns -65537 for both.
    case daemonMissing

    /// Another machine has the name, and avahi found no alternative.
    case nameTaken(String)

    /// The given name, type, host or port is malformed. Retrying cannot help.
    case badRequest(String)

    /// A TXT entry `key=value` is longer than 255 bytes, or its key is empty or not printable ASCII without `=`.
    case badText(key: String)

    /// No network interface has that name.
    case noSuchInterface(String)

    /// The registration was stopped, or the waiting task was cancelled.
    case stopped

    /// Any other error code: dns_sd's (-65537 and below) or the system's (`errno`, above 0).
    case code(Int32, doing: String)
}

extension DiscoveryError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .daemonMissing: [problem, remedy].compactMap(\.self).joined(separator: "; ")
        case let .nameTaken(name): "another machine already uses the name '\(name)'; choose another"
        case let .badRequest(what): "\(what) failed: the name, type, host or port is malformed"
        case let .badText(key):
            "TXT entry '\(key)': the key must be printable ASCII without '=', and key and value at most 254 bytes"
        case let .noSuchInterface(name): "no network interface '\(name)'; 'ip link' lists them"
        case .stopped: "the service is no longer offered"
        case let .code(code, doing): "\(doing) failed with code \(code)"
        }
    }
}

extension DiscoveryError {
    /// What happened, without the remedy if there is one.
    public var problem: String { self == .daemonMissing ? "avahi-daemon is not running" : description }

    /// What to do about it, if ``description`` says that after what happened.
    public var remedy: String? {
        self == .daemonMissing ? "start it with 'systemctl start avahi-daemon'" : nil
    }
}
