import HueWire

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

    /// When frames of a flood are sent next; `nil` without one. A flood comes in small waves.
    var nextFlood: Duration? { faults.lasting(.eventFlood, at: now()) == nil ? nil : lastFlood + .milliseconds(20) }

    /// Sends the frames of a flood that are due, at most those of a second.
    func sendFlood() {
        guard let fault = faults.lasting(.eventFlood, at: now())?.fault, let due = nextFlood, now() >= due else {
            return
        }
        let count = min((now() - lastFlood) / .seconds(1), 1) * Double(fault.number)
        lastFlood = now()
        guard let lamp = home.lamps.first(where: \.kind.dims) else { return }
        let level = Level.percent(bri: lamp.level)
        // The last frame tells the truth.
        for number in stride(from: 2 * Int((count / 2).rounded(.up)), to: 0, by: -1) {
            let shown = number % 2 == 1 ? level : level > 50 ? level - 1 : level + 1
            let document: JSONValue = [
                "id": .id(lamp.id), "type": "light", "owner": .reference(lamp.ids.device, .device),
                "dimming": ["brightness": .number(shown)],
            ]
            hub.send(hub.batch([("update", [document])], at: today()).frame)
        }
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
