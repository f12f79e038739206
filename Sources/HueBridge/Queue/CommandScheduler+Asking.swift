import HueWire

extension CommandScheduler {
    /// Asks for patches of lamps, of each lamp once. What of older asks still waits for the same attribute of the same lamp is overtaken, which counts
    /// as fulfilled.
    ///
    /// - Parameters:
    ///   - token: the command's; a token asks once.
    ///   - deadline: when its caller waits no longer. The wish itself is delivered still.
    mutating func ask(
        _ parts: [(patch: Patch, lights: [ResourceID])], by token: UInt64, deadline: Duration, at now: Duration
    ) -> [Completion] {
        let number = nextAsk()
        let asks = parts.map { patch, lights in
            let pending = PendingState(patch, by: token, number: number, at: now)
            var seen: Set<Int> = []
            let touched =
                pending.attributes.isEmpty ? [] : lights.map { place(of: $0) }.filter { seen.insert($0).inserted }
            return (pending, touched)
        }
        waiters.open(
            token, parts: asks.reduce(0) { $0 + $1.1.count * $1.0.tokens.count }, deadline: deadline)
        for (pending, touched) in asks {
            for queue in touched {
                if let overtaken = queues[queue].append(pending) {
                    coalesced += 1
                    for token in overtaken { waiters.settle(token) }
                }
                note(queue)
            }
        }
        return waiters.collect()
    }

    mutating func ask(
        _ patch: Patch, of lights: [ResourceID], by token: UInt64, deadline: Duration, at now: Duration
    ) -> [Completion] {
        ask([(patch, lights)], by: token, deadline: deadline, at: now)
    }

    /// Asks once more for what a lamp was asked for earlier and does not show. What has been asked of it since is newer: where that waits,
    /// nothing of the same attributes is asked, and nothing is overtaken.
    mutating func askAgain(
        _ patch: Patch, of light: ResourceID, by token: UInt64, deadline: Duration, at now: Duration
    ) -> [Completion] {
        ask(patch.without(awaited(of: light)), of: [light], by: token, deadline: deadline, at: now)
    }

    /// What waits to be set of a lamp.
    func awaited(of light: ResourceID) -> PendingState.Attributes {
        knownPlace(of: light).map { queues[$0].awaited } ?? []
    }

    /// Asks for another request. Nothing that touches the same lamps goes before it if it was asked later, nor after it if it was asked
    /// earlier.
    ///
    /// - Parameter id: also its token.
    mutating func ask(
        job id: UInt64, cost: Job.Cost, touching lights: [ResourceID] = [], deadline: Duration, at now: Duration
    ) -> [Completion] {
        var seen: Set<Int> = []
        let touched = lights.map { place(of: $0) }.filter { seen.insert($0).inserted }
        jobs[id] = Job(id: id, cost: cost, queues: touched, number: nextAsk(), asked: now)
        waiters.open(id, parts: 1, deadline: deadline)
        for queue in touched {
            queues[queue].append(job: id)
            note(queue)
        }
        return waiters.collect()
    }

    /// Judges what is late. A read that was not sent is dropped: nobody wants its answer any more.
    mutating func overdue(at now: Duration) -> [Completion] {
        for token in waiters.close(at: now) {
            if let job = jobs[token], job.cost == .read, !job.isInFlight { drop(job) }
        }
        return waiters.collect()
    }

    /// Drops what waits for a lamp, because it went or somebody else changed it. What is in flight, and errands, are left.
    mutating func withdraw(_ light: ResourceID) -> [Completion] {
        if let queue = knownPlace(of: light) { drop(queue, before: nil, .withdrawn) }
        return waiters.collect()
    }

    /// Drops an errand that was not sent yet.
    mutating func withdraw(job id: UInt64) -> [Completion] {
        if let job = jobs[id], !job.isInFlight {
            drop(job)
            waiters.settle(id, Completion.Miss(light: nil, reason: .withdrawn))
        }
        return waiters.collect()
    }

    /// The line is lost: nothing is sent, nothing is forgotten.
    mutating func suspend() { isSuspended = true }

    /// The line is back.
    ///
    /// - Parameter keep: wishes and errands older than this are dropped; `nil` keeps all.
    mutating func resume(keeping keep: Duration? = nil, at now: Duration) -> [Completion] {
        isSuspended = false
        recovery.forgetPause(at: now)
        return keep.map { forget(before: now - $0) } ?? []
    }

    /// Drops what was asked before a moment and still waits.
    mutating func forget(before moment: Duration) -> [Completion] {
        for queue in waiting.sorted() { drop(queue, before: moment, .expired) }
        for job in jobs.values.sorted(by: { $0.number < $1.number }) where !job.isInFlight {
            guard job.asked < moment else { continue }
            drop(job)
            waiters.settle(job.id, Completion.Miss(light: nil, reason: .expired))
        }
        return waiters.collect()
    }

    private mutating func drop(_ queue: Int, before moment: Duration?, _ reason: Completion.Miss.Reason) {
        let miss = Completion.Miss(light: queues[queue].light, reason: reason)
        for token in queues[queue].drop(before: moment) { waiters.settle(token, miss) }
        note(queue)
    }

    private mutating func drop(_ job: Job) {
        jobs[job.id] = nil
        for queue in job.queues {
            queues[queue].remove(job: job.id)
            note(queue)
        }
    }
}
