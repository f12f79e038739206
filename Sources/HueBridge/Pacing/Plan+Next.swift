import HueWire

extension Plan {
    private enum Choice {
        case fold(Fold)
        case errand(Errand)
        case light(Int)
    }

    /// What to do now. Of all that may go the oldest goes first, reads when no write can.
    mutating func next(at now: Duration) -> Step {
        guard !isSuspended, flights.count < budget.inFlight else { return idle(until: nil) }
        guard now >= recovery.pausedUntil else { return idle(until: recovery.pausedUntil) }
        var wake: Duration?
        var best: (choice: Choice, number: UInt64)?
        var read: Errand?
        /// Remembers what may go, or when it may.
        func consider(_ choice: Choice, _ number: UInt64, due: Duration) {
            guard due <= now else { return wake = min(wake ?? due, due) }
            if best.map({ number < $0.number }) ?? true { best = (choice, number) }
        }
        let light = lightWindow.opening(rate: recovery.rate(at: now), at: now)
        let group = groupWindow.opening(rate: budget.groupsPerSecond, at: now)
        for errand in errands.values where isNext(errand) {
            switch errand.cost {
            case .light: consider(.errand(errand), errand.number, due: light)
            case .group: consider(.errand(errand), errand.number, due: group)
            case .other: consider(.errand(errand), errand.number, due: now)
            case .read: if read.map({ errand.number < $0.number }) ?? true { read = errand }
            }
        }
        if !waiting.isEmpty, light > now, group > now {
            // No wish can go, whichever way.
            wake = min(wake ?? light, light, group)
        } else if !waiting.isEmpty {
            var held: Set<Int> = []
            for fold in folds(at: now) {
                held.formUnion(fold.lanes)
                held.subtract(fold.before)
                if fold.isReady(at: now) {
                    consider(.fold(fold), fold.first, due: now)
                } else if fold.due > now {
                    wake = min(wake ?? fold.due, fold.due)
                }
            }
            var oldest: (lane: Int, first: UInt64)?
            for lane in waiting where !held.contains(lane) && lanes[lane].sent == nil {
                guard let first = lanes[lane].head?.first else { continue }
                if oldest.map({ (first, lane) < ($0.first, $0.lane) }) ?? true { oldest = (lane, first) }
            }
            if let oldest { consider(.light(oldest.lane), oldest.first, due: light) }
        }
        if let choice = best?.choice ?? read.map(Choice.errand) { return .send(ship(choice, at: now)) }
        return idle(until: wake)
    }

    /// Waits; not beyond the next deadline, when somebody is to be told.
    private func idle(until time: Duration?) -> Step {
        [time, ledger.next].compactMap(\.self).min().map { .wait(until: $0) } ?? .rest
    }

    private mutating func ship(_ choice: Choice, at now: Duration) -> Shipment {
        let id = nextShipment()
        var flight = Flight(sent: now)
        let content: Shipment.Content
        var returns = 0
        switch choice {
        case let .fold(fold):
            let groupedLight = crowds[fold.crowd].groupedLight
            flight.group = groupedLight
            flight.wishes = fold.lanes.compactMap { take(fold.attributes, from: $0, at: now) }
            groupWindow.note(at: now)
            folded += fold.lanes.count - 1
            content = .group(groupedLight, members: fold.lanes.map { lanes[$0].light }, fold.patch)
        case let .light(lane):
            let attributes = lanes[lane].head?.front ?? []
            let patch = lanes[lane].head?.patch(attributes) ?? Patch()
            flight.wishes = [take(attributes, from: lane, at: now)].compactMap(\.self)
            lightWindow.note(at: now)
            content = .light(lanes[lane].light, patch)
        case let .errand(errand):
            flight.errand = errand.id
            returns = errand.returns
            errands[errand.id]?.isInFlight = true
            for lane in errand.lanes {
                lanes[lane].remove(errand: errand.id)
                lanes[lane].sent = now
                note(lane)
            }
            switch errand.cost {
            case .light: lightWindow.note(at: now)
            case .group: groupWindow.note(at: now)
            case .other, .read: break
            }
            ledger.noteSent(errand.id)
            content = .errand(errand.id)
        }
        for (_, wishes) in flight.wishes {
            returns = max(returns, wishes.returns)
            for token in wishes.tokens { ledger.noteSent(token) }
        }
        flights[id] = flight
        return Shipment(id: id, content: content, returns: returns)
    }

    private mutating func take(
        _ attributes: Wishes.Attributes, from lane: Int, at now: Duration
    ) -> (lane: Int, wishes: Wishes)? {
        guard let wishes = lanes[lane].take(attributes) else { return nil }
        lanes[lane].sent = now
        note(lane)
        return (lane, wishes)
    }
}
