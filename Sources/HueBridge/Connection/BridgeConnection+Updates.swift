import HueWire
import Lighting

/// What the bridge reports: by its event stream, and when it is read. What was asked for before the connection was lost,
/// and comes after that, is not taken in: it would confirm lights of a bridge that is away.
extension BridgeConnection {
    /// Takes in everything that the bridge has.
    ///
    /// - Parameters:
    ///   - asked: when it was asked.
    ///   - losses: what ``losses`` was then.
    func load(_ everything: [Resource], askedAt asked: Duration, since losses: Int) {
        let time = now()
        report(since: losses) { mirror, _, now in (mirror.load(everything, askedAt: asked, at: time, now), ()) }
    }

    /// Takes in the events of one frame.
    func take(_ events: [EventContainer]) {
        let time = now()
        metrics.heard(events: events.count, at: time)
        report(since: losses) { mirror, _, now in (mirror.apply(events, at: time, now), ()) }
    }

    /// Reads lights, and takes in the answer.
    ///
    /// - Returns: whether it contains anything that was not known.
    @discardableResult
    func read(_ query: Query) async throws(Failure) -> Bool {
        let (asked, losses) = (elapsed, losses)
        return try take(read: try await client.fetch(query), askedAt: asked, since: losses)
    }

    func take(read resources: [Resource], askedAt asked: Duration, since losses: Int) throws(Failure) -> Bool {
        let time = now()
        let isNew = report(since: losses) { mirror, _, now in
            mirror.refresh(resources, askedAt: asked, at: time, now)
        }
        guard let isNew else { throw .unreachable(id, because: "the connection was lost before it answered") }
        return isNew
    }

    /// What a read of all lights has found.
    enum Finding: Sendable { case nothing, changes, anotherHome }

    /// Reads all lights and sensors, and takes in what was not known: everything, if one has come or gone. Sensors come
    /// first: what they tell may be why a light has changed.
    ///
    /// - Parameter isWhole: whether to read everything in any case, and to take it in if rooms, scenes or the bridge's
    ///   name have changed.
    func audit(everything isWhole: Bool = false) async throws(Failure) -> Finding {
        let losses = losses
        let types = home.sensorTypes
        let sensors = try await client.fetch(sensors: types)
        let isToldNew = try take(sensors: sensors, since: losses)
        let asked = elapsed
        let lights = try await client.fetch(.lights)
        let isNew = try take(read: lights, askedAt: asked, since: losses) || isToldNew
        let hasOthers = home.hasOtherLights(than: lights) || home.hasOtherSensors(than: sensors, of: types)
        if isWhole || hasOthers {
            let asked = elapsed
            let everything = try await client.fetch(.everything)
            if hasOthers || home.hasDifferentArrangement(from: everything, at: now()) {
                load(everything, askedAt: asked, since: losses)
                return .anotherHome
            }
            // What they measure is read with everything.
            _ = try take(sensors: everything.filter(\.isSensor), since: losses)
        }
        return isNew ? .changes : .nothing
    }

    /// Takes in sensors that were read.
    ///
    /// - Returns: whether they contain anything that was not known.
    private func take(sensors: [Resource], since losses: Int) throws(Failure) -> Bool {
        let (time, isPolled) = (now(), isPolled)
        let isNew = report(since: losses) { mirror, _, now in
            mirror.refresh(sensors: sensors, isPolled: isPolled, at: time, now)
        }
        guard let isNew else { throw .unreachable(id, because: "the connection was lost before it answered") }
        return isNew
    }

    /// Reads a light that has returned. If that fails, the stream reports it.
    func reread(_ query: Query) async -> Delivery {
        _ = try? await read(query)
        return .done
    }

    /// Reads everything, because the bridge has not reported what it was asked to change. Takes it in if a room or scene
    /// differs from what is known. If that fails, a later report or read brings it.
    func rereadEverything() async -> Delivery {
        _ = await confirmArrangement()
        return .done
    }

    /// Reads everything, and takes it in if a room or scene differs from what is known.
    ///
    /// - Returns: `nil` if what is known is right now; otherwise what that means for the command that needs it.
    func confirmArrangement() async -> Delivery? {
        let (asked, losses) = (elapsed, losses)
        switch await client.fetchOnce(.everything) {
        case let .success(everything):
            if home.hasDifferentArrangement(from: everything, at: now()) {
                load(everything, askedAt: asked, since: losses)
            }
            return nil
        case let .failure(trouble): return trouble.delivery.ofNothingSent
        }
    }

    /// Sends lights once more what a group command did not bring them, unless somebody has taken it back or asked something
    /// newer. An event stream may leave out what would tell: everything is read first that may.
    func repairUnlessTakenBack(_ missed: [Repair]) async -> Delivery {
        // If that fails, what is known has to do.
        _ = try? await audit()
        change { parts, now in
            let (effects, missed) = parts.mirror.confirmMissed(missed, at: now)
            follow(effects, &parts, at: now)
            for repair in missed where parts.queue.tickets[repair.light] == repair.ticket {
                parts.queue.repair(repair, at: now)
            }
        }
        return .done
    }

    /// Reads lights that have not confirmed a command, and sends once more what a group command did not bring them.
    func verify(_ query: Query, _ unconfirmed: [ResourceID]) async -> Delivery {
        let losses = losses
        do throws(Failure) {
            try await read(query)
        } catch {
            change { parts, now in parts.mirror.unread(unconfirmed, at: now) }
            return .refused(BridgeWords(error.reason))
        }
        report(since: losses) { mirror, queue, now in
            (mirror.judge(unconfirmed, isAwaited: queue.isAwaited, at: now), ())
        }
        return .done
    }
}

extension Resource {
    fileprivate var isSensor: Bool { if case .sensor = self { true } else { false } }
}
