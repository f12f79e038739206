import Lighting

/// Polling a bridge that sends no events: one that speaks API v1, which has no stream, and one whose stream is refused
/// or silent until it is restarted, as some are (homebridge-hue#1139, core#181864). The latter is asked for a stream
/// again and again, as is one that sends more events than can be taken in.
extension ConnectionStateMachine {
    struct Polling: Equatable, Sendable {
        /// How often rooms, scenes and names are read: they change by hand, and the answer is long.
        static let wholeInterval = Duration.seconds(60)

        fileprivate enum Step: Equatable, Sendable {
            case fetching, identifying, waiting, asking
        }

        /// The attempt to get a stream that speaks.
        fileprivate enum Trial: Equatable, Sendable {
            case waiting(until: Duration)
            case opening(until: Duration)
            case proving(KeepAliveProbe)

            var nextWake: Duration? {
                switch self {
                case let .waiting(until: time), let .opening(until: time): time
                case let .proving(probe): probe.deadline
                }
            }
        }

        fileprivate var step = Step.fetching
        fileprivate var rhythm: PollRhythm
        fileprivate var lastWhole: Duration
        /// `nil`: the bridge has no stream.
        fileprivate var trial: Trial?

        fileprivate init(_ rhythm: PollRhythm, since now: Duration, _ trial: Trial?) {
            self.rhythm = rhythm
            self.rhythm.asked(at: now)
            lastWhole = now
            self.trial = trial
        }

        var nextWake: Duration? {
            [step == .waiting ? rhythm.due : nil, trial?.nextWake].compactMap(\.self).min()
        }
    }

    mutating func startPolling(at now: Duration) -> [Action] {
        state = .polling(
            Polling(
                PollRhythm(interval: pollInterval), since: now,
                hasEventStream ? .waiting(until: now + timeouts.streamRetry) : nil))
        return [.begin(.everything)]
    }

    mutating func poll(_ input: Input, _ polling: Polling, at now: Duration) throws(Failure) -> [Action] {
        var polling = polling
        var actions: [Action] = []
        switch (input, polling.step) {
        case (.fetched, .fetching):
            polling.step = .identifying
            actions = connect(at: now)
        case (.identified, .identifying):
            polling.step = .waiting
            actions = [.publishConnected(by: .polling(every: pollInterval))]
        case (.polled, .asking): polling.step = .waiting
        case let (.pollInterval(interval), step) where interval != polling.rhythm.interval:
            polling.rhythm.interval = interval
            if step == .waiting || step == .asking { actions = [.publishConnected(by: .polling(every: interval))] }
        case (.written, .waiting), (.written, .asking): polling.rhythm.commanded(at: now)
        case (.failed(.everything, let failure), _), (.failed(.poll, let failure), _): throw failure
        default: break
        }
        if polling.step == .waiting, now >= polling.rhythm.due {
            polling.rhythm.asked(at: now)
            let isWhole = now >= polling.lastWhole + Polling.wholeInterval
            if isWhole { polling.lastWhole = now }
            polling.step = .asking
            actions.append(.begin(.poll(everything: isWhole)))
        }
        let (isHeard, more) = tryStream(input, &polling.trial, at: now)
        guard !isHeard else { return [.cancelAll] + openStream(isDoubtful: false, at: now) }
        state = .polling(polling)
        return actions + more
    }

    /// - Returns: whether the stream on trial speaks.
    private func tryStream(_ input: Input, _ trial: inout Polling.Trial?, at now: Duration) -> (Bool, [Action]) {
        switch (trial, input) {
        case let (.waiting(until: time)?, _) where now >= time:
            trial = .opening(until: now + timeouts.streamResponse)
            return (false, [.begin(.stream)])
        case (.opening?, .streamOpened):
            trial = .proving(KeepAliveProbe(echo: timeouts.echo))
            return (false, [.begin(.keepAliveProbe)])
        case (.opening?, .streamRefused), (.opening?, .failed(.stream, _)), (.opening?, .streamFlooded),
            (.proving?, .failed), (.proving?, .streamFlooded):
            break
        case let (.opening(until: end)?, _) where now >= end: break
        case (.proving(var probe)?, _):
            let verdict = probe.handle(input, at: now)
            switch verdict {
            case .alive: return (true, [])
            case .silent: break
            case .pending, .needsAudit:
                trial = .proving(probe)
                return (false, verdict == .needsAudit ? [.begin(.audit(.insteadOfProbe))] : [])
            }
        default: return (false, [])
        }
        trial = .waiting(until: now + timeouts.streamRetry)
        return (false, [.cancel(.stream), .cancel(.keepAliveProbe), .cancel(.audit(.insteadOfProbe))])
    }
}
