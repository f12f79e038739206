import HueWire
import Khipu
import Lighting
import Synchronization

/// The domain's commands: each is put into the queue. A function of the parts alone, so that a rehearsal puts the same
/// into a copy of them.
extension BridgeConnection.Parts {
    /// Sets values of lights. Answered when each was accepted, refused, or replaced by a newer one.
    mutating func set(
        _ orders: [DesiredState], _ transition: Transition, _ ticket: Ticket, _ reply: @escaping Reply<Outcome>,
        at now: Duration
    ) {
        let parts: [(update: LightUpdate, lights: [ResourceID])] = Dictionary(grouping: orders) {
            LightUpdate($0, transition)
        }
        .map { update, orders in (update, orders.map(\.light.resourceID)) }
        .sorted { ($0.lights.first?.description ?? "") < ($1.lights.first?.description ?? "") }
        let caller = CommandQueue.Caller(lights: orders.map(\.light.resourceID), reply: reply)
        queue.ask(parts, by: ticket, for: caller, at: now)
    }

    /// Changes how a light is set up.
    mutating func configure(
        _ light: Light.ID, _ change: LightConfiguration.Change, _ reply: @escaping Reply<Outcome>, at now: Duration
    ) {
        let operation = Operation.configure(light.resourceID, LightUpdate(change))
        queue.ask(.other, writing: { _ in [operation] }, for: CommandQueue.Caller(reply: reply), at: now) {
            await $0.client.write(operation)
        }
    }

    /// Recalls a scene, and reads its lights at once: the stream reports them up to a second later, and a step up or
    /// down before that would start from old values.
    mutating func recall(
        _ recalled: RecalledScene, _ transition: Transition, _ ticket: Ticket, _ reply: @escaping Reply<Outcome>,
        at now: Duration
    ) {
        let scene = recalled.id
        let lights = mirror.resources.lights(ofScene: scene.resourceID)
        let operation: Operation =
            mirror.resources.type(ofScene: scene.resourceID) == .smartScene
            ? .activate(scene.resourceID, true)
            : .recall(scene.resourceID, milliseconds: transition.wire, motion: recalled.motion)
        let caller = CommandQueue.Caller(lights: lights, reply: reply)
        if recalled.motion?.isDynamic == true, dialect == .v1 {
            return queue.refuse(caller, .invalid("its bridge has API v1, which knows no dynamic scenes"))
        }
        queue.ask(.group, writing: { _ in [operation] }, for: caller, at: now) { connection in
            let start = connection.elapsed
            connection.parts.withLock { $0.mirror.recall(scene, of: lights, by: ticket, at: start) }
            defer {
                let end = connection.elapsed
                connection.parts.withLock { $0.mirror.noteSent(to: lights, at: end) }
            }
            let delivery = await connection.client.write(operation)
            // If this read fails, the stream reports the lights.
            if delivery.isAccepted { _ = try? await connection.read(.lights) }
            return delivery
        }
    }

    /// Makes a lamp blink. It goes in its turn among the lamp's commands. In API v1 the bridge objects if the lamp is off,
    /// and nothing blinks.
    mutating func identify(_ light: Light.ID, _ reply: @escaping Reply<Outcome>, at now: Duration) {
        guard let known = mirror.resources.lights[light.resourceID], let device = known.device else {
            return queue.refuse(CommandQueue.Caller(reply: reply), .noSuchTarget(.light(light)))
        }
        let operation = Operation.identify(light: known.id, device: device)
        let caller = CommandQueue.Caller(lights: [known.id], reply: reply)
        queue.ask(.light, writing: { _ in [operation] }, for: caller, at: now) {
            let delivery = await $0.client.write(operation)
            if case let .doubted(words, _) = delivery, $0.client.dialect == .v1 { return .refused(words) }
            return delivery
        }
    }

