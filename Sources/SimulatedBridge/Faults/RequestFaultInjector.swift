import FoundationEssentials
import HueWire

/// Applies the active faults to one request, at the points that ``BridgeCore/handle(_:)`` lists, in that order.
struct RequestFaultInjector: Sendable {
    private let request: BridgeRequest
    private let trigger: FaultTrigger
    private let now: Duration
    /// The client's key counts as unknown.
    private(set) var revokesKey = false
    /// Of the command only switching on and off is carried out.
    private var onlySwitches = false

    init(_ request: BridgeRequest, at now: Duration) {
        self.request = request
        trigger = FaultTrigger(request)
        self.now = now
    }

    // MARK: - Before the request is read

    /// A reply that does not depend on the request.
    func immediateReply(
        _ faults: inout FaultRegistry, inFlight: Int, uptime: Duration, hang: () -> HangingRequest
    ) -> BridgeReply? {
        guard !faults.isIdle else { return nil }
        faults.removeExpired(at: now)
        let fault = faults.trigger(.immediate, trigger, at: now) { active in
            switch active.fault.kind {
            case .loneWrites: request.method == "PUT" && inFlight > 0
            case .errorAfterUptime:
                ["api", "clip"].contains(request.path.first) && uptime >= .seconds(active.fault.number)
            case .eventsRefused: request.path.first == "eventstream"
            default: true
            }
        }
        return switch fault?.kind {
        case .hangUp: .hangUp
        case .hang: .hang(hang())
        case .errorAfterUptime: .response(.page(500))
        case .busy, .loneWrites, .eventsRefused: .response(.page(fault?.number ?? 503))
        default: nil
        }
    }

    /// Strikes with the faults that apply while the request is read and carried out.
    mutating func readRequest(_ faults: inout FaultRegistry) {
        guard !faults.isIdle else { return }
        if request.showsKey { revokesKey = faults.trigger(.keyRevoked, trigger, at: now) != nil }
        if CommandFaultInjector.isOnAndMore(request) {
            onlySwitches = faults.trigger(.error201, trigger, at: now) != nil
        }
    }

    /// Whether the request is a command to a grouped light that a fault hides.
    func hidesGroupedLight(_ faults: inout FaultRegistry, in home: SimulatedHome) -> Bool {
        let path = request.trimmedPath
        guard !faults.isIdle, request.method != "GET", path.count == 5, path[3] == "grouped_light" else { return false }
        return faults.trigger([.noGroupedLight], trigger, at: now) { active in
            home.hiddenGroupedLights(active.fault.text).contains(ResourceID(path[4]))
        } != nil
    }

    // MARK: - While the command goes to the lamps

    /// What a decision does to the home and the lamps.
    func effects(of decision: Decision, _ faults: inout FaultRegistry) -> HomeUpdate {
        var effects = decision.update
        if onlySwitches { effects.changes = CommandFaultInjector.onlySwitching(effects.changes) }
        return faults.applying([.offTransitionLevel, .popcorn], to: effects, trigger, at: now) { fault, effects in
            CommandFaultInjector.apply(fault, to: effects)
        }
    }

    /// The lamps that a broadcast does not reach, chosen among those that it would change: on others it would not show.
    func unreachedLamps(
        by message: RadioMessage, _ faults: inout FaultRegistry, in home: SimulatedHome, _ mesh: Mesh
    ) -> Set<ResourceID> {
        guard !faults.isIdle, case let .broadcast(lamps, over: _) = message else { return [] }
        let changing = lamps.filter { mesh.lightState(of: $0, at: now) != home.lamp($0)?.lightState }
        guard !changing.isEmpty, let fault = faults.trigger(.stragglers, trigger, at: now) else { return [] }
        return Set(faults.pick(fault.number, of: changing))
    }

    // MARK: - On the finished response

