public import FoundationEssentials
import HueWire

/// Acts on a bridge from outside: presses its button, uses a wall switch, cuts mains. The control port offers the same.
public struct Controls: Sendable {
    let core: BridgeCore
    let orders: AsyncStream<LifecycleChange>.Continuation

    /// Opens pairing for 30 seconds.
    public func pressButton() async { await core.pressButton() }

    /// Changes a lamp as another person would; the event stream reports it.
    public func alter(_ lamp: String, by changes: Lamp.Change...) async {
        guard let id = await core.home.lamp(called: lamp)?.id else { return }
        await core.changeByHand(id, changes)
    }

    /// Cuts or restores a lamp's mains.
    public func mains(_ lamp: String, on isOn: Bool) async {
        guard let id = await core.home.lamp(called: lamp)?.id else { return }
        if isOn { await core.restoreMains(id) } else { await core.cutMains(id) }
    }

    /// What a person in the room sees of a lamp; `nil` if its mains are cut.
    public func lightState(of lamp: String) async -> LightState? {
        guard let id = await core.home.lamp(called: lamp)?.id, let shown = await core.shown(id) else { return nil }
        return shown.hasMains ? shown.lightState : nil
    }

    public var home: SimulatedHome { get async { await core.home } }

    /// The number of long polls that wait for an event.
    var waitingPolls: Int { get async { await core.hub.polls.count } }

    /// Makes an accessory report, as when a person passes a sensor or presses a button. A service that is switched off does not.
    public func report(_ accessory: String, _ report: Accessory.Change.Reporting) async {
        guard let id = await core.home.accessory(called: accessory)?.id else { return }
        await core.report(id, report)
    }

    /// The requests of clients, oldest first.
    public var requests: [SeenRequest] {
        get async { await core.log.requests }
    }

    /// Forgets the requests of clients.
    public func forgetRequests() async { await core.forgetRequests() }

    /// Begins a fault. It replaces one of the same kind, path and method.
    public func begin(_ fault: Fault) async {
        await core.begin(fault)
        order(fault, in: core.timeScale)
        if Set.needingRestart.contains(fault.kind) { orders.yield(.again) }
    }

    /// Carries out a fault that happens to the whole bridge once.
    func order(_ fault: Fault, in timeScale: Double) {
        switch fault.kind {
        case .reboot: reboot(for: .seconds(fault.number) / timeScale)
        case .move: move(to: fault.text.flatMap { Fault.Place($0) } ?? Fault.Place())
        default: break
        }
    }

    /// Ends the faults of this kind, or all faults.
    @discardableResult
    public func end(_ kind: FaultKind? = nil) async -> [Fault] {
        let ended = await core.end(kind)
        if ended.contains(where: { Set.needingRestart.contains($0.kind) }) { orders.yield(.again) }
        return ended
    }

    /// The faults that are active, oldest first.
    public var faults: [Fault] { get async { await core.activeFaults.map(\.fault) } }

    /// Answers the next `count` requests with this status and the bridge's HTML page.
    public func answer(next count: Int, with status: Int) async {
        await begin(Fault(unchecked: .busy, .number(status), scope: Fault.Scope(count: count)))
    }

    /// Closes the connection on each of the next `count` requests.
    public func hangUp(next count: Int) async {
        await begin(Fault(unchecked: .hangUp, scope: Fault.Scope(count: count)))
    }

    /// Keeps streams open but silent, like half-open connections.
    public func silenceStreams() async { await begin(Fault(unchecked: .silentStream)) }

    public func revokeKeys() async { await core.revokeKeys() }

    /// Takes the bridge off the network for a while; it returns on the same ports, without its past events.
    public func reboot(for pause: Duration) { orders.yield(.reboot(pause)) }

    /// Moves the bridge to another address and HTTPS port.
    public func move(to place: Fault.Place) { orders.yield(.move(place)) }

    /// Moves the bridge to another HTTPS port; 0 chooses a free one.
    public func move(toPort port: Int) { orders.yield(.move(Fault.Place(port: port))) }

    /// Creates another private key, as a factory reset does.
    public func renewCertificate() { orders.yield(.newCertificate) }
}

/// A request in the log; bodies are cut at 4 KiB.
public struct SeenRequest: Codable, Equatable, Sendable {
    /// From 1, since the start or since the log was cleared.
    public let number: Int
    public let time: Date
    public let method: String
    public let path: String
    public let key: String?
    public let body: String
    /// Whether it came over HTTPS.
    public let secure: Bool
    /// 0 if the connection was closed without a response.
    public let status: Int
    /// The body of the response, before faults cut it.
    public let answer: String
}

enum LifecycleChange: Sendable {
    case reboot(Duration)
    case move(Fault.Place)
    /// Restarts the servers with what has changed.
    case again
    case newCertificate
}
