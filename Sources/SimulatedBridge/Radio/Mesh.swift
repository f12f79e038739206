import HueWire

/// The lamps themselves, and the radio between them and the bridge. A lamp may differ from what the bridge believes: a
/// fade takes time, a message may be lost, mains may be cut. A value; the time is a parameter.
struct Mesh: Sendable {
    /// One lamp as a person in the room sees it.
    struct Bulb: Equatable, Sendable {
        var hasMains = true
        /// The start and the end of the fade.
        var from: LightState
        var to: LightState
        var start: Duration
        var duration: Duration

        init(_ lightState: LightState) {
            (from, to, start, duration) = (lightState, lightState, .zero, .zero)
        }

        func lightState(at now: Duration) -> LightState {
            guard duration > .zero else { return now < start ? from : to }
            return from.moved(towards: to, by: (now - start) / duration)
        }
    }

    /// A lamp of which the bridge will find out the state.
    private struct PendingFinding: Sendable {
        let lamp: ResourceID
        var at: Duration
    }

    private(set) var bulbs: [ResourceID: Bulb] = [:]
    private var pendingFindings: [PendingFinding] = []
    private var busyUntil: Duration = .zero
    let timing: Timing

    /// How long things take on the mesh (docs/quirks.md).
    struct Timing: Sendable {
        /// From the bridge to a lamp.
        var hop: Duration = .milliseconds(60)
        /// How long a message to one lamp keeps the radio busy: about 25 messages a second.
        var airtime: Duration = .milliseconds(40)
        /// Until the bridge notices that a lamp is missing to which it sends nothing.
        var missing: Duration = .seconds(60)
        /// Until it gives up on a lamp that does not answer a command, or has read a lamp's state.
        var asking: Duration = .seconds(5)
        /// Until it notices that a lamp is back.
        var returning: Duration = .seconds(3)
    }

    init(_ home: SimulatedHome, timing: Timing = Timing()) {
        self.timing = timing
        for lamp in home.lamps {
            bulbs[lamp.id] = Bulb(lamp.lightState)
            bulbs[lamp.id]?.hasMains = lamp.hasMains
        }
    }

    /// What a person in the room sees; `nil` for an unknown lamp.
    func lightState(of lamp: ResourceID, at now: Duration) -> LightState? { bulbs[lamp]?.lightState(at: now) }

    func hasMains(_ lamp: ResourceID) -> Bool { bulbs[lamp]?.hasMains ?? false }

    // MARK: - Radio

    /// Sends the bridge's target states to lamps.
    ///
    /// - Parameter unreached: lamps that a broadcast does not reach.
    mutating func send(
        _ message: RadioMessage, wanted home: SimulatedHome, at now: Duration, unreached: Set<ResourceID> = []
    ) {
        switch message {
        case let .unicast(lamp, over: duration):
            let start = max(now, busyUntil)
            busyUntil = start + timing.airtime
            deliver(home, to: lamp, at: start + timing.hop, over: duration, now)
        case let .broadcast(lamps, over: duration):
            for lamp in lamps where !unreached.contains(lamp) {
                deliver(home, to: lamp, at: now + timing.hop, over: duration, now)
            }
            for lamp in lamps where unreached.contains(lamp) { expectFinding(lamp, by: now + duration + timing.asking) }
        }
    }

    private mutating func deliver(
        _ home: SimulatedHome, to lamp: ResourceID, at start: Duration, over duration: Duration, _ now: Duration
    ) {
        guard let wanted = home.lamp(lamp)?.lightState else { return }
        guard var bulb = bulbs[lamp] else {
            bulbs[lamp] = Bulb(wanted)
            return
        }
        guard bulb.hasMains else { return expectFinding(lamp, by: now + timing.asking) }
        (bulb.from, bulb.to, bulb.start, bulb.duration) = (bulb.lightState(at: now), wanted, start, duration)
        bulbs[lamp] = bulb
    }

    // MARK: - Hands and fuses

    /// Sets a lamp that was changed by hand; the bridge knows at once.
    ///
    /// - Parameter mains: whether the lamp has mains from now on; `nil` leaves them, and what the bridge has yet to find
    ///   out about them, as they are.
    mutating func set(_ lamp: ResourceID, to lightState: LightState, hasMains mains: Bool?) {
        let hadMains = bulbs[lamp]?.hasMains ?? true
        bulbs[lamp] = Bulb(lightState)
        bulbs[lamp]?.hasMains = mains ?? hadMains
        if mains != nil { pendingFindings.removeAll { $0.lamp == lamp } }
    }

    mutating func cut(_ lamp: ResourceID, at now: Duration) {
        guard var bulb = bulbs[lamp], bulb.hasMains else { return }
        bulb = Bulb(bulb.lightState(at: now))
        bulb.hasMains = false
        bulbs[lamp] = bulb
        expectFinding(lamp, by: now + timing.missing)
    }

    /// Restores mains: the lamp starts as its power-on behaviour says.
    mutating func power(_ lamp: Lamp, at now: Duration) {
        guard let bulb = bulbs[lamp.id], !bulb.hasMains else { return }
        bulbs[lamp.id] = Bulb(lamp.powerup.lightState(after: bulb.to, of: lamp.kind))
        pendingFindings.removeAll { $0.lamp == lamp.id }
        expectFinding(lamp.id, by: now + timing.returning)
    }

    // MARK: - What the bridge finds out

    private mutating func expectFinding(_ lamp: ResourceID, by time: Duration) {
        if let index = pendingFindings.firstIndex(where: { $0.lamp == lamp }) {
            pendingFindings[index].at = min(pendingFindings[index].at, time)
        } else {
            pendingFindings.append(PendingFinding(lamp: lamp, at: time))
        }
    }

    /// When the bridge next finds something out.
    var nextFinding: Duration? { pendingFindings.map(\.at).min() }

    /// What the bridge has found out by now, as changes of the home.
    ///
    /// - Parameter takesBack: whether it takes back what was asked of lamps that it does not reach.
    mutating func findings(
        by now: Duration, in home: SimulatedHome, takingBack takesBack: Bool = false
    ) -> [SimulatedHome.Change] {
        let due = pendingFindings.filter { $0.at <= now }.sorted { $0.at < $1.at }
        pendingFindings.removeAll { $0.at <= now }
        return due.compactMap { finding in
            guard let lamp = home.lamp(finding.lamp), let bulb = bulbs[finding.lamp] else { return nil }
            var changes: [Lamp.Change] = []
            if !bulb.hasMains {
                if lamp.hasMains { changes.append(.cutting(.mains)) }
                if takesBack, lamp.lightState != bulb.to { changes.append(.setting(.lightState(to: bulb.to))) }
            } else {
                if !lamp.hasMains { changes.append(.powering(.up)) }
                let lightState = bulb.to
                if lamp.alter(by: changes).lightState != lightState {
                    changes.append(.setting(.lightState(to: lightState)))
                }
            }
            return changes.isEmpty ? nil : .updating(.lamp(lamp.id, by: changes))
        }
    }
}

/// A radio message with the new light state of lamps, and the fade duration.
enum RadioMessage: Equatable, Sendable {
    /// To one lamp. Several are sent one after the other.
    case unicast(ResourceID, over: Duration)
    /// To many lamps at the same moment, for group commands and scenes.
    case broadcast([ResourceID], over: Duration)
}
