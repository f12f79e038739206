import FoundationEssentials
import HueWire

/// What faults make of requests, of the event stream and of the bridge itself.
extension BridgeCore {
    /// What a fault does to the answer that is being made.
    struct Answering: Sendable {
        /// The key that the client has is not known.
        var deniesKey = false
        /// Lamps are switched on, and nothing else.
        var onlySwitches = false
    }

    // MARK: - Beginning and ending

    /// The faults that are active, oldest first.
    var activeFaults: [FaultBook.Entry] { faults.active(at: now()) }

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
        if kinds.contains(.reorderEvents), let frame = bender.release() { hub.tell(frame) }
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

    func ended(_ hang: Hang) { hung[hang.number] = nil }

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
    func struck(_ ask: Ask) -> Handling {
        let (occasion, now) = (Occasion(ask), now())
        faults.look(at: now)
        var handling = Handling(verdict(ask, occasion, now) ?? bentAnswer(ask, occasion, now))
        if case let .answer(answer) = handling.reaction, answer.body.count > 1 {
            if faults.strike(.truncated, occasion, at: now) != nil {
                var half = answer
                half.body = Array(answer.body.prefix(answer.body.count / 2))
                handling.reaction = .answer(half)
            }
            handling.isReset = faults.strike(.reset, occasion, at: now) != nil
        }
        if let late = faults.strike(.latency, occasion, at: now) { handling.delay += .milliseconds(late.number) }
        if let slow = faults.strike(.slow, occasion, at: now) {
            handling.delay += faults.time(upTo: .milliseconds(slow.number))
        }
        if faults.lasting(.reboot, at: now) != nil { handling.delay += .seconds(1) }
        handling.isLast =
            faults.strike([.goaway], occasion, at: now) { ask.place.isMultiple(of: $0.fault.number) } != nil
        return handling
    }

    /// What is answered without a look at the request.
    private func verdict(_ ask: Ask, _ occasion: Occasion, _ now: Duration) -> Reaction? {
        let fault = faults.strike(.verdicts, occasion, at: now) { [inFlight, booted] entry in
            switch entry.fault.kind {
            case .loneWrites: ask.method == "PUT" && inFlight > 0
            case .errorAfterUptime:
                ["api", "clip"].contains(ask.path.first) && now - booted >= .seconds(entry.fault.number)
            case .eventsRefused: ask.path.first == "eventstream"
            default: true
            }
        }
        switch fault?.kind {
        case .hangUp: return .hangUp
        case .hang: return .hang(hang())
        case .errorAfterUptime: return .answer(.page(500))
        case .busy, .loneWrites, .eventsRefused: return .answer(.page(fault?.number ?? 503))
        default: return nil
        }
    }

    private func hang() -> Hang {
        hangs += 1
        let (over, end) = AsyncStream<Never>.makeStream()
        hung[hangs] = end
        return Hang(number: hangs, over: over, end: end)
    }

    private func bentAnswer(_ ask: Ask, _ occasion: Occasion, _ now: Duration) -> Reaction {
        self.occasion = occasion
        defer { (self.occasion, answering) = (nil, Answering()) }
        if ask.showsKey { answering.deniesKey = faults.strike(.keyRevoked, occasion, at: now) != nil }
        if CommandBender.isOnAndMore(ask) {
            answering.onlySwitches = faults.strike(.error201, occasion, at: now) != nil
        }
        if isHidden(ask, occasion, now) { return .answer(.notFound) }
        let reaction = answered(ask)
        guard case var .answer(answer) = reaction else { return reaction }
        if answering.onlySwitches, answer.status == 200 { answer = CommandBender.refusingAllButOn(answer) }
        if CommandBender.isCommand(ask), answer.status == 200,
            faults.strike(.communicationErrors, occasion, at: now) != nil
        {
            answer = CommandBender.doubting(answer, to: ask)
        }
        return .answer(bent(answer, to: ask, occasion, now))
    }

    /// Whether a command goes to a grouped light that is not to be there.
    private func isHidden(_ ask: Ask, _ occasion: Occasion, _ now: Duration) -> Bool {
        let path = ask.resourcePath
        guard ask.method != "GET", path.count == 5, path[3] == "grouped_light", isKnown(ask.key) else {
            return false
        }
        return faults.strike([.noGroupedLight], occasion, at: now) { [home] entry in
            home.hidden(entry.fault.text).contains(ResourceID(path[4]))
        } != nil
    }

    /// An answer of API v2 with its resources as faults have them be.
    private func bent(_ answer: Answer, to ask: Ask, _ occasion: Occasion, _ now: Duration) -> Answer {
        guard ask.method == "GET", answer.status == 200, ask.path.first == "clip",
            let documents = (try? JSONDecoder().decode(JSONValue.self, from: Data(answer.body)))?["data"]?.array
        else { return answer }
        let bender = DocumentBender(home: home, derive: derive)
        let isWhole = ask.resourcePath.count == 3 && ask.query == nil
        let bent = faults.bend(documents, .documents, occasion, at: now) { fault, documents in
            bender.bend(documents, by: fault, isWhole ? .list : .part)
        }
        if bent == documents { return answer }
        return ask.resourcePath.count == 5 && bent.isEmpty ? .notFound : .data(bent)
    }

    // MARK: - Commands

    /// What becomes of a decision on its way to the lamps.
    func bent(_ decision: Decision) -> CommandBender.Orders {
        var orders = CommandBender.Orders(changes: decision.changes, radio: decision.radio)
        guard let occasion else { return orders }
        if answering.onlySwitches { orders.changes = CommandBender.onlySwitched(orders.changes) }
        return faults.bend(orders, [.offTransitionLevel, .popcorn], occasion, at: now()) { fault, orders in
            CommandBender.bend(orders, by: fault)
        }
    }

    /// Sends a message to the lamps; some may not hear it.
    func send(_ message: RadioMessage) {
        var deaf: Set<ResourceID> = []
        if let occasion, case let .broadcast(lamps, over: _) = message, !lamps.isEmpty,
            case let moved = lamps.filter({ mesh.look(of: $0, at: now()) != home.lamp($0)?.look }), !moved.isEmpty,
            let fault = faults.strike(.stragglers, occasion, at: now())
        {
            // Of those that would change: who is left behind where it is anyhow is not seen to be.
            deaf = Set(faults.pick(fault.number, of: moved))
        }
        mesh.send(message, wanted: home, at: now(), deaf: deaf)
    }

    // MARK: - The event stream

    /// Tells what was gathered, as far as faults let it through.
    func tellNews() {
        guard let tidings = hub.gather(at: today()), faults.lasting(.silentStream, at: now()) == nil else { return }
        guard !faults.isQuiet, hub.hasReaders else { return hub.tell(tidings.frame) }
        let outcome = bender.bend(tidings, by: &faults, of: home, at: now())
        for told in outcome.frames { hub.tell(told.frame, in: told.pieces) }
        if outcome.isLast { hub.endStreams() }
    }

    func openStream(_ ask: Ask) -> EventReader {
        guard !faults.isQuiet else { return hub.open(after: ask.lastEventID) }
        let now = now()
        var more: [EventHub.Tidings] = []
        let presses = ghosts
        if !presses.isEmpty, faults.strike(.ghostButtons, Occasion(ask), at: now) != nil {
            more = [hub.tidings([("update", presses)], at: today())]
        }
        return hub.open(after: ask.lastEventID, more: more) { bender.encode($0, by: &faults, at: now) }
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

extension Ask {
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
