extension Plan {
    /// The group commands that are worth their turn: each is done no later than its lamps would be one by one, and no lamp is in two.
    /// At a tie the group goes, because lamps of one room should change together.
    func folds(at now: Duration) -> [Fold] {
        let candidates = crowds.indices.compactMap { candidate($0, at: now) }
            .filter(\.isWorthwhile)
            .sorted { (other: Fold, one: Fold) in (one.saving, other.crowd) < (other.saving, one.crowd) }
        guard !candidates.isEmpty else { return [] }
        let rate = recovery.rate(at: now)
        let recalls = errands.values.filter { $0.cost == .group && isNext($0) }.map(\.number)
        var chosen: [Fold] = []
        var covered: Set<Int> = []
        for var fold in candidates where covered.isDisjoint(with: fold.lanes) {
            let recallsBefore = max(recalls.count { $0 < fold.first }, fold.isBehind ? 1 : 0)
            let place = 1 + chosen.count + recallsBefore
            let ahead = waiting.count { lane in
                !covered.contains(lane) && lanes[lane].head.map { $0.first < fold.first } ?? false
            }
            fold.due = max(groupWindow.opening(place, rate: budget.groupsPerSecond, at: now), fold.clear)
            // The last single command, with and without it.
            func single(_ count: Int) -> Duration {
                count == 0 ? now : lightWindow.opening(ahead + count, rate: rate, at: now)
            }
            let together = max(fold.due, single(fold.before.count + fold.rest))
            let alone = max(single(fold.before.count + fold.lanes.count), fold.clear)
            guard together <= alone else { continue }
            covered.formUnion(fold.lanes)
            chosen.append(fold)
        }
        return chosen
    }

    /// What one command to this group could carry. Every member must wait for it: it would change the others too.
    private func candidate(_ place: Int, at now: Duration) -> Fold? {
        let crowd = crowds[place]
        guard !crowd.isBarred else { return nil }
        var members: [Wishes] = []
        members.reserveCapacity(crowd.lanes.count)
        var common: Wishes.Attributes = .all
        var turnsOn = false
        var clear = now
        var isBehind = false
        var hasErrands = false
        for lane in crowd.lanes {
            guard waiting.contains(lane), let (wishes, behind) = lanes[lane].firstWishes else { return nil }
            common.formIntersection(wishes.shared(with: members.first ?? wishes))
            guard !common.isEmpty else { return nil }
            members.append(wishes)
            turnsOn = turnsOn || wishes.on?.value == true
            if let sent = lanes[lane].sent {
                // A lamp that keeps everybody waiting is not waited for.
                guard now < sent + budget.patience else { return nil }
                clear = max(clear, sent + budget.patience)
            }
            if !behind.isEmpty {
                guard behind.allSatisfy({ errands[$0]?.cost == .group || errands[$0]?.cost == .light }) else {
                    return nil
                }
                isBehind = true
            }
            hasErrands = hasErrands || lanes[lane].hasErrands && behind.isEmpty
        }
        // Lamps held for an errand must not be what that errand waits for.
        guard !(isBehind && hasErrands), let sample = members.first else { return nil }
        // Values alone would reach lamps that are yet to be turned on.
        guard !turnsOn || common.contains(.on) else { return nil }
        var attributes = common
        var before: [Int] = []
        if !turnsOn {
            // Values go before an off, so the off is what all share only when no values are.
            attributes = common.intersection(.values)
            if attributes.isEmpty {
                attributes = .on
                before = zip(crowd.lanes, members).filter { $0.1.hasValues }.map(\.0)
            }
        }
        let patch = sample.patch(attributes)
        guard members.allSatisfy({ $0.patch(attributes) == patch }) else { return nil }
        let rest =
            attributes == .on && !turnsOn
            ? 0 : members.count { !$0.attributes.subtracting(attributes).subtracting(turnsOn ? [] : .on).isEmpty }
        return Fold(
            crowd: place, lanes: crowd.lanes, attributes: attributes, patch: patch,
            first: members.map(\.first).min() ?? 0, before: before, rest: rest, clear: clear, isBehind: isBehind)
    }

    /// Whether nothing that touches an errand's lamps goes before it.
    func isNext(_ errand: Errand) -> Bool {
        !errand.isInFlight && errand.lanes.allSatisfy { lanes[$0].headErrand == errand.id && lanes[$0].sent == nil }
    }
}
