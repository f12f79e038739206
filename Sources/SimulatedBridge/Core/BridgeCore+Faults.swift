import FoundationEssentials
import HueWire

/// What faults make of requests, of the event stream and of the bridge itself.
extension BridgeCore {
    /// What a fault does to the answer that is being made.
    struct ResponseFaults: Sendable {
        /// The key that the client has is not known.
        var deniesKey = false
        /// Lamps are switched on, and nothing else.
        var onlySwitches = false
    }

    // MARK: - Beginning and ending

    /// The faults that are active, oldest first.
    var activeFaults: [FaultRegistry.ActiveFault] { faults.active(at: now()) }

    func begin(_ fault: Fault) {
        faults.begin(fault, at: now())
        if fault.kind == .clockWrong { hub.clockWasSet() }
    }

    /// Ends what is of this kind, or everything.
    @discardableResult
    func end(_ kind: FaultKind?) -> [Fault] {
        let ended = faults.end(kind, at: now())
        let kinds = Set(ended.map(\.kind))
        if kinds.contains(.clockWrong) { hub.clockWasSet() }
        if kinds.contains(.reorderEvents), let frame = injector.release() { hub.tell(frame) }
        if kinds.contains(.hang) { endHangs() }
        return ended
    }

    /// The bridge is back after a reboot, and with it what a reboot cures.
    func rebooted() {
        booted = now()
        faults.end(.eventsRefused, at: now())
    }

    private func endHangs() {
        for one in hung.values { one.finish() }
        hung = [:]
    }

    func ended(_ hang: HangingRequest) { hung[hang.number] = nil }

    /// When a fault ends by itself that another server or certificate is needed for.
    var nextLifeEnd: Duration? { faults.nextEnd(of: .lives, after: now()) }

    func lasting(_ kind: FaultKind) -> Fault? { faults.lasting(kind, at: now())?.fault }

    var isPairingOpen: Bool {
        if lasting(.noButton) != nil { return true }
        if let pressed = faults.lasting(.buttonPressed, at: now()),
            now() <= pressed.since + .seconds(pressed.fault.number)
        {
            return true
        }
        return buttonUntil.map { now() <= $0 } ?? false
    }

    // MARK: - Requests

    /// Looks at a request where something may go wrong.
    func struck(_ request: BridgeRequest) -> ReplyTransmission {
        let (trigger, now) = (FaultTrigger(request), now())
        faults.removeExpired(at: now)
        var handling = ReplyTransmission(verdict(request, trigger, now) ?? bentAnswer(request, trigger, now))
        if case let .response(response) = handling.reaction, response.body.count > 1 {
            if faults.strike(.truncated, trigger, at: now) != nil {
                var half = response
                half.body = Array(response.body.prefix(response.body.count / 2))
                handling.reaction = .response(half)
            }
            handling.isReset = faults.strike(.reset, trigger, at: now) != nil
        }
        if let late = faults.strike(.latency, trigger, at: now) { handling.delay += .milliseconds(late.number) }
        if let slow = faults.strike(.slow, trigger, at: now) {
            handling.delay += faults.time(upTo: .milliseconds(slow.number))
        }
        if faults.lasting(.reboot, at: now) != nil { handling.delay += .seconds(1) }
        handling.isLast =
            faults.strike([.goaway], trigger, at: now) { request.place.isMultiple(of: $0.fault.number) } != nil
        return handling
    }

    /// What is answered without a look at the request.
    private func verdict(_ request: BridgeRequest, _ trigger: FaultTrigger, _ now: Duration) -> BridgeReply? {
        let fault = faults.strike(.verdicts, trigger, at: now) { [inFlight, booted] entry in
            switch entry.fault.kind {
            case .loneWrites: request.method == "PUT" && inFlight > 0
            case .errorAfterUptime:
                ["api", "clip"].contains(request.path.first) && now - booted >= .seconds(entry.fault.number)
            case .eventsRefused: request.path.first == "eventstream"
            default: true
            }
        }
        switch fault?.kind {
        case .hangUp: return .hangUp
        case .hang: return .hang(hang())
        case .errorAfterUptime: return .response(.page(500))
        case .busy, .loneWrites, .eventsRefused: return .response(.page(fault?.number ?? 503))
        default: return nil
        }
    }

    private func hang() -> HangingRequest {
        hangs += 1
        let (over, end) = AsyncStream<Never>.makeStream()
        hung[hangs] = end
        return HangingRequest(number: hangs, over: over, end: end)
    }

    private func bentAnswer(_ request: BridgeRequest, _ trigger: FaultTrigger, _ now: Duration) -> BridgeReply {
        self.trigger = trigger
        defer { (self.trigger, answering) = (nil, ResponseFaults()) }
        if request.showsKey { answering.deniesKey = faults.strike(.keyRevoked, trigger, at: now) != nil }
        if CommandFaultInjector.isOnAndMore(request) {
            answering.onlySwitches = faults.strike(.error201, trigger, at: now) != nil
        }
        if isHidden(request, trigger, now) { return .response(.notFound) }
        let reaction = answered(request)
        guard case var .response(response) = reaction else { return reaction }
        if answering.onlySwitches, response.status == 200 { response = CommandFaultInjector.refusingAllButOn(response) }
        if CommandFaultInjector.isCommand(request), response.status == 200,
            faults.strike(.communicationErrors, trigger, at: now) != nil
        {
            response = CommandFaultInjector.doubting(response, to: request)
        }
        return .response(bent(response, to: request, trigger, now))
    }

