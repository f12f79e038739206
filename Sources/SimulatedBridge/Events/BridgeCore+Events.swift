import HueWire

/// The event stream.
extension BridgeCore {
    /// `/eventstream/clip/v2`: a stream, or a long poll as early firmware had it.
    func events(_ request: BridgeRequest, _ injector: RequestFaultInjector) -> BridgeReply {
        guard request.path == ["eventstream", "clip", "v2"], request.method == "GET" else {
            return .response(.page(404))
        }
        guard isKnown(request.key, injector) else { return .response(.page(403)) }
        guard request.accept?.contains("text/event-stream") == true else {
            return .poll(hub.poll(after: request.ifNoneMatch))
        }
        return .stream(openStream(request))
    }

    private func openStream(_ request: BridgeRequest) -> EventReader {
        guard !faults.isIdle else { return hub.open(after: request.lastEventID) }
        let now = now()
        var repeated: [EventHub.EventBatch] = []
        let presses = EventFaultInjector.lastPresses(in: home)
        if !presses.isEmpty, faults.trigger(.ghostButtons, FaultTrigger(request), at: now) != nil {
            repeated = [hub.batch([("update", presses)], at: today())]
        }
        return hub.open(after: request.lastEventID, more: repeated) { eventFaults.encode($0, by: &faults, at: now) }
    }

    /// Sends the collected changes, altered by the active faults.
    func sendEvents() {
        guard let batch = hub.gather(at: today()), faults.lasting(.silentStream, at: now()) == nil else { return }
        guard !faults.isIdle || eventFaults.awaitsFrame, hub.hasReaders else { return hub.send(batch.frame) }
        let replacement = eventFaults.apply(&faults, to: batch, of: home, at: now())
        for sent in replacement.frames { hub.send(sent.frame, in: sent.pieces) }
        if replacement.isLast { hub.endStreams() }
        if eventFaults.holdsFrame { scheduleWake() }
    }

    /// Ends all streams and drops the frame that a fault holds back, as a reboot does.
    func endStreams() {
        hub.close()
        _ = eventFaults.release()
    }
}
