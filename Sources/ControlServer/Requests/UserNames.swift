import Dispatch
import Executors
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The names of the machine's users, by number. They may come from a directory on the network (nsswitch.conf(5)), which
/// may be slow or gone: they are looked up on a thread of their own, and a request waits for one only briefly. After that
/// its sender is named by number alone, until the name is known.
final class UserNames: Sendable {
    /// How long a request waits for a name.
    static let patience = Duration.milliseconds(500)
    /// How long a name is used until it is looked up again.
    static let lifetime = Duration.seconds(300)
    /// The names that are remembered.
    static let maximum = 256

    private struct Entry {
        let name: Promise<String?>
        let end: ContinuousClock.Instant
    }

    private let now: @Sendable () -> ContinuousClock.Instant
    private let look: @Sendable (UInt32) -> String?
    private let sleep: @Sendable (Duration) async throws -> Void
    private let entries = Mutex<[UInt32: Entry]>([:])
    private let lookups = DispatchQueue(label: "user names")

    /// - Parameters:
    ///   - now: of a clock that nobody sets.
    ///   - look: finds the name of a user, and may take long.
    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        look: @escaping @Sendable (UInt32) -> String? = systemName,
        sleep: @escaping @Sendable (Duration) async throws -> Void = QueueTimer.sleep(for:)
    ) {
        (self.now, self.look, self.sleep) = (now, look, sleep)
    }

    /// `nil` if the user has none, or if it is not known in time.
    func name(of uid: UInt32) async -> String? {
        let name = promise(for: uid)
        if name.isFulfilled { return known(name) }
        await withTaskGroup { [sleep] group in
            group.addTask { _ = try? await name.value }  // cancelled: the request is gone
            group.addTask { try? await sleep(Self.patience) }
            await group.next()
            group.cancelAll()
        }
        // Nobody else waits for it either.
        name.fulfil(.success(nil))
        return known(name)
    }

    /// Names are never refused, only unknown.
    private func known(_ name: Promise<String?>) -> String? {
        guard case let .success(found) = name.result else { return nil }
        return found
    }

    private func promise(for uid: UInt32) -> Promise<String?> {
        let now = now()
        let (name, isNew) = entries.withLock { entries in
            if let entry = entries[uid], now < entry.end { return (entry.name, false) }
            if entries.count >= Self.maximum { entries = [:] }
            let entry = Entry(name: Promise(), end: now.advanced(by: Self.lifetime))
            entries[uid] = entry
            return (entry.name, true)
        }
        if isNew { lookUp(uid, now.advanced(by: Self.lifetime), name) }
        return name
    }

    private func lookUp(_ uid: UInt32, _ end: ContinuousClock.Instant, _ name: Promise<String?>) {
        lookups.async { [self] in
            let found = look(uid)
            name.fulfil(.success(found))
            guard known(name) != found else { return }
            // Nobody waits for it any more; from now on it is known.
            let late = Promise<String?>()
            late.fulfil(.success(found))
            entries.withLock { $0[uid] = Entry(name: late, end: end) }
        }
    }

    static func systemName(of uid: UInt32) -> String? {
        var (user, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
        var buffer = [CChar](repeating: 0, count: 4096)
        var code = getpwuid_r(uid, &user, &buffer, buffer.count, &found)
        while code == ERANGE, buffer.count < 1 << 20 {
            buffer = [CChar](repeating: 0, count: 4 * buffer.count)
            code = getpwuid_r(uid, &user, &buffer, buffer.count, &found)
        }
        guard code == 0, found != nil, let name = user.pw_name else { return nil }
        return String(cString: name)
    }
}