    /// The response, altered by the faults.
    func altered(
        _ reply: BridgeReply, _ faults: inout FaultRegistry, in home: SimulatedHome, _ derive: DerivedID
    ) -> BridgeReply {
        guard case var .response(response) = reply else { return reply }
        // The fault struck before the request was read, and may have ended with that.
        if onlySwitches, response.status == 200 { response = CommandFaultInjector.refusingAllButOn(response) }
        if CommandFaultInjector.isCommand(request), response.status == 207 {
            response = withoutCommunicationErrors(response, &faults)
        }
        if CommandFaultInjector.isCommand(request), response.status == 200,
            faults.trigger(.communicationErrors, trigger, at: now) != nil
        {
            response = CommandFaultInjector.withCommunicationErrors(response, to: request)
        }
        return .response(withAlteredDocuments(response, &faults, in: home, derive))
    }

    /// The response to a command without the errors about lamps out of reach, if the fault strikes.
    private func withoutCommunicationErrors(_ response: BridgeResponse, _ faults: inout FaultRegistry) -> BridgeResponse
    {
        let envelope = JSONValue(wire: response.body)
        guard let data = envelope?["data"]?.array, let errors = envelope?["errors"]?.array else { return response }
        let others = faults.applying([.quietUnreachable], to: errors, trigger, at: now) { _, errors in
            CommandFaultInjector.withoutCommunicationErrors(errors)
        }
        guard others != errors else { return response }
        return .json(
            others.isEmpty ? 200 : response.status,
            JSONValue.object(["data": .array(data), "errors": .array(others)]))
    }

    /// A response of API v2 with its resources altered by the faults.
    private func withAlteredDocuments(
        _ response: BridgeResponse, _ faults: inout FaultRegistry, in home: SimulatedHome, _ derive: DerivedID
    ) -> BridgeResponse {
        guard !faults.isIdle, request.method == "GET", response.status == 200, request.path.first == "clip",
            let documents = JSONValue(wire: response.body)?["data"]?.array
        else { return response }
        let injector = DocumentFaultInjector(home: home, derive: derive)
        let isWhole = request.trimmedPath.count == 3 && request.query == nil
        let altered = faults.applying(.documents, to: documents, trigger, at: now) { fault, documents in
            injector.apply(fault, to: documents, isWhole ? .all : .some)
        }
        if altered == documents { return response }
        return request.trimmedPath.count == 5 && altered.isEmpty ? .notFound : .data(altered)
    }

    // MARK: - On the way to the client

    /// How the reply is sent: cut, late, or as the last one on its connection.
    func transmission(of reply: BridgeReply, _ faults: inout FaultRegistry, date: Date) -> ReplyTransmission {
        var transmission = ReplyTransmission(reply, date: date)
        guard !faults.isIdle else { return transmission }
        if case let .response(response) = reply, response.body.count > 1 {
            if faults.trigger(.truncated, trigger, at: now) != nil {
                var half = response
                half.body = Array(response.body.prefix(response.body.count / 2))
                transmission.reply = .response(half)
            }
            transmission.isReset = faults.trigger(.reset, trigger, at: now) != nil
        }
        if let late = faults.trigger(.latency, trigger, at: now) { transmission.delay += .milliseconds(late.number) }
        if let slow = faults.trigger(.slow, trigger, at: now) {
            transmission.delay += faults.randomTime(upTo: .milliseconds(slow.number))
        }
        if faults.lasting(.reboot, at: now) != nil { transmission.delay += .seconds(1) }
        transmission.isLast =
            faults.trigger([.goaway], trigger, at: now) {
                request.numberOnConnection.isMultiple(of: $0.fault.number)
            } != nil
        return transmission
    }
}

extension BridgeRequest {
    /// Whether the response depends on the client's key.
    fileprivate var showsKey: Bool {
        switch path.first {
        case "api": path.count > 2 || path.count == 2 && path[1] != "config"
        case "clip", "eventstream", "auth": key != nil
        default: false
        }
    }
}
