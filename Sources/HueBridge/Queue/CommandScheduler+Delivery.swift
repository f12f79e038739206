import HueWire
import Lighting

extension CommandScheduler {
    /// Takes in what became of a request.
    ///
    /// - Parameter chance: from 0 to 1, for the length of a pause.
    mutating func answer(_ id: UInt64, with delivery: Delivery, chance: Double, at now: Duration) -> [Completion] {
        guard let inFlight = inFlightRequests.removeValue(forKey: id) else { return [] }
        release(inFlight)
        switch inFlight.cost {
        case .light: lightWindow.answered(sent: inFlight.sent, at: now)
        case .group: groupWindow.answered(sent: inFlight.sent, at: now)
        case .other, .read: break
        }
        if delivery.hasKnownKey { keyRefused = nil }
        switch delivery.judged(after: returns(of: inFlight)) {
        case .done:
            recovery.answered(sent: inFlight.sent)
            settle(inFlight) { _ in nil }
        case let .doubted(words, lights):
            recovery.answered(sent: inFlight.sent)
            let doubted = Set(lights)
            settle(inFlight) { doubted.isEmpty || $0.map(doubted.contains) ?? true ? .doubted(words) : nil }
        case let .refused(words):
            recovery.answered(sent: inFlight.sent)
            if let group = inFlight.group {
                // The group may be gone, or one light may be unable: its members are sent to one by one, which shows
                // it.
                for place in lightGroups.indices where lightGroups[place].groupedLight == group {
                    lightGroups[place].isBarred = true
                }
                giveBack(inFlight, counted: false)
            } else {
                settle(inFlight) { _ in .refused(words) }
            }
        case .outdated: giveBack(inFlight, counted: false)
        case .keyRefused where isKeyLost(by: inFlight): settle(inFlight) { _ in .refused("the key is refused") }
        case .keyRefused:
            keyRefused = keyRefused ?? now
            recovery.pause(halvesRate: true, chance: chance, at: now)
            giveBack(inFlight, counted: true)
        case .busy:
            recovery.pause(halvesRate: true, chance: chance, at: now)
            if let job = inFlight.job { waiters.noteRefused(job) }
            giveBack(inFlight, counted: true)
        case .faulty:
            recovery.pause(halvesRate: true, chance: chance, at: now)
            giveBack(inFlight, counted: true)
        case .unsent, .certificateRefused:
            recovery.pause(halvesRate: false, chance: chance, at: now)
            if let job = inFlight.job { waiters.noteRefused(job) }
            giveBack(inFlight, counted: true)
        case .unknown:
            // The first may be a connection that had gone cold; the second means that the bridge is in trouble.
            if returns(of: inFlight) > 0 { recovery.pause(halvesRate: false, chance: chance, at: now) }
            giveBack(inFlight, counted: true)
        }
        return waiters.collect()
    }

    private mutating func release(_ inFlight: InFlightRequest) {
        for (queue, _) in inFlight.pending { queues[queue].sent = nil }
        for queue in inFlight.job.flatMap({ jobs[$0]?.queues }) ?? [] { queues[queue].sent = nil }
    }

    private mutating func settle(_ inFlight: InFlightRequest, _ reason: (ResourceID?) -> Completion.Miss.Reason?) {
        for (queue, pending) in inFlight.pending {
            let light = queues[queue].light
            let miss = reason(light).map { Completion.Miss(light: light, reason: $0) }
            for token in pending.tokens { waiters.settle(token, miss) }
        }
        if let id = inFlight.job {
            jobs[id] = nil
            waiters.settle(id, reason(nil).map { Completion.Miss(light: nil, reason: $0) })
        }
    }

    /// Whether a refusal of the key in answer to a request means that the key is lost. Perhaps it was something in between,
    /// such as a proxy, which may have refused all that was under way: a key is lost only if it is refused again.
    func isKeyLost(by request: UInt64) -> Bool { inFlightRequests[request].map(isKeyLost) ?? false }

    private func isKeyLost(by inFlight: InFlightRequest) -> Bool { keyRefused.map { inFlight.sent > $0 } ?? false }

    /// Whether somebody else has changed a light of a request that is in flight.
    func hasYielded(_ request: UInt64) -> Bool { inFlightRequests[request].map { !$0.yielded.isEmpty } ?? false }

    /// How often it was sent before, in vain.
    private func returns(of inFlight: InFlightRequest) -> Int {
        inFlight.job.flatMap { jobs[$0]?.returns } ?? inFlight.pending.map(\.pending.returns).max() ?? 0
    }

    /// Puts back what was not delivered, before everything asked later. Newer values that came meanwhile overtake it.
    private mutating func giveBack(_ inFlight: InFlightRequest, counted: Bool) {
        for (queue, pending) in inFlight.pending {
            var pending = pending
            guard !inFlight.yielded.contains(queue) else {
                let miss = Completion.Miss(light: queues[queue].light, reason: .withdrawn)
                for token in pending.tokens { waiters.settle(token, miss) }
                continue
            }
            if counted { pending.comeBack() }
            for token in queues[queue].giveBack(pending) { waiters.settle(token) }
            note(queue)
        }
        guard let id = inFlight.job, var job = jobs[id] else { return }
        job.isInFlight = false
        if counted { job.returns += 1 }
        jobs[id] = job
        for queue in job.queues {
            queues[queue].giveBack(job: id)
            note(queue)
        }
    }
}

extension Delivery {
    /// Whether the bridge has said so to one whose key it knows.
    fileprivate var hasKnownKey: Bool {
        switch self {
        case .done, .doubted, .refused: true
        default: false
        }
    }

    /// After this many faults in a row, the fault will last.
    private static let mostFaults = 3

    fileprivate func judged(after returns: Int) -> Self {
        if case let .faulty(words) = self, returns >= Self.mostFaults { .refused(BridgeWords(words)) } else { self }
    }
}
