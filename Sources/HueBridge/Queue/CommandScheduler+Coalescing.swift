extension CommandScheduler {
    /// The group commands worth sending now. A group command is worth it if it is done no later than its lights one by
    /// one; at a tie it is preferred, because the lights of a room should change together. No light is in two.
    func groupCommands(at now: Duration) -> [GroupCommand] {
        let candidates = lightGroups.indices.compactMap { candidate($0, at: now) }
            .filter(\.isWorthwhile)
            .sorted { (other: GroupCommand, one: GroupCommand) in
                (one.saving, other.lightGroup) < (other.saving, one.lightGroup)
            }
        guard !candidates.isEmpty else { return [] }
        let rate = recovery.rate(at: now)
        let recalls = jobs.values.filter { $0.cost == .group && isNext($0) }.map(\.number)
        var chosen: [GroupCommand] = []
        var covered: Set<Int> = []
        for var groupCommand in candidates where covered.isDisjoint(with: groupCommand.queues) {
            let recallsBefore = max(recalls.count { $0 < groupCommand.first }, groupCommand.isBehind ? 1 : 0)
            let place = 1 + chosen.count + recallsBefore
            let ahead = waiting.count { queue in
                !covered.contains(queue) && queues[queue].head.map { $0.first < groupCommand.first } ?? false
            }
            groupCommand.due = max(
                groupWindow.opening(place, rate: budget.groupsPerSecond, at: now), groupCommand.clear)
            // When the last single command would go, with and without the group command.
            func single(_ count: Int) -> Duration {
                count == 0 ? now : lightWindow.opening(ahead + count, rate: rate, at: now)
            }
            let together = max(groupCommand.due, single(groupCommand.before.count + groupCommand.rest))
            let alone = max(single(groupCommand.before.count + groupCommand.queues.count), groupCommand.clear)
            guard together <= alone else { continue }
            covered.formUnion(groupCommand.queues)
            chosen.append(groupCommand)
        }
        return chosen
    }

    /// What one command to this group could carry; `nil` if nothing is waiting for one of its members, which would
    /// change too.
    private func candidate(_ place: Int, at now: Duration) -> GroupCommand? {
        let lightGroup = lightGroups[place]
        guard !lightGroup.isBarred else { return nil }
        var members: [PendingState] = []
        members.reserveCapacity(lightGroup.queues.count)
        var common: PendingState.Attributes = .all
        var turnsOn = false
        var clear = now
        var isBehind = false
        var hasJobs = false
        for queue in lightGroup.queues {
            guard waiting.contains(queue), let (pending, behind) = queues[queue].firstPending else { return nil }
            common.formIntersection(pending.shared(with: members.first ?? pending))
            guard !common.isEmpty else { return nil }
            members.append(pending)
            turnsOn = turnsOn || pending.on?.value == true
            if let sent = queues[queue].sent {
                // One slow light does not hold up its group.
                guard now < sent + budget.longestWait else { return nil }
                clear = max(clear, sent + budget.longestWait)
            }
            if !behind.isEmpty {
                guard behind.allSatisfy({ jobs[$0]?.cost == .group || jobs[$0]?.cost == .light }) else {
                    return nil
                }
                isBehind = true
            }
            hasJobs = hasJobs || queues[queue].hasJobs && behind.isEmpty
        }
        // Lights that wait for a job must not be what that job waits for.
        guard !(isBehind && hasJobs), let sample = members.first else { return nil }
        // Values alone would reach lights that are still to be turned on.
        guard !turnsOn || common.contains(.on) else { return nil }
        var attributes = common
        var before: [Int] = []
        if !turnsOn {
            // Values go before an off, so the off is shared only if no values are.
            attributes = common.intersection(.values)
            if attributes.isEmpty {
                attributes = .on
                before = zip(lightGroup.queues, members).filter { $0.1.hasValues }.map(\.0)
            }
        }
        let update = sample.update(attributes)
        guard members.allSatisfy({ $0.update(attributes) == update }) else { return nil }
        let rest =
            attributes == .on && !turnsOn
            ? 0 : members.count { !$0.attributes.subtracting(attributes).subtracting(turnsOn ? [] : .on).isEmpty }
        return GroupCommand(
            lightGroup: place, queues: lightGroup.queues, attributes: attributes, update: update,
            first: members.map(\.first).min() ?? 0, before: before, rest: rest, clear: clear, isBehind: isBehind)
    }

    /// Whether nothing that touches the job's lights must go before it.
    func isNext(_ job: Job) -> Bool {
        !job.isInFlight && job.queues.allSatisfy { queues[$0].headJob == job.id && queues[$0].sent == nil }
    }
}
