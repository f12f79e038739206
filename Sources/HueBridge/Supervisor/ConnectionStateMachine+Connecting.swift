import Lighting

/// From the first request for the event stream to a connection: the stream is opened before everything is fetched, so
/// that nothing that happens meanwhile is missed.
extension ConnectionStateMachine {
    /// Statuses of a bridge that is too busy to stream, not unable to.
    private static let overloaded: Set = [429, 500, 502, 503]

    mutating func attempt(at now: Duration) -> [Action] {
        // A stream that follows a silent one may be as silent.
        hasEventStream ? openStream(isDoubtful: isAfterSilence, at: now) : startPolling(at: now)
    }

    mutating func openStream(isDoubtful: Bool, at now: Duration) -> [Action] {
        state = .opening(until: now + timeouts.streamResponse, isDoubtful: isDoubtful)
        return [.begin(.stream)]
    }

    mutating func open(_ input: Input, until end: Duration, _ isDoubtful: Bool, at now: Duration) throws(Failure)
        -> [Action]
    {
        switch input {
        case .streamOpened where isDoubtful:
            state = .proving(KeepAliveProbe(echo: timeouts.echo))
            return [.begin(.keepAliveProbe)]
        case .streamOpened: return fetchEverything(at: now)
        case let .streamRefused(status: status) where Self.overloaded.contains(status):
            return startPolling(at: now)
        case let .streamRefused(status: status): throw refusal(status)
        case .failed(.stream, let failure): throw failure
        case .woke where now >= end: return [.cancel(.stream)] + startPolling(at: now)
        default: return []
        }
    }

    mutating func prove(_ input: Input, _ probe: KeepAliveProbe, at now: Duration) throws(Failure) -> [Action] {
        if case let .failed(_, failure) = input { throw failure }
        var probe = probe
        let verdict = probe.handle(input, at: now)
        switch verdict {
        case .alive: return fetchEverything(at: now)
        case .silent: return [.cancel(.stream)] + startPolling(at: now)
        case .pending, .needsAudit:
            state = .proving(probe)
            return verdict == .needsAudit ? [.begin(.audit(.insteadOfProbe))] : []
        }
    }

    private mutating func fetchEverything(at now: Duration) -> [Action] {
        state = .fetching(LastHeard(since: now))
        return [.begin(.everything)]
    }

    mutating func fetch(_ input: Input, _ silence: LastHeard, at now: Duration) throws(Failure) -> [Action] {
        switch input {
        case .heard: state = .fetching(LastHeard(since: now))
        case .fetched:
            state = .identifying(silence)
            return [.applyEvents] + connect(at: now)
        case .failed(_, let failure): throw failure
        default: break
        }
        return []
    }

    mutating func identify(_ input: Input, _ silence: LastHeard, at now: Duration) throws(Failure) -> [Action] {
        switch input {
        case .heard: state = .identifying(LastHeard(since: now))
        case .identified:
            var following = Following(silence, auditDue: now + timeouts.audit)
            let actions = following.beginDueChecks(addresses, timeouts, at: now)
            state = .following(following)
            return [.publishConnected(by: .stream)] + actions
        case .failed(_, let failure): throw failure
        default: break
        }
        return []
    }

    /// What a status means that is not the beginning of a stream.
    private func refusal(_ status: Int) -> Failure {
        switch status {
        case 401, 403: .keyRefused(by: bridge)
        case 404: .unreachable(bridge, because: "it does not speak API v2; its firmware is too old")
        default: .unreachable(bridge, because: "HTTP \(status) for its event stream")
        }
    }
}
