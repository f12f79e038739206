/// Slows down those who try tokens: after some wrong ones, an address must wait before its next token is looked at,
/// longer each time. Others are not affected. A value without a clock; its times are of one that nobody sets, or an
/// address would wait for as long as the time of day was set back.
///
/// The right token waits too: if it did not, waiting would not slow anybody who guesses.
struct FailedAttempts {
    /// Wrong tokens that cost nothing.
    static let free = 5
    static let longestWait = Duration.seconds(60)
    /// An address without a wrong token for this long starts anew.
    static let memory = Duration.seconds(600)
    /// The addresses that are remembered.
    static let maximum = 1024

    private struct Record {
        var count = 0
        var last: ContinuousClock.Instant
        var next: ContinuousClock.Instant
    }

    private var records: [[UInt8]: Record] = [:]

    var count: Int { records.count }

    /// How long the address has to wait; `nil` if it may try now.
    func wait(of address: ClientAddress, at now: ContinuousClock.Instant) -> Duration? {
        guard let record = records[address.network], now < record.next else { return nil }
        return now.duration(to: record.next)
    }

    /// Counts a wrong token. Returns whether the address has to wait from now on, and did not before.
    mutating func failed(_ address: ClientAddress, at now: ContinuousClock.Instant) -> Bool {
        var record = records[address.network] ?? Record(last: now, next: now)
        if record.last.advanced(by: Self.memory) < now { record.count = 0 }
        record.count += 1
        record.last = now
        let wait = Self.wait(after: record.count)
        record.next = now.advanced(by: wait)
        if records[address.network] == nil, records.count >= Self.maximum { forget(at: now) }
        records[address.network] = record
        return record.count == Self.free + 1
    }

    /// Nothing for the first wrong tokens, then 1 s, 2 s, 4 s and so on.
    static func wait(after count: Int) -> Duration {
        count <= free ? .zero : min(.seconds(1) * (1 << min(count - free - 1, 6)), longestWait)
    }

    /// Makes room for one. Whoever failed least is forgotten first, so that a flood of addresses frees nobody who waits.
    private mutating func forget(at now: ContinuousClock.Instant) {
        records = records.filter { now <= $0.value.last.advanced(by: Self.memory) }
        guard records.count >= Self.maximum,
            let least = records.min(by: { ($0.value.count, $0.value.last) < ($1.value.count, $1.value.last) })
        else { return }
        records[least.key] = nil
    }
}
