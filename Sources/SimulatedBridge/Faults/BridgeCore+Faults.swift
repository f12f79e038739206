/// Beginning and ending faults. Their effects are in the fault injectors.
extension BridgeCore {
    /// The active faults, oldest first.
    var activeFaults: [FaultRegistry.ActiveFault] { faults.active(at: now()) }

    func begin(_ fault: Fault) {
        // The fault that it replaces may hold a frame back.
        if fault.kind == .reorderEvents { end(.reorderEvents) }
        faults.begin(fault, at: now())
        if fault.kind == .clockWrong { hub.clockWasSet() }
        network.set(faults.network(at: now()))
        scheduleWake()
    }

    /// Ends the faults of this kind, or all.
    @discardableResult
    func end(_ kind: FaultKind?) -> [Fault] {
        let ended = faults.end(kind, at: now())
        let kinds = Set(ended.map(\.kind))
        if kinds.contains(.clockWrong) { hub.clockWasSet() }
        sendHeldFrame()
        if kinds.contains(.hang) { endHangingRequests() }
        network.set(faults.network(at: now()))
        return ended
    }

    /// Sends the frame that a fault holds back, if that fault has ended.
    func sendHeldFrame() {
        guard faults.lasting(.reorderEvents, at: now()) == nil, let frame = eventFaults.release() else { return }
        if faults.lasting(.silentStream, at: now()) == nil { hub.send(frame) }
    }

    /// Restarts the uptime after a reboot, and ends the faults that last until one.
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

    /// When the next of the faults ends that need another server or certificate.
    var nextRestart: Duration? { faults.nextEnd(of: .needingRestart, after: now()) }

    func lasting(_ kind: FaultKind) -> Fault? { faults.lasting(kind, at: now())?.fault }
}

extension FaultRegistry {
    /// What the active faults make of the network.
    func network(at now: Duration) -> BridgeNetwork.Condition {
        BridgeNetwork.Condition(
            isSlow: lasting(.slowDrip, at: now) != nil, isClosed: lasting(.noNewConnections, at: now) != nil)
    }
}
