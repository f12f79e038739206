import HueWire

/// Which tokens wait, for how many parts each, and until when. Completions collect here until they are fetched.
struct Waiters: Sendable {
    private struct Ticket {
        var open: Int
        var misses: [Completion.Miss] = []
        var isSent = false
    }

    private struct Deadline {
        let time: Duration
        let token: UInt64
    }

    private var tickets: [UInt64: Ticket] = [:]
    /// The earliest first. Those of completed tokens are removed when they get in the way.
    private var deadlines: [Deadline] = []
    private var completions: [Completion] = []

    mutating func open(_ token: UInt64, parts: Int, deadline: Duration) {
        guard parts > 0 else { return completions.append(Completion(token: token, outcome: .done)) }
        tickets[token] = Ticket(open: parts)
        // It is nearly always the last.
        let later = deadlines.reversed().prefix { $0.time > deadline }.count
        deadlines.insert(Deadline(time: deadline, token: token), at: deadlines.count - later)
        if deadlines.count > 2 * tickets.count + 64 { deadlines.removeAll { tickets[$0.token] == nil } }
    }

    mutating func noteSent(_ token: UInt64) { tickets[token]?.isSent = true }

    /// Completes one part of what a token asked for.
    mutating func settle(_ token: UInt64, _ miss: Completion.Miss? = nil) {
        guard var ticket = tickets[token] else { return }
        if let miss, !ticket.misses.contains(miss) { ticket.misses.append(miss) }
        ticket.open -= 1
        guard ticket.open == 0 else {
            tickets[token] = ticket
            return
        }
        tickets[token] = nil
        completions.append(Completion(token: token, outcome: ticket.misses.isEmpty ? .done : .failed(ticket.misses)))
    }

    /// Completes the tokens whose deadline has passed.
    ///
    /// - Returns: those tokens.
    mutating func close(at now: Duration) -> [UInt64] {
        let passed = deadlines.prefix { $0.time <= now }
        deadlines.removeFirst(passed.count)
        return passed.compactMap { deadline in
            guard let ticket = tickets.removeValue(forKey: deadline.token) else { return nil }
            let outcome = Completion.Outcome.late(isSent: ticket.isSent, ticket.misses)
            completions.append(Completion(token: deadline.token, outcome: outcome))
            return deadline.token
        }
    }

    /// How many tokens are open.
    var count: Int { tickets.count }

    /// The next deadline of an open token.
    var next: Duration? { deadlines.first { tickets[$0.token] != nil }?.time }

    mutating func collect() -> [Completion] {
        defer { completions.removeAll() }
        return completions
    }
}
