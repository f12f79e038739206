/// Beginning and ending faults. Their effects are in the fault injectors.
extension BridgeCore {
    /// The faults that are active, oldest first.
    var activeFaults: [FaultRegistry.ActiveFault] { faults.active(at: now()) }

    func begin(_ fault: Fault) {
        faults.begin(fault, at: now())
        if fault.kind == .clockWrong { hub.clockWasSet() }
    }

    /// Ends the faults of this kind, or all.
    @discardableResult
    func end(_ kind: FaultKind?) -> [Fault] {
        let ended = faults.end(kind, at: now())
        let kinds = Set(ended.map(\.kind))
        if kinds.contains(.clockWrong) { hub.clockWasSet() }
        if kinds.contains(.reorderEvents), let frame = eventFaults.release() { hub.tell(frame) }
        if kinds.contains(.hang) { endHangingRequests() }
        return ended
    }

    /// Notes the end of a reboot, which also ends the faults that a reboot cures.
    func rebooted() {
        booted = now()
        faults.end(.eventsRefused, at: now())
    }

    func makeHangingRequest() -> HangingRequest {
        hangCount += 1
        let (over, end) = AsyncStream<Never>.makeStream()
        hangingRequests[hangCount] = end
        return HangingRequest(number: hangCount, over: over, end: end)
    }

    private func endHangingRequests() {
        for request in hangingRequests.values { request.finish() }
        hangingRequests = [:]
    }

    func ended(_ request: HangingRequest) { hangingRequests[request.number] = nil }

    /// When the next fault ends that needs another server or certificate.
    var nextRestart: Duration? { faults.nextEnd(of: .needingRestart, after: now()) }

    func lasting(_ kind: FaultKind) -> Fault? { faults.lasting(kind, at: now())?.fault }
}
