import HueWire

extension CommandScheduler {
    /// Queues updates of lights, each light once. Older values for the same attribute of the same light that still wait
    /// are overtaken, which counts as done.
    ///
    /// - Parameters:
    ///   - token: identifies the command; each token is used once.
    ///   - deadline: when the caller stops waiting. The values are sent even after it.
    mutating func ask(
        _ parts: [(update: LightUpdate, lights: [ResourceID])], by token: UInt64, deadline: Duration, at now: Duration
    ) -> [Completion] {
        let number = nextAsk()
        let asks = parts.map { update, lights in
            let pending = PendingState(update, by: token, number: number, at: now)
            return (pending, pending.attributes.isEmpty ? [] : lights.map { place(of: $0) }.unique)
        }
        waiters.open(
            token, parts: asks.reduce(0) { $0 + $1.1.count * $1.0.tokens.count }, deadline: deadline)
        for (pending, touched) in asks {
            for queue in touched {
                if let overtaken = queues[queue].append(pending) {
                    folded += 1
                    for token in overtaken { waiters.settle(token) }
                }
                note(queue)
            }
        }
        return waiters.collect()
    }

    mutating func ask(
        _ update: LightUpdate, of lights: [ResourceID], by token: UInt64, deadline: Duration, at now: Duration
    ) -> [Completion] {
        ask([(update, lights)], by: token, deadline: deadline, at: now)
    }

    /// Queues once more what a light was asked for earlier and does not show. Newer values that wait for the same
    /// attributes stay; nothing is overtaken.
    mutating func askAgain(
        _ update: LightUpdate, of light: ResourceID, by token: UInt64, deadline: Duration, at now: Duration
    ) -> [Completion] {
        ask(update.without(awaited(of: light)), of: [light], by: token, deadline: deadline, at: now)
    }

    /// The attributes of a light that wait to be sent.
    func awaited(of light: ResourceID) -> PendingState.Attributes {
        knownPlace(of: light).map { queues[$0].awaited } ?? []
    }

    /// Who asked for what waits to be sent to a light.
    func tokens(waitingFor light: ResourceID) -> [UInt64] {
        knownPlace(of: light).map { queues[$0].tokens } ?? []
    }

    /// Queues a job. Among the requests for the same lights it keeps its place: later ones do not go before it, earlier
    /// ones do not go after it.
    ///
    /// - Parameters:
    ///   - id: also its token.
    ///   - deadline: when the caller stops waiting; `nil` if it waits until the job is done or withdrawn.
    mutating func ask(
        job id: UInt64, cost: Job.Cost, touching lights: [ResourceID] = [], deadline: Duration?, at now: Duration
    ) -> [Completion] {
        let touched = lights.map { place(of: $0) }.unique
        jobs[id] = Job(id: id, cost: cost, queues: touched, number: nextAsk(), asked: now)
        waiters.open(id, parts: 1, deadline: deadline)
        for queue in touched {
            queues[queue].append(job: id)
            note(queue)
        }
        return waiters.collect()
    }

    /// Completes what is late. A read that was not sent is dropped, because its answer is no longer wanted.
    mutating func overdue(at now: Duration) -> [Completion] {
        for token in waiters.close(at: now) {
            if let job = jobs[token], job.cost == .read, !job.isInFlight { drop(job) }
        }
        return waiters.collect()
    }

    /// Drops the values that wait for a light because this token asked for them; newer values of others, jobs and
    /// requests in flight stay.
    mutating func withdraw(_ token: UInt64, from light: ResourceID) -> [Completion] {
        if let queue = knownPlace(of: light) { drop(queue, .withdrawn) { $0.token == token } }
        return waiters.collect()
    }

    /// Somebody else has changed a light: what was asked before and was sent already, perhaps in vain, is not sent again,
    /// nor is what is being sent now if its answer is lost. Nobody knows whether it was carried out before that.
    ///
    /// - Parameter isOlder: whether a value that was not sent yet is older than that change.
    mutating func yield(_ light: ResourceID, where isOlder: (PendingOrigin) -> Bool) -> [Completion] {
        guard let queue = knownPlace(of: light) else { return [] }
        drop(queue, .withdrawn) { $0.returns > 0 || isOlder($0) }
        for (id, request) in inFlightRequests where request.pending.contains(where: { $0.queue == queue }) {
            inFlightRequests[id]?.yielded.insert(queue)
        }
        return waiters.collect()
    }

    /// Drops a job that was not sent yet.
    mutating func withdraw(job id: UInt64) -> [Completion] {
        if let job = jobs[id], !job.isInFlight {
            drop(job)
            waiters.settle(id, Completion.Miss(light: nil, reason: .withdrawn))
        }
        return waiters.collect()
    }

    /// The connection is lost: nothing is sent, and nothing is dropped.
    mutating func suspend() { isSuspended = true }

    /// The connection is back.
    ///
    /// - Parameter keep: values and jobs older than this are dropped; `nil` keeps all.
    mutating func resume(keeping keep: Duration? = nil, at now: Duration) -> [Completion] {
        isSuspended = false
        keyRefused = nil
        recovery.forgetPause(at: now)
        return keep.map { forget(before: now - $0) } ?? []
    }

    /// Drops what was asked before a moment and still waits.
    mutating func forget(before moment: Duration) -> [Completion] {
        for queue in waiting.sorted() { drop(queue, .expired) { $0.asked < moment } }
        for job in jobs.values.sorted(by: { $0.number < $1.number }) where !job.isInFlight {
            guard job.asked < moment else { continue }
            drop(job)
            waiters.settle(job.id, Completion.Miss(light: nil, reason: .expired))
        }
        return waiters.collect()
    }

    private mutating func drop(
        _ queue: Int, _ reason: Completion.Miss.Reason, where isMeant: (PendingOrigin) -> Bool
    ) {
        let miss = Completion.Miss(light: queues[queue].light, reason: reason)
        for token in queues[queue].drop(where: isMeant) { waiters.settle(token, miss) }
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
