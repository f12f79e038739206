import Curl
import HueWire
import Khipu
import Lighting
import Logging
import Synchronization

/// What the bridge tells, and what we ask it to tell.
extension BridgeConnection {
    // What is taken in is told before anything else is taken in: told outside the lock, an older report might come after a newer one,
    // and stay.

    /// Takes in everything, and tells it.
    func load(_ resources: [Resource]) {
        let time = now()
        desk.withLock { desk in
            desk.home.load(resources)
            desk.scheduler.arrange(desk.home.layout)
            publish(desk.home.home(at: time))
        }
    }

    /// Takes in what was told at once, and tells what it means. A lamp that is back is read afresh: it shows its own power-on state,
    /// which no event tells in time (openhab/openhab-addons#21018).
    func take(_ events: [EventContainer]) {
        let (time, moment) = (now(), elapsed)
        let back = desk.withLock { desk in
            for event in events { desk.attribution.see(event, in: desk.home, at: moment) }
            return events.flatMap { event in
                let (tidings, reread) = desk.home.apply(event, at: time)
                for one in desk.weigh(tidings, at: moment) { publish(one) }
                return reread
            }
        }
        for light in back {
            submit(.read, { _ in }) { connection in
                // Where that fails, the stream tells it.
                _ = try? await connection.read(.light(light))
                return .done
            }
        }
        signalWork()
    }

    /// Reads lamps afresh, and tells what is new of them. What was told of a lamp, or to it, since it was asked for is newer than the
    /// answer.
    ///
    /// - Returns: whether anything was, a lamp that nobody has told of included: the stream has not told it.
    @discardableResult
    func read(_ query: Query) async throws(Failure) -> Bool {
        let asked = elapsed
        let resources = try await fetch(query)
        let moment = elapsed
        let isNews = desk.withLock { desk in
            var isNews = false
            for case let .light(light) in resources where desk.touched[light.id].map({ $0 < asked }) ?? true {
                let tidings = desk.home.refresh(light)
                isNews = isNews || tidings != nil || desk.home.lights[light.id] == nil
                for one in desk.weigh(tidings.map { [$0] } ?? [], at: moment) { publish(one) }
            }
            return isNews
        }
        signalWork()
        return isNews
    }

    /// Takes in all lights as the bridge was asked at a moment to tell them, and tells what is new. A light that was spoken to since is
    /// passed over: what was told of it may be of before.
    ///
    /// - Returns: whether a light has come or gone.
    func compare(with lights: [Resource], askedAt moment: Duration) -> Bool {
        let (time, now) = (now(), elapsed)
        let isAnotherHome = desk.withLock { desk in
            let touched = desk.touched
            let (tidings, isAnotherHome) = desk.home.compare(with: lights, at: time) { id in
                touched[id].map { $0 < moment } ?? true
            }
            for one in desk.weigh(tidings, at: now) { publish(one) }
            return isAnotherHome
        }
        signalWork()
        return isAnotherHome
    }

    /// Notes that lights are being spoken to, or that this has ended.
    func touch(_ lights: [ResourceID]) {
        let now = elapsed
        desk.withLock { desk in
            for light in lights { desk.touched[light] = now }
        }
    }

    /// Reads lamps of which no echo came, and sends once more what a group command did not bring them.
    func verify(_ query: Query, _ silent: [ResourceID]) async -> Delivery {
        do throws(Failure) {
            try await read(query)
        } catch {
            return .refused(error.reason)
        }
        let now = elapsed
        desk.withLock { desk in
            for light in silent.compactMap({ desk.home.lights[$0] }) {
                switch desk.confirmations.judge(light) {
                case let .ours(ticket): publish(desk.looked(at: light, ticket.map { .command($0) }))
                case let .straggler(patch, ticket): desk.repair(light.id, patch, ticket, at: now)
                case .foreign: publish(desk.looked(at: light, desk.attribution.source(of: light.id, at: now)))
                case nil: break
                }
            }
        }
        signalWork()
        return .done
    }

