/// The most that ever came within one second, as a value. Times are handed in, none before the last.
struct RateMeter: Equatable, Sendable {
    private(set) var highest = 0
    private(set) var total = 0
    private var times: [Duration] = []
    /// Where the last second begins in ``times``.
    private var start = 0

    mutating func count(at now: Duration) {
        while start < times.count, times[start] <= now - .seconds(1) { start += 1 }
        // What is over is thrown away in one go, so that counting stays cheap.
        if start > 1024, start * 2 > times.count {
            times.removeFirst(start)
            start = 0
        }
        times.append(now)
        total += 1
        highest = max(highest, times.count - start)
    }
}
