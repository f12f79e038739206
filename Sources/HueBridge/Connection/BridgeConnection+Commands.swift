import HueWire
import Khipu
import Lighting
import Synchronization

/// Commands of the domain.
extension BridgeConnection {
    /// Wishes for lamps. Answered when each was taken, refused, or overtaken by a newer one.
    func set(_ orders: [DesiredState], _ transition: Transition, _ ticket: Ticket, _ reply: @escaping Reply<Outcome>) {
        let parts = Dictionary(grouping: orders) { Patch($0, transition) }
            .mapValues { $0.map(\.light.resourceID) }
            .sorted { ($0.value.first?.description ?? "") < ($1.value.first?.description ?? "") }
        ask(touching: orders.map(\.light.resourceID), reply) { desk, token, deadline, now in
            for order in orders { desk.requesters[order.light.resourceID] = ticket }
            return desk.scheduler.ask(parts.map { ($0.key, $0.value) }, by: token, deadline: deadline, at: now)
        }
    }

    func rename(_ target: Target, _ name: String, _ reply: @escaping Reply<Outcome>) {
        switch target {
        case let .light(light):
            guard let device = home.lights[light.resourceID]?.device else {
                return reply(.failed(.noSuchTarget(target)))
            }
            write(.rename(.device, device, to: name), reply)
        case let .room(room):
            write(.rename(home.isZone(room.resourceID) ? .zone : .room, room.resourceID, to: name), reply)
        case .all: reply(.failed(.invalid("a home has no name")))
        }
    }

    /// What lights do when their mains come back.
    func set(_ powerup: Light.Powerup, of light: Light.ID, _ reply: @escaping Reply<Outcome>) {
        write(.powerup(light.resourceID, preset: powerup.rawValue), reply)
    }

    /// What the scene made of the lamps is read at once: the stream tells it up to a second later, and a step up or down that comes
    /// before would be computed from what is no longer so.
    func recall(
        _ scene: Scene.ID, _ transition: Transition, _ ticket: Ticket, _ reply: @escaping Reply<Outcome>
    ) {
        let lights = home.lights(ofScene: scene.resourceID)
        submit(.group, touching: lights, reply) { connection in
            connection.desk.withLock {
                $0.attribution.recall(
                    scene.resourceID, .scene(scene, by: ticket), in: $0.home, at: connection.elapsed)
                $0.confirmations.overtaken(lights)
            }
            connection.touch(lights)
            defer { connection.touch(lights) }
            let delivery = await connection.put(.recall(scene.resourceID, milliseconds: transition.wire))
            // Where that fails, the stream tells it.
            if delivery.isTaken { _ = try? await connection.read(.lights) }
            return delivery
        }
    }

    /// Reads everything, and tells it.
    func loadEverything(_ reply: @escaping Reply<Outcome>) {
        submit(.read, reply) { connection in
            do throws(Failure) {
                connection.load(try await connection.fetch(.everything))
                return .done
            } catch {
                return .refused(error.reason)
            }
        }
    }

    // MARK: - Through the plan

    private func write(_ operation: Operation, _ reply: @escaping Reply<Outcome>) {
        submit(.other, reply) { await $0.put(operation) }
    }

    /// Puts a job in the queue; the plan says when it is its turn.
    func submit(
        _ cost: Job.Cost, touching lights: [ResourceID] = [], _ reply: @escaping Reply<Outcome>,
        _ job: @escaping JobWork
    ) {
        ask(touching: lights, reply) { desk, token, deadline, now in
            desk.jobs[token] = job
            return desk.scheduler.ask(job: token, cost: cost, touching: lights, deadline: deadline, at: now)
        }
    }

    /// Does something when the plan says that it is its turn, so that a bridge never has more in flight than it bears. While the line is
    /// not connected nothing else is sent, and it is done at once.
    func inTurn<Answer: Sendable>(
        _ cost: Job.Cost, _ work: @escaping @Sendable (BridgeConnection) async throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        guard state == .connected else { return try await work(self) }
        let slot = Slot<Answer>()
        let outcome = await withCheckedContinuation { continuation in
            submit(cost, { continuation.resume(returning: $0) }) { connection in
                do throws(Failure) {
                    slot.fill(.success(try await work(connection)))
                    return .done
                } catch {
                    slot.fill(.failure(error))
                    return .refused(error.reason)
                }
            }
        }
        if let result = slot.content { return try result.get() }
        throw outcome.failure ?? stopping
    }

    private final class Slot<Answer: Sendable>: Sendable {
        private let result = Mutex<Result<Answer, Failure>?>(nil)

        var content: Result<Answer, Failure>? { result.withLock { $0 } }
        func fill(_ content: Result<Answer, Failure>) { result.withLock { $0 = content } }
    }

    /// Opens a caller's token, unless nothing can be asked now.
    private func ask(
        touching lights: [ResourceID], _ reply: @escaping Reply<Outcome>,
        _ enter: (inout Desk, UInt64, Duration, Duration) -> [Completion]
    ) {
        let now = elapsed
        let (completions, refusal): ([Completion], Failure?) = desk.withLock { desk in
            if desk.isClosed { return ([], .unreachable(id, because: "its line was closed")) }
            if case let .lost(failure) = desk.state, !desk.mayReturn(failure, at: now) { return ([], failure) }
            let token = desk.nextToken()
            desk.callers[token] = Caller(lights: lights, reply: reply)
            // Who asks while the line is away is not kept waiting for long.
            let timeout = desk.lostAt == nil ? settings.commandDeadline : min(Desk.moment, settings.commandDeadline)
            return (enter(&desk, token, now + timeout, now), nil)
        }
        if let refusal { return reply(.failed(refusal)) }
        answer(completions)
        signalWork()
    }
}

extension Patch {
    init(_ order: DesiredState, _ transition: Transition) {
        let color: Color? =
            switch order.setting {
            case .bri, nil: nil
            case let .ct(mirek, _): .mirek(mirek.value)
            case let .hsb(hue, saturation, _): .xy(HueSaturation(hue: hue ?? 0, saturation: saturation ?? 0).xy)
            }
        self.init(
            on: order.power.map { $0 == .on }, brightness: order.setting?.brightness.map { $0 * 100 }, color: color,
            milliseconds: transition.wire)
    }
}

extension Transition {
    /// `nil` leaves it to the bridge.
    var wire: Int? {
        if case let .milliseconds(count) = self { min(max(count, 0), Self.longest) } else { nil }
    }
}
