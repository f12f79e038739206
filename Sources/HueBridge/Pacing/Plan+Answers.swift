import HueWire

extension Plan {
    /// Takes in what became of a shipment.
    ///
    /// - Parameter chance: 0…1, for the length of a pause.
    mutating func answer(_ id: UInt64, with fate: Fate, chance: Double, at now: Duration) -> [Settlement] {
        guard let flight = flights.removeValue(forKey: id) else { return [] }
        land(flight)
        switch fate.judged(after: returns(of: flight)) {
        case .done:
            recovery.answered(sent: flight.sent)
            settle(flight) { _ in nil }
        case let .doubted(words, lights):
            recovery.answered(sent: flight.sent)
            let doubted = Set(lights)
            settle(flight) { doubted.isEmpty || $0.map(doubted.contains) ?? true ? .doubted(words) : nil }
        case let .refused(words):
            recovery.answered(sent: flight.sent)
            if let group = flight.group {
                // Perhaps the group is gone, perhaps one lamp cannot: its members tell, one by one.
                for place in crowds.indices where crowds[place].groupedLight == group { crowds[place].isBarred = true }
                giveBack(flight, counted: false)
            } else {
                settle(flight) { _ in .refused(words) }
            }
        case .busy, .faulty:
            recovery.pause(gently: true, chance: chance, at: now)
            giveBack(flight, counted: true)
        case .unsent:
            recovery.pause(gently: false, chance: chance, at: now)
            giveBack(flight, counted: true)
        case .unknown:
            // Once may be a connection that had gone cold; twice is a bridge in trouble.
            if returns(of: flight) > 0 { recovery.pause(gently: false, chance: chance, at: now) }
            giveBack(flight, counted: true)
        }
        return ledger.collect()
    }

    private mutating func land(_ flight: Flight) {
        for (lane, _) in flight.wishes { lanes[lane].sent = nil }
        for lane in flight.errand.flatMap({ errands[$0]?.lanes }) ?? [] { lanes[lane].sent = nil }
    }

    private mutating func settle(_ flight: Flight, _ reason: (ResourceID?) -> Settlement.Miss.Reason?) {
        for (lane, wishes) in flight.wishes {
            let light = lanes[lane].light
            let miss = reason(light).map { Settlement.Miss(light: light, reason: $0) }
            for token in wishes.tokens { ledger.settle(token, miss) }
        }
        if let id = flight.errand {
            errands[id] = nil
            ledger.settle(id, reason(nil).map { Settlement.Miss(light: nil, reason: $0) })
        }
    }

    private func returns(of flight: Flight) -> Int {
        flight.errand.flatMap { errands[$0]?.returns } ?? flight.wishes.map(\.wishes.returns).max() ?? 0
    }

    /// What was not delivered waits again, before everything asked later; what newer values came meanwhile have overtaken it.
    private mutating func giveBack(_ flight: Flight, counted: Bool) {
        for (lane, wishes) in flight.wishes {
            var wishes = wishes
            if counted { wishes.comeBack() }
            for token in lanes[lane].giveBack(wishes) { ledger.settle(token) }
            note(lane)
        }
        guard let id = flight.errand, var errand = errands[id] else { return }
        errand.isInFlight = false
        if counted { errand.returns += 1 }
        errands[id] = errand
        for lane in errand.lanes {
            lanes[lane].giveBack(errand: id)
            note(lane)
        }
    }
}

extension Fate {
    /// So many faults in a row are no mishap.
    private static let mostFaults = 3

    fileprivate func judged(after returns: Int) -> Self {
        if case let .faulty(words) = self, returns >= Self.mostFaults { .refused(words) } else { self }
    }
}
