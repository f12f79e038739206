import HueWire

extension CommandScheduler {
    private enum Choice {
        case groupCommand(GroupCommand)
        case job(Job)
        case light(Int)
    }

    /// What to do now: of all writes that may go the oldest goes first. A read goes when none may. One that has waited
    /// long enough goes first, but only every other time, so that neither kind starves the other.
    mutating func next(at now: Duration) -> Step {
        guard !isSuspended, inFlightRequests.count < budget.inFlight else { return idle(until: nil) }
        guard now >= recovery.pausedUntil else { return idle(until: recovery.pausedUntil) }
        var wake: Duration?
        var best: (choice: Choice, number: UInt64)?
        var read: Job?
        /// Remembers the oldest request that may go now, or when the next one may.
        func consider(_ choice: Choice, _ number: UInt64, due: Duration) {
            guard due <= now else { return wake = min(wake ?? due, due) }
            if best.map({ number < $0.number }) ?? true { best = (choice, number) }
        }
        let light = lightWindow.opening(rate: recovery.rate(at: now), at: now)
        let group = groupWindow.opening(rate: budget.groupsPerSecond, at: now)
        for job in jobs.values where isNext(job) {
            switch job.cost {
            case .light: consider(.job(job), job.number, due: light)
            case .group: consider(.job(job), job.number, due: group)
            case .other: consider(.job(job), job.number, due: now)
            case .read: if canRead, read.map({ job.number < $0.number }) ?? true { read = job }
            }
        }
        if !waiting.isEmpty, light > now, group > now {
            // Neither a light command nor a group command may go.
            wake = min(wake ?? light, light, group)
        } else if !waiting.isEmpty {
            var held: Set<Int> = []
            for groupCommand in groupCommands(at: now) {
                held.formUnion(groupCommand.queues)
                held.subtract(groupCommand.before)
                if groupCommand.isReady(at: now) {
                    consider(.groupCommand(groupCommand), groupCommand.first, due: now)
                } else if groupCommand.due > now {
                    wake = min(wake ?? groupCommand.due, groupCommand.due)
                }
            }
            var oldest: (queue: Int, first: UInt64)?
            for queue in waiting where !held.contains(queue) && queues[queue].sent == nil {
                guard let first = queues[queue].head?.first else { continue }
                if oldest.map({ (first, queue) < ($0.first, $0.queue) }) ?? true { oldest = (queue, first) }
            }
            if let oldest { consider(.light(oldest.queue), oldest.first, due: light) }
        }
        if let read, best == nil || !isWritesTurn && now >= read.asked + budget.longestReadWait {
            isWritesTurn = best != nil
            return .send(send(.job(read), at: now))
        }
        guard let best else { return idle(until: wake) }
        isWritesTurn = false
        return .send(send(best.choice, at: now))
    }

    /// Waits, but not beyond the next deadline, when a caller must be answered.
    private func idle(until time: Duration?) -> Step {
        [time, waiters.next].compactMap(\.self).min().map { .wait(until: $0) } ?? .rest
    }

    private mutating func send(_ choice: Choice, at now: Duration) -> ScheduledRequest {
        let id = nextRequestID()
        var inFlight = InFlightRequest(sent: now)
        let content: ScheduledRequest.Content
        switch choice {
        case let .groupCommand(groupCommand):
            let groupedLight = lightGroups[groupCommand.lightGroup].groupedLight
            (inFlight.group, inFlight.cost) = (groupedLight, .group)
            inFlight.pending = groupCommand.queues.compactMap { take(groupCommand.attributes, from: $0, at: now) }
            folded += UInt64(max(inFlight.pending.count, 1) - 1)
            groupWindow.note(at: now)
            content = .group(groupedLight, members: groupCommand.queues.map { queues[$0].light }, groupCommand.update)
        case let .light(queue):
            let attributes = queues[queue].head?.front ?? []
            let update = queues[queue].head?.update(attributes) ?? LightUpdate()
            inFlight.pending = [take(attributes, from: queue, at: now)].compactMap(\.self)
            lightWindow.note(at: now)
            content = .light(queues[queue].light, update)
        case let .job(job):
            (inFlight.job, inFlight.cost) = (job.id, job.cost)
            jobs[job.id]?.isInFlight = true
            for queue in job.queues {
                queues[queue].remove(job: job.id)
                queues[queue].sent = now
                note(queue)
            }
            switch job.cost {
            case .light: lightWindow.note(at: now)
            case .group: groupWindow.note(at: now)
            case .other, .read: break
            }
            waiters.noteSent(job.id)
            content = .job(job.id)
        }
        let isLate = inFlight.pending.contains { !$0.pending.tokens.contains(where: waiters.isOpen) }
        for (_, pending) in inFlight.pending {
            for token in pending.tokens { waiters.noteSent(token) }
        }
        inFlightRequests[id] = inFlight
        return ScheduledRequest(id: id, content: content, isLate: isLate)
    }

    private mutating func take(
        _ attributes: PendingState.Attributes, from queue: Int, at now: Duration
    ) -> (queue: Int, pending: PendingState)? {
        guard let pending = queues[queue].take(attributes) else { return nil }
        queues[queue].sent = now
        note(queue)
        return (queue, pending)
    }
}
