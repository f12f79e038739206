import Glibc

/// The file descriptors that the process may have, and how many of them clients may take. The others are for the
/// bridges, the search for them, and the database.
struct Descriptors: Equatable, Sendable {
    let limit: Int

    /// Raises the soft limit to the hard one: most systems start a process with 1024, for the sake of select(2), which
    /// nothing here uses.
    static func raised() -> Descriptors {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limits = rlimit()
        guard getrlimit(resource, &limits) == 0 else { return Descriptors(limit: 1024) }
        let before = limits.rlim_cur
        limits.rlim_cur = limits.rlim_max
        // Refused only if the system allows fewer than it says; the old limit is true then.
        let current = setrlimit(resource, &limits) == 0 ? limits.rlim_max : before
        return Descriptors(limit: Int(clamping: current))
    }

    /// The most connections of the unix socket, whose clients belong to the home.
    var forSocket: Int { min(2048, max(8, limit / 4)) }

    /// The most streams, so that readers of events leave connections for commands.
    var forStreams: Int { Self.streams(of: forSocket) }

    /// The most connections over TCP, where strangers can connect too.
    var forTCP: Int { min(128, max(4, limit / 8)) }

    var forTCPStreams: Int { Self.streams(of: forTCP) }

    private static func streams(of connections: Int) -> Int { connections / 4 * 3 }
}
