import HueWire

/// The simulated home has no sensor or switch of this name.
public struct NoSuchAccessory: Error, Equatable, Sendable {
    public let name: String
}

/// Acts on a bridge from outside the network: presses its button, switches lamps at the wall, cuts mains, begins
/// faults. The control port offers the same over HTTP.
public struct BridgeControls: Sendable {
    let core: BridgeCore
    let lifecycle: AsyncStream<LifecycleChange>.Continuation

    /// Opens pairing for a while (``Settings/buttonWindow``).
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

    /// Makes an accessory report, as when a person passes a sensor or presses a button. A service that is switched off
    /// does not report.
    ///
    /// - Throws: if there is none of that name: whoever waits for the report would wait in vain.
    public func report(_ accessory: String, _ report: Accessory.Change.Reporting) async throws(NoSuchAccessory) {
        guard let id = await core.home.accessory(called: accessory)?.id else {
            throw NoSuchAccessory(name: accessory)
        }
        await core.report(id, report)
    }

    /// The requests of clients, oldest first.
    public var requests: [LoggedRequest] {
        get async { await core.log.requests }
    }

    /// Forgets the requests of clients.
    public func forgetRequests() async { await core.forgetRequests() }

    /// Begins a fault. It replaces one of the same kind, path and method.
    public func begin(_ fault: Fault) async {
        await core.begin(fault)
        interrupt(by: fault, timeScale: core.timeScale)
        await core.network.settle()
        if Set.needingRestart.contains(fault.kind) { lifecycle.yield(.restart) }
    }

    /// Carries out a fault that happens to the whole bridge once: a reboot, a move, or the loss of its connections.
    func interrupt(by fault: Fault, timeScale: Double) {
        switch fault.kind {
        case .reboot: reboot(for: .seconds(fault.number) / timeScale)
        case .move: move(to: fault.destination)
        case .blackHole: core.network.lose(.blackHole)
        case .halfOpen: core.network.lose(.halfOpen)
        default: break
        }
    }

    /// Ends the faults of this kind, or all faults.
    @discardableResult
    public func end(_ kind: FaultKind? = nil) async -> [Fault] {
        let ended = await core.end(kind)
        await core.network.settle()
        if ended.contains(where: { Set.needingRestart.contains($0.kind) }) { lifecycle.yield(.restart) }
        return ended
    }

    /// The active faults, oldest first.
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
    public func reboot(for pause: Duration) { lifecycle.yield(.reboot(pause)) }

    /// Moves the bridge to another address and HTTPS port. If it cannot listen there, it returns to where it was.
    public func move(to address: ListenAddress) { lifecycle.yield(.move(address)) }

    /// Moves the bridge to another HTTPS port; 0 chooses a free one.
    public func move(toPort port: Int) { lifecycle.yield(.move(ListenAddress(port: port))) }

    /// Creates another private key, as a factory reset does.
    public func renewCertificate() { lifecycle.yield(.newCertificate) }
}