    /// The resources that answer a question. Tries again while the bridge is overloaded.
    func fetch(_ query: Query) async throws(Failure) -> [Resource] {
        var backoff = Backoff()
        while true {
            let call = call
            let response: HTTPResponse
            do throws(CurlError) {
                response = try await client.send(call.request(.get, dialect.path(of: query, key: call.key)))
            } catch {
                throw error.failure(of: id)
            }
            switch dialect.reading(query, response) {
            case let .resources(resources, unreadable: problems):
                for problem in problems {
                    logger.debug("a resource cannot be read", metadata: ["problem": "\(problem)"])
                }
                return resources
            case let .busy(words):
                guard backoff.attempt < 5 else { throw .unreachable(id, because: words) }
                do {
                    try await clock.sleep(backoff.next())
                } catch {
                    throw stopping
                }
            case .keyRefused: throw .keyRefused(by: id)
            case .gone: throw .unreachable(id, because: "it has no \(dialect.path(of: query, key: nil))")
            case let .senseless(words): throw .unreachable(id, because: words)
            }
        }
    }

    /// Why what was begun is not ended.
    var stopping: Failure { .unreachable(id, because: "lightd is stopping") }

    /// Rings when something was written, for as long as a keeper listens; a new listener takes the place of the one before.
    func writes() -> AsyncStream<Void> {
        let (workSignals, workSignal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        desk.withLock { $0.written = workSignal }
        return workSignals
    }
}

extension BridgeConnection.Desk {
    /// Whose doing each piece of news is; what it calls for is put into the plan.
    mutating func weigh(_ tidings: [BridgeUpdate], at now: Duration) -> [BridgeUpdate] {
        var isAnotherLayout = false
        let weighed = tidings.map { one -> BridgeUpdate in
            switch one {
            case let .light(id, report):
                touched[id.resourceID] = now
                return .light(id, weigh(report, of: id.resourceID, at: now))
            case .added, .removed: isAnotherLayout = true
            case .home, .renamed: break
            }
            return one
        }
        if isAnotherLayout { scheduler.arrange(home.layout) }
        return weighed
    }

    private mutating func weigh(_ report: Light.Report, of light: ResourceID, at now: Duration) -> Light.Report {
        switch report.reachable {
        case false?:
            if let requestedColor = confirmations.lost(light, at: now) {
                offline.keep(requestedColor.patch, for: light, by: requestedColor.ticket, at: now)
            }
            offline.left(light)
            return report
        case true?:
            offline.returned(light, at: now)
            attribution.returned(light, at: now)
        case nil: break
        }
        guard let known = home.lights[light] else { return report }
        switch confirmations.hear(known, at: now) {
        case let .ours(ticket): return report.from(ticket.map { .command($0) })
        case let .straggler(patch, ticket):
            repair(light, patch, ticket, at: now)
            return report.from(ticket.map { .command($0) })
        case .foreign:
            let source = attribution.source(of: light, at: now)
            if !known.isReachable, report.reachable == nil, source != .power {
                // Somebody has something else in mind for a lamp that is away; where it is our scene, this is what it wants of it.
                offline.forget(light)
                if case let .scene(_, by: ticket?) = source {
                    offline.keep(known.look, for: light, by: ticket, at: now)
                }
            }
            return report.from(source)
        }
    }

    /// What a lamp shows that was looked at after the bridge had taken a wish for it: this holds against the wish, unless a newer one waits.
    func looked(at light: LightMirror, _ source: Cause.Kind?) -> BridgeUpdate {
        .light(
            Light.ID(home.bridge, light.id),
            Light.Report(
                light.values, reachable: light.isReachable, source: source,
                overrules: scheduler.awaited(of: light.id).isEmpty))
    }

    /// Sends to the lamp alone what it missed. Nobody waits for it; and where something newer waits to be sent to the lamp, that is what is
    /// meant now, and whose wish it is.
    mutating func repair(_ light: ResourceID, _ patch: Patch, _ ticket: Ticket?, at now: Duration) {
        if let ticket, scheduler.awaited(of: light).isEmpty { requesters[light] = ticket }
        completions += scheduler.askAgain(patch, of: light, by: nextToken(), deadline: now + .seconds(60), at: now)
    }
}

extension Light.Report {
    fileprivate func from(_ source: Cause.Kind?) -> Self {
        Self(
            power: power, brightness: brightness, hue: hue, saturation: saturation, temperature: temperature,
            mode: mode,
            reachable: reachable, powerup: powerup, source: source)
    }
}
