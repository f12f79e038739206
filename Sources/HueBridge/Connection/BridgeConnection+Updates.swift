import HueWire
import Lighting

/// What the bridge reports: by its event stream, and when it is read.
extension BridgeConnection {
    /// Takes in everything that the bridge has.
    func load(_ everything: [Resource]) {
        let time = now()
        report { mirror, _, _ in (mirror.load(everything, at: time), ()) }
    }

    /// Takes in the events of one frame.
    func take(_ events: [EventContainer]) {
        let time = now()
        report { mirror, _, now in (mirror.apply(events, at: time, now), ()) }
    }

    /// Reads lights, and takes in the answer.
    ///
    /// - Returns: whether it contains anything that the event stream has not reported.
    @discardableResult
    func read(_ query: Query) async throws(Failure) -> Bool {
        let asked = elapsed
        let resources = try await client.fetch(query)
        return report { mirror, _, now in mirror.refresh(resources, askedAt: asked, now) }
    }

    /// Reads a light that has returned. If that fails, the stream reports it.
    func reread(_ query: Query) async -> Delivery {
        _ = try? await read(query)
        return .done
    }

    /// Takes in all lights of a bridge that was polled at a moment.
    ///
    /// - Returns: whether a light has come or gone.
    func compare(with lights: [Resource], askedAt asked: Duration) -> Bool {
        let time = now()
        return report { mirror, _, now in mirror.compare(with: lights, askedAt: asked, at: time, now) }
    }

    /// Reads lights that have not confirmed a command, and sends once more what a group command did not bring them.
    func verify(_ query: Query, _ unconfirmed: [ResourceID]) async -> Delivery {
        do throws(Failure) {
            try await read(query)
        } catch {
            return .refused(BridgeWords(error.reason))
        }
        report { mirror, queue, now in (mirror.judge(unconfirmed, isAwaited: queue.isAwaited, at: now), ()) }
        return .done
    }
}
