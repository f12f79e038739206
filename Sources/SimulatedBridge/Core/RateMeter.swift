/// Counts events, and how many came within one second at most. A value; the times are parameters, in order.
struct RateMeter: Equatable, Sendable {
    private(set) var highest = 0
    private(set) var total = 0
    private var times: [Duration] = []
    /// The index in ``times`` at which the last second begins.
    private var start = 0

    mutating func count(at now: Duration) {
        while start < times.count, times[start] <= now - .seconds(1) { start += 1 }
        // Old times are removed many at once, so that counting stays cheap.
        if start > 1024, start * 2 > times.count {
            times.removeFirst(start)
            start = 0
        }
        times.append(now)
        total += 1
        highest = max(highest, times.count - start)
    }
}