    /// Lets lamps blink: those of a whole room, zone or home by one command, so that they do so together. Of several, one
    /// that has no colours blinks without.
    mutating func signal(
        _ lights: [Light.ID], _ signal: Light.Signal, _ reply: @escaping Reply<Outcome>, at now: Duration
    ) {
        let known = lights.compactMap { mirror.resources.lights[$0.resourceID] }
        guard dialect == .v2 else {
            let caller = CommandQueue.Caller(lights: known.map(\.id), reply: reply)
            return queue.refuse(
                caller, .invalid("its bridge has API v1, which knows no signals; 'identify' makes a lamp blink"))
        }
        let request = SignalRequest(signal.colors.map(\.xy.rounded), milliseconds: signal.milliseconds)
        let wanted = Set(known.map(\.id))
        let areAllAble = signal.colors.isEmpty || known.allSatisfy { $0.triangle != nil }
        let group =
            areAllAble
            ? mirror.resources.layout.first { $0.members.count > 1 && Set($0.members) == wanted } : nil
        let operations: [(lights: [ResourceID], operation: Operation)] =
            if let group {
                [(known.map(\.id), .signal(.groupedLight, group.groupedLight, request))]
            } else {
                known.map { light in
                    ([light.id], .signal(.light, light.id, light.triangle == nil ? request.plain : request))
                }
            }
        let bridge = mirror.resources.bridge
        let collector = OutcomeCollector(operations.map { $0.lights.map { .light(Light.ID(bridge, $0)) } }, reply)
        for (place, (lights, operation)) in operations.enumerated() {
            let caller = CommandQueue.Caller(lights: lights) { collector.put($0, at: place) }
            queue.ask(group == nil ? .light : .group, writing: { _ in [operation] }, for: caller, at: now) {
                await $0.client.write(operation)
            }
        }
    }
}

extension BridgeConnection {
    /// Reads everything, and publishes it.
    func loadEverything(_ reply: @escaping Reply<Outcome>) {
        change { parts, now in
            parts.queue.ask(.read, for: CommandQueue.Caller(reply: reply), at: now) { connection in
                let (asked, losses) = (connection.elapsed, connection.losses)
                do throws(Failure) {
                    connection.load(try await connection.client.fetch(.everything), askedAt: asked, since: losses)
                    return .done
                } catch {
                    return .refused(BridgeWords(error.reason))
                }
            }
        }
    }

    // MARK: - The supervisor's requests

    /// Does something when its turn in the queue comes, however late, so that the bridge never has more requests at once
    /// than it bears. While the bridge is not connected nothing else is sent, and it is done at once. Cancelling the task
    /// drops it if it was not sent.
    func inTurn<Answer: Sendable>(
        _ cost: Job.Cost, _ work: @escaping @Sendable (BridgeConnection) async throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        guard state == .connected else { return try await work(self) }
        let result = ResultBox<Result<Answer, Failure>>()
        let token = change { parts, _ in parts.queue.nextToken() }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                change { parts, now in
                    parts.queue.ask(token, cost, at: now, reply: { continuation.resume(returning: $0) }) { connection in
                        do throws(Failure) {
                            let answer = try await work(connection)
                            result.content.withLock { $0 = .success(answer) }
                            return .done
                        } catch {
                            result.content.withLock { $0 = .failure(error) }
                            return .refused(BridgeWords(error.reason))
                        }
                    }
                    // The cancellation may have come before there was anything to drop.
                    if Task.isCancelled { parts.queue.withdraw(token) }
                }
            }
        } onCancel: {
            change { parts, _ in parts.queue.withdraw(token) }
        }
        if let result = result.content.withLock({ $0 }) { return try result.get() }
        throw outcome.failure ?? .unreachable(id, because: "lightd is stopping")
    }

    /// What a request has brought, for the caller that is answered after it.
    final class ResultBox<Content: Sendable>: Sendable {
        let content = Mutex<Content?>(nil)
    }
}

extension Transition {
    /// `nil` leaves it to the bridge.
    var wire: Int? {
        if case let .milliseconds(count) = self { min(max(count, 0), Self.longest) } else { nil }
    }
}
