import FoundationEssentials
import Glibc
import Synchronization

/// What the system says of this process: proc(5).
struct ProcessUsage: Equatable, Sendable {
    /// In bytes.
    let memory: Double
    /// In seconds, of all processors.
    let cpu: Double
    let descriptors: Int
    /// In seconds since 1970.
    let started: Double

    /// - Returns: `nil` if `/proc` cannot be read, as where it is not mounted.
    static func now() -> Self? {
        guard let content = FileManager.default.contents(atPath: "/proc/self/stat"),
            let descriptors = openDescriptors()
        else { return nil }
        let ticks = Double(sysconf(CInt(_SC_CLK_TCK)))
        return Self(
            String(decoding: content, as: UTF8.self), ticks: ticks, page: Double(sysconf(CInt(_SC_PAGESIZE))),
            booted: booted, descriptors: descriptors)
    }

    /// - Parameters:
    ///   - stat: the content of `/proc/self/stat`.
    ///   - ticks: of its times, in a second.
    ///   - page: in bytes.
    ///   - booted: in seconds since 1970.
    init?(_ stat: String, ticks: Double, page: Double, booted: Double, descriptors: Int) {
        // The second field is the program's name, in which anything may stand.
        guard let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        // The state of the process, the third of proc(5), is the first of these.
        func field(_ number: Int) -> Double? { fields.indices.contains(number - 3) ? Double(fields[number - 3]) : nil }
        guard let user = field(14), let system = field(15), let start = field(22), let pages = field(24) else {
            return nil
        }
        memory = pages * page
        cpu = (user + system) / ticks
        started = booted + start / ticks
        self.descriptors = descriptors
    }

    /// When the machine was started: by two clocks, because `/proc/stat`, which says it, is long on large machines.
    private static var booted: Double {
        func seconds(_ clock: clockid_t) -> Double {
            var time = timespec()
            clock_gettime(clock, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let now = seconds(CLOCK_REALTIME) - seconds(CLOCK_BOOTTIME)
        return lastBooted.withLock { last in
            // The start of the process stays what it is, unless the clock was set.
            if let last, abs(last - now) < 1 { return last }
            last = now
            return now
        }
    }

    private static let lastBooted = Mutex<Double?>(nil)

    private static func openDescriptors() -> Int? {
        guard let directory = opendir("/proc/self/fd") else { return nil }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        // Without ".", "..", and the descriptor by which they are read.
        return count - 3
    }
}
