import HueWire

extension Plan {
    /// Asks for patches of lamps, of each lamp once. What of older asks still waits for the same attribute of the same lamp is overtaken, which counts
    /// as fulfilled.
    ///
    /// - Parameters:
    ///   - token: the command's; a token asks once.
    ///   - deadline: when its caller waits no longer. The wish itself is delivered still.
    mutating func ask(
        _ parts: [(patch: Patch, lights: [ResourceID])], by token: UInt64, deadline: Duration, at now: Duration
    ) -> [Settlement] {
        let number = nextAsk()
        let asks = parts.map { patch, lights in
            let wishes = Wishes(patch, by: token, number: number, at: now)
            var seen: Set<Int> = []
            let touched =
                wishes.attributes.isEmpty ? [] : lights.map { place(of: $0) }.filter { seen.insert($0).inserted }
            return (wishes, touched)
        }
        ledger.open(
            token, parts: asks.reduce(0) { $0 + $1.1.count * $1.0.tokens.count }, deadline: deadline)
        for (wishes, touched) in asks {
            for lane in touched {
                if let overtaken = lanes[lane].append(wishes) {
                    coalesced += 1
                    for token in overtaken { ledger.settle(token) }
                }
                note(lane)
            }
        }
        return ledger.collect()
    }

    mutating func ask(
        _ patch: Patch, of lights: [ResourceID], by token: UInt64, deadline: Duration, at now: Duration
    ) -> [Settlement] {
        ask([(patch, lights)], by: token, deadline: deadline, at: now)
    }

    /// Asks once more for what a lamp was asked for earlier and does not show. What has been asked of it since is newer: where that waits,
    /// nothing of the same attributes is asked, and nothing is overtaken.
    mutating func askAgain(
        _ patch: Patch, of light: ResourceID, by token: UInt64, deadline: Duration, at now: Duration
    ) -> [Settlement] {
        ask(patch.without(awaited(of: light)), of: [light], by: token, deadline: deadline, at: now)
    }

    /// What waits to be set of a lamp.
    func awaited(of light: ResourceID) -> Wishes.Attributes { knownPlace(of: light).map { lanes[$0].awaited } ?? [] }

    /// Asks for another request. Nothing that touches the same lamps goes before it if it was asked later, nor after it if it was asked
    /// earlier.
    ///
    /// - Parameter id: also its token.
    mutating func ask(
        errand id: UInt64, cost: Errand.Cost, touching lights: [ResourceID] = [], deadline: Duration, at now: Duration
    ) -> [Settlement] {
        var seen: Set<Int> = []
        let touched = lights.map { place(of: $0) }.filter { seen.insert($0).inserted }
        errands[id] = Errand(id: id, cost: cost, lanes: touched, number: nextAsk(), asked: now)
        ledger.open(id, parts: 1, deadline: deadline)
        for lane in touched {
            lanes[lane].append(errand: id)
            note(lane)
        }
        return ledger.collect()
    }

    /// Judges what is late. A read that was not sent is dropped: nobody wants its answer any more.
    mutating func overdue(at now: Duration) -> [Settlement] {
        for token in ledger.close(at: now) {
            if let errand = errands[token], errand.cost == .read, !errand.isInFlight { drop(errand) }
        }
        return ledger.collect()
    }

    /// Drops what waits for a lamp, because it went or somebody else changed it. What is in flight, and errands, are left.
    mutating func withdraw(_ light: ResourceID) -> [Settlement] {
        if let lane = knownPlace(of: light) { drop(lane, before: nil, .withdrawn) }
        return ledger.collect()
    }

    /// Drops an errand that was not sent yet.
    mutating func withdraw(errand id: UInt64) -> [Settlement] {
        if let errand = errands[id], !errand.isInFlight {
            drop(errand)
            ledger.settle(id, Settlement.Miss(light: nil, reason: .withdrawn))
        }
        return ledger.collect()
    }

    /// The line is lost: nothing is sent, nothing is forgotten.
    mutating func suspend() { isSuspended = true }

    /// The line is back.
    ///
    /// - Parameter keep: wishes and errands older than this are dropped; `nil` keeps all.
    mutating func resume(keeping keep: Duration? = nil, at now: Duration) -> [Settlement] {
        isSuspended = false
        recovery.forgetPause(at: now)
        return keep.map { forget(before: now - $0) } ?? []
    }

    /// Drops what was asked before a moment and still waits.
    mutating func forget(before moment: Duration) -> [Settlement] {
        for lane in waiting.sorted() { drop(lane, before: moment, .expired) }
        for errand in errands.values.sorted(by: { $0.number < $1.number }) where !errand.isInFlight {
            guard errand.asked < moment else { continue }
            drop(errand)
            ledger.settle(errand.id, Settlement.Miss(light: nil, reason: .expired))
        }
        return ledger.collect()
    }

    private mutating func drop(_ lane: Int, before moment: Duration?, _ reason: Settlement.Miss.Reason) {
        let miss = Settlement.Miss(light: lanes[lane].light, reason: reason)
        for token in lanes[lane].drop(before: moment) { ledger.settle(token, miss) }
        note(lane)
    }

    private mutating func drop(_ errand: Errand) {
        errands[errand.id] = nil
        for lane in errand.lanes {
            lanes[lane].remove(errand: errand.id)
            note(lane)
        }
    }
}
