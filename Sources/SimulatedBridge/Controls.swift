public import FoundationEssentials
import HueWire

/// What happens to a bridge from outside: a hand at its button, somebody at a wall switch, a fuse. The control port offers the same.
public struct Controls: Sendable {
    let core: BridgeCore
    let orders: AsyncStream<LifeOrder>.Continuation

    /// Opens pairing for 30 seconds.
    public func pressButton() async { await core.pressButton() }

    /// Changes a lamp as somebody else would: the bridge tells of it by its event stream.
    public func alter(_ lamp: String, by changes: Lamp.Change...) async {
        guard let id = await core.home.lamp(called: lamp)?.id else { return }
        await core.byHand(id, changes)
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

    /// The next `count` requests are answered with this status and the bridge's HTML page.
    public func answer(next count: Int, with status: Int) async {
        await core.set(BridgeCore.Faults(status: status, count: count))
    }

    /// The next `count` requests are answered by a cut connection.
    public func hangUp(next count: Int) async {
        await core.set(BridgeCore.Faults(count: count, hangUp: true))
    }

    /// Streams stay open and say nothing more, as half-open connections do.
    public func silenceStreams() async { await core.set(BridgeCore.Faults(silentStream: true)) }

    public func revokeKeys() async { await core.revokeKeys() }

    /// Off the net for so long, then back on the same ports with an empty replay.
    public func reboot(for pause: Duration) { orders.yield(.reboot(pause)) }

    /// To another HTTPS port; 0 chooses one.
    public func move(toPort port: Int) { orders.yield(.move(port)) }

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

enum LifeOrder: Sendable {
    case reboot(Duration)
    case move(Int)
    case newCertificate
}
