import HueWire
import Lighting

/// What the bridge reports: by its event stream, and when it is read. What was asked for before the connection was lost,
/// and comes after that, is not taken in: it would confirm lights of a bridge that is away.
extension BridgeConnection {
    /// Takes in everything that the bridge has.
    ///
    /// - Parameter losses: what ``losses`` was when it was asked.
    func load(_ everything: [Resource], since losses: Int) {
        let time = now()
        report(since: losses) { mirror, _, _ in (mirror.load(everything, at: time), ()) }
    }

    /// Takes in the events of one frame.
    func take(_ events: [EventContainer]) {
        let time = now()
        report(since: losses) { mirror, _, now in (mirror.apply(events, at: time, now), ()) }
    }

    /// Reads lights, and takes in the answer.
    ///
    /// - Returns: whether it contains anything that the event stream has not reported.
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

    /// Compares all lights with what the event stream has reported, and takes in what it left out: everything, if a light
    /// has come or gone.
    ///
    /// - Returns: whether it left anything out.
    func audit() async throws(Failure) -> Bool {
        let (asked, losses) = (elapsed, losses)
        let lights = try await client.fetch(.lights)
        let isNew = try take(read: lights, askedAt: asked, since: losses)
        guard home.hasOtherLights(than: lights) else { return isNew }
        load(try await client.fetch(.everything), since: losses)
        return true
    }

    /// Reads a light that has returned. If that fails, the stream reports it.
    func reread(_ query: Query) async -> Delivery {
        _ = try? await read(query)
        return .done
    }

    /// Takes in all lights of a bridge that was polled at a moment.
    ///
    /// - Returns: whether a light has come or gone.
    func compare(with lights: [Resource], askedAt asked: Duration, since losses: Int) -> Bool {
        let time = now()
        return report(since: losses) { mirror, _, now in mirror.compare(with: lights, askedAt: asked, at: time, now) }
            ?? false
    }

    /// Reads lights that have not confirmed a command, and sends once more what a group command did not bring them.
    func verify(_ query: Query, _ unconfirmed: [ResourceID]) async -> Delivery {
        let losses = losses
        do throws(Failure) {
            try await read(query)
        } catch {
            return .refused(BridgeWords(error.reason))
        }
        report(since: losses) { mirror, queue, now in
            (mirror.judge(unconfirmed, isAwaited: queue.isAwaited, at: now), ())
        }
        return .done
    }
}
