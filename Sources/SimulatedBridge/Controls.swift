public import FoundationEssentials
import HueWire

/// What happens to a bridge from outside: a hand at its button, somebody at a wall switch, a fuse. The control port offers the same.
public struct Controls: Sendable {
    let core: BridgeCore
    let orders: AsyncStream<LifecycleChange>.Continuation

    /// Opens pairing for 30 seconds.
    public func pressButton() async { await core.pressButton() }

    /// Changes a lamp as somebody else would: the bridge tells of it by its event stream.
    public func alter(_ lamp: String, by changes: Lamp.Change...) async {
        guard let id = await core.home.lamp(called: lamp)?.id else { return }
        await core.byHand(id, changes)
    }

    /// Cuts a lamp's mains, or brings them back.
    public func mains(_ lamp: String, on isOn: Bool) async {
        guard let id = await core.home.lamp(called: lamp)?.id else { return }
        if isOn { await core.restoreMains(id) } else { await core.cutMains(id) }
    }

    /// What somebody in the room sees of a lamp; `nil` where its mains are cut.
    public func lightState(of lamp: String) async -> LightState? {
        guard let id = await core.home.lamp(called: lamp)?.id, let shown = await core.shown(id) else { return nil }
        return shown.hasMains ? shown.lightState : nil
    }

    public var home: SimulatedHome { get async { await core.home } }

    /// How many long polls wait for an event.
    var waitingPolls: Int { get async { await core.hub.polls.count } }

    /// An accessory reports something, as when somebody passes a sensor or presses a button. One that is switched off does not.
    public func report(_ accessory: String, _ report: Accessory.Change.Reporting) async {
        guard let id = await core.home.accessory(called: accessory)?.id else { return }
        await core.report(id, report)
    }

    /// What clients sent, oldest first.
    public var requests: [SeenRequest] {
        get async { await core.record.requests }
    }

    /// Forgets what clients sent.
    public func forgetRequests() async { await core.forgetRequests() }

    /// Lets something go wrong from now on. One of the same kind, path and method gives way.
    public func begin(_ fault: Fault) async {
        await core.begin(fault)
        order(fault, in: core.timeScale)
        if Set.lives.contains(fault.kind) { orders.yield(.again) }
    }

    /// Begins what happens to the bridge as a whole, once.
    func order(_ fault: Fault, in timeScale: Double) {
        switch fault.kind {
        case .reboot: reboot(for: .seconds(fault.number) / timeScale)
        case .move: move(to: fault.text.flatMap { Fault.Place($0) } ?? Fault.Place())
        default: break
        }
    }

    /// Ends all faults of this kind; all faults where none is named.
    @discardableResult
    public func end(_ kind: FaultKind? = nil) async -> [Fault] {
        let ended = await core.end(kind)
        if ended.contains(where: { Set.lives.contains($0.kind) }) { orders.yield(.again) }
        return ended
    }

    /// The faults that are active, oldest first.
    public var faults: [Fault] { get async { await core.activeFaults.map(\.fault) } }

    /// The next `count` requests are answered with this status and the bridge's HTML page.
    public func answer(next count: Int, with status: Int) async {
        await begin(Fault(unchecked: .busy, .number(status), scope: Fault.Scope(count: count)))
    }

    /// The next `count` requests are answered by a cut connection.
    public func hangUp(next count: Int) async {
        await begin(Fault(unchecked: .hangUp, scope: Fault.Scope(count: count)))
    }

    /// Streams stay open and say nothing more, as half-open connections do.
    public func silenceStreams() async { await begin(Fault(unchecked: .silentStream)) }

    public func revokeKeys() async { await core.revokeKeys() }

    /// Off the net for so long, then back on the same ports with an empty replay.
    public func reboot(for pause: Duration) { orders.yield(.reboot(pause)) }

    /// To another address and HTTPS port.
    public func move(to place: Fault.Place) { orders.yield(.move(place)) }

    /// To another HTTPS port; 0 chooses one.
    public func move(toPort port: Int) { orders.yield(.move(Fault.Place(port: port))) }

    /// Another private key, as after a factory reset.
    public func renewCertificate() { orders.yield(.newCertificate) }
}

/// A request as the record keeps it, its bodies up to 4 KiB.
public struct SeenRequest: Codable, Equatable, Sendable {
    /// From 1, since the start or since the record was cleared.
    public let number: Int
    public let time: Date
    public let method: String
    public let path: String
    public let key: String?
    public let body: String
    /// Whether it came by HTTPS.
    public let secure: Bool
    /// 0 where the connection was cut instead of an answer.
    public let status: Int
    /// What was answered, whatever became of it on the way.
    public let answer: String
}

enum LifecycleChange: Sendable {
    case reboot(Duration)
    case move(Fault.Place)
    /// Everything as it was, but for what has changed meanwhile.
    case again
    case newCertificate
}
