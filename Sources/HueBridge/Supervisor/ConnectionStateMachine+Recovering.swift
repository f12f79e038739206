import Lighting

/// From the loss of a connection to the next attempt: a pause, a search for the bridge at other addresses, or both.
extension ConnectionStateMachine {
    struct Waiting: Equatable, Sendable {
        /// Why the connection was lost, as far as it decides what to do.
        enum Reason: Equatable, Sendable {
            case unreachable, keyRefused, certificateRefused
        }

        let reason: Reason
        let end: Duration
    }

    mutating func recover(from failure: Failure, at now: Duration, chance: Double) -> [Action] {
        switch failure {
        case .keyRefused: return wait(.keyRefused, for: timeouts.refusedKey, at: now)
        // Another device may have its address now.
        case .certificateRefused: return rediscover(thenWaits: true)
        default: return wait(.unreachable, for: backoff.next(chance: chance), at: now)
        }
    }

    private mutating func wait(_ reason: Waiting.Reason, for pause: Duration, at now: Duration) -> [Action] {
        let waiting = Waiting(reason: reason, end: now + pause)
        state = .waiting(waiting)
        // An address may have been announced meanwhile.
        return announced(waiting, at: now)
    }

    mutating func wait(_ input: Input, _ waiting: Waiting, at now: Duration) -> [Action] {
        if case .announced = input { return announced(waiting, at: now) }
        guard now >= waiting.end else { return [] }
        // The first attempt is at the address that worked until now.
        return waiting.reason == .unreachable && backoff.attempt > 1 ? rediscover() : attempt(at: now)
    }

    private mutating func announced(_ waiting: Waiting, at now: Duration) -> [Action] {
        guard addresses.hasUntried else { return [] }
        switch waiting.reason {
        case .keyRefused: return []
        case .certificateRefused: return rediscover()
        case .unreachable:
            // Announced where it was, it is just back; elsewhere, it has moved.
            return addresses.settle().subtracting([addresses.current]).isEmpty ? attempt(at: now) : rediscover()
        }
    }

    /// - Parameter thenWaits: whether to wait, if the bridge is nowhere else, rather than try again at once.
    private mutating func rediscover(thenWaits: Bool = false) -> [Action] {
        addresses.settle()
        state = .rediscovering(thenWaits: thenWaits)
        return [.begin(.rediscovery)]
    }

    mutating func rediscover(_ input: Input, thenWaits: Bool, at now: Duration) -> [Action] {
        guard case let .rediscovered(address) = input else { return [] }
        if let address {
            addresses.current = address
            return [.move(to: address)] + attempt(at: now)
        }
        return thenWaits ? wait(.certificateRefused, for: timeouts.foreignCertificate, at: now) : attempt(at: now)
    }
}
