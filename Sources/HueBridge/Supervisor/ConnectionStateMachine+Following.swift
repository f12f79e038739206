import Lighting

/// Following the event stream: is it still alive, does it leave nothing out, and is the bridge still where it was?
extension ConnectionStateMachine {
    struct Following: Equatable, Sendable {
        var silence: LastHeard
        fileprivate var probe: KeepAliveProbe?
        /// Without an echo the stream may be dead although the bridge is not.
        fileprivate var echoCheck = EchoCheck()
        /// `nil` during an audit.
        fileprivate var auditDue: Duration?
        /// When everything is read with the next audit.
        fileprivate var wholeDue: Duration
        fileprivate var isCheckingAddress = false

        init(_ silence: LastHeard, auditDue: Duration) {
            self.silence = silence
            self.auditDue = auditDue
            wholeDue = auditDue + Polling.wholeInterval
        }

        func nextWake(_ timeouts: Timeouts) -> Duration? {
            let silenceEnd = probe == nil ? silence.heard + timeouts.silence : nil
            return [probe?.deadline, silenceEnd, echoCheck.due, auditDue].compactMap(\.self).min()
        }

        mutating func beginDueChecks(_ addresses: AddressWatcher, _ timeouts: Timeouts, at now: Duration) -> [Action] {
            var actions: [Action] = []
            let isEchoMissing =
                echoCheck.isDue(at: now, timeouts.writeEcho) && silence.isSilent(for: timeouts.writeEcho, at: now)
            if probe == nil, isEchoMissing || silence.isSilent(for: timeouts.silence, at: now) {
                probe = KeepAliveProbe(echo: timeouts.echo)
                actions.append(.begin(.keepAliveProbe))
            }
            if let due = auditDue, now >= due {
                auditDue = nil
                actions.append(.begin(.audit(now >= wholeDue ? .whole : .routine)))
            }
            if !isCheckingAddress, addresses.hasUntriedOfBridge {
                isCheckingAddress = true
                actions.append(.begin(.addressCheck))
            }
            return actions
        }
    }

    mutating func follow(_ input: Input, _ following: Following, at now: Duration) throws(Failure) -> [Action] {
        var following = following
        var actions: [Action] = []
        switch input {
        case .heard, .audited(.insteadOfProbe, foundDifference: false):
            following.silence = LastHeard(since: now)
        case let .written(isAnswered: isAnswered):
            // What swallowed the answer may have swallowed the events before it.
            following.echoCheck.wrote(at: now, isAnswered ? timeouts.writeEcho : .zero)
        case .audited(.routine, foundDifference: _): following.auditDue = now + timeouts.audit
        case .audited(.whole, foundDifference: _):
            following.auditDue = now + timeouts.audit
            following.wholeDue = now + Polling.wholeInterval
        case .addressChecked(isThere: true):
            following.isCheckingAddress = false
            addresses.settle()
        // It left without a word. A connection that works is not given up for an announcement.
        case .addressChecked(isThere: false):
            throw .unreachable(bridge, because: "it announces itself elsewhere, and answers here no longer")
        // The bridge is slow or busy: its stream goes on, and is probed if it falls silent.
        case .failed(.audit(.routine), .unreachable), .failed(.audit(.whole), .unreachable):
            following.auditDue = now + timeouts.auditRetry
        case .failed(_, let failure): throw failure
        default: break
        }
        switch following.probe?.handle(input, at: now) {
        case .silent?: throw silent
        case .alive?: following.probe = nil
        case .needsAudit?: actions.append(.begin(.audit(.insteadOfProbe)))
        case .pending?, nil: break
        }
        actions += following.beginDueChecks(addresses, timeouts, at: now)
        state = .following(following)
        return actions
    }
}

/// When to check for the event that a write should have caused. Writes that come before the check share the one after
/// it.
private struct EchoCheck: Equatable, Sendable {
    private(set) var due: Duration?
    private var isWrittenSince = false

    mutating func wrote(at now: Duration, _ timeout: Duration) {
        let time = now + timeout
        if let due, due <= time { isWrittenSince = true } else { due = time }
    }

    mutating func isDue(at now: Duration, _ timeout: Duration) -> Bool {
        guard let time = due, now >= time else { return false }
        due = isWrittenSince ? now + timeout : nil
        isWrittenSince = false
        return true
    }
}
