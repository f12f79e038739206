import Glibc
import Synchronization

/// Loopback addresses, each handed out once. A simulated bridge that has an address to itself finds its port free when
/// it restarts, however many other tests open sockets meanwhile.
public enum Loopback {
    private static let count = Mutex(0)

    public static func next() -> String {
        let number = count.withLock { count in
            count += 1
            return count
        }
        // Everything in 127.0.0.0/8 is this machine. The process id keeps processes apart that share a network.
        return "127.\(1 + Int(getpid()) % 250).\(number / 250 % 250).\(1 + number % 250)"
    }
}