    /// Whether a command goes to a grouped light that is not to be there.
    private func isHidden(_ request: BridgeRequest, _ trigger: FaultTrigger, _ now: Duration) -> Bool {
        let path = request.resourcePath
        guard request.method != "GET", path.count == 5, path[3] == "grouped_light", isKnown(request.key) else {
            return false
        }
        return faults.strike([.noGroupedLight], trigger, at: now) { [home] entry in
            home.hidden(entry.fault.text).contains(ResourceID(path[4]))
        } != nil
    }

    /// An answer of API v2 with its resources as faults have them be.
    private func bent(_ response: BridgeResponse, to request: BridgeRequest, _ trigger: FaultTrigger, _ now: Duration)
        -> BridgeResponse
    {
        guard request.method == "GET", response.status == 200, request.path.first == "clip",
            let documents = (try? JSONDecoder().decode(JSONValue.self, from: Data(response.body)))?["data"]?.array
        else { return response }
        let injector = DocumentFaultInjector(home: home, derive: derive)
        let isWhole = request.resourcePath.count == 3 && request.query == nil
        let bent = faults.bend(documents, .documents, trigger, at: now) { fault, documents in
            injector.bend(documents, by: fault, isWhole ? .list : .part)
        }
        if bent == documents { return response }
        return request.resourcePath.count == 5 && bent.isEmpty ? .notFound : .data(bent)
    }

    // MARK: - Commands

    /// What becomes of a decision on its way to the lamps.
    func bent(_ decision: Decision) -> CommandFaultInjector.CommandEffects {
        var orders = CommandFaultInjector.CommandEffects(changes: decision.changes, radio: decision.radio)
        guard let trigger else { return orders }
        if answering.onlySwitches { orders.changes = CommandFaultInjector.onlySwitched(orders.changes) }
        return faults.bend(orders, [.offTransitionLevel, .popcorn], trigger, at: now()) { fault, orders in
            CommandFaultInjector.bend(orders, by: fault)
        }
    }

    /// Sends a message to the lamps; some may not hear it.
    func send(_ message: RadioMessage) {
        var unreached: Set<ResourceID> = []
        if let trigger, case let .broadcast(lamps, over: _) = message, !lamps.isEmpty,
            case let moved = lamps.filter({ mesh.lightState(of: $0, at: now()) != home.lamp($0)?.lightState }),
            !moved.isEmpty,
            let fault = faults.strike(.stragglers, trigger, at: now())
        {
            // Of those that would change: who is left behind where it is anyhow is not seen to be.
            unreached = Set(faults.pick(fault.number, of: moved))
        }
        mesh.send(message, wanted: home, at: now(), unreached: unreached)
    }

    // MARK: - The event stream

    /// Tells what was gathered, as far as faults let it through.
    func tellNews() {
        guard let batch = hub.gather(at: today()), faults.lasting(.silentStream, at: now()) == nil else { return }
        guard !faults.isQuiet, hub.hasReaders else { return hub.tell(batch.frame) }
        let outcome = injector.bend(batch, by: &faults, of: home, at: now())
        for told in outcome.frames { hub.tell(told.frame, in: told.pieces) }
        if outcome.isLast { hub.endStreams() }
    }

    func openStream(_ request: BridgeRequest) -> EventReader {
        guard !faults.isQuiet else { return hub.open(after: request.lastEventID) }
        let now = now()
        var more: [EventHub.EventBatch] = []
        let presses = ghosts
        if !presses.isEmpty, faults.strike(.ghostButtons, FaultTrigger(request), at: now) != nil {
            more = [hub.batch([("update", presses)], at: today())]
        }
        return hub.open(after: request.lastEventID, more: more) { injector.encode($0, by: &faults, at: now) }
    }

    /// The last press of every button, and the last turn of every ring, as an event tells it.
    private var ghosts: [JSONValue] {
        home.accessories.flatMap(\.documents).compactMap { document in
            guard let members = document.object else { return nil }
            let report = members["button"]?["button_report"] ?? members["relative_rotary"]?["rotary_report"]
            guard report != nil else { return nil }
            return .object(
                members.filter { ["id", "id_v1", "owner", "type", "button", "relative_rotary"].contains($0.key) })
        }
    }
}

extension BridgeRequest {
    /// Its path without the slash that some clients write at the end.
    var resourcePath: [String] { path.last == "" ? path.dropLast() : path }

    /// Whether it matters for the answer who asks.
    fileprivate var showsKey: Bool {
        switch path.first {
        case "api": path.count > 2 || path.count == 2 && path[1] != "config"
        case "clip", "eventstream", "auth": key != nil
        default: false
        }
    }
}
