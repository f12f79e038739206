import HueWire
import Lighting
import Logging
import Synchronization

/// How a scheduled request is sent: the mirror computes what each light will show and expects its confirmation, the
/// client sends the request, and the queue gets its ``Delivery``.
extension BridgeConnection {
    func send(_ request: ScheduledRequest) async {
        let delivery: Delivery
        switch request.content {
        case let .job(id):
            let content = parts.withLock { $0.queue.work[id] }
            delivery = await content?.work(self) ?? .refused("forgotten")
        case let .light(light, update):
            if mayBeOverruled(request, [light]), let trouble = await confirmUnchanged([light], for: request.id) {
                delivery = trouble
                break
            }
            let now = elapsed
            let (operation, before) = parts.withLock { $0.prepare(update, of: light, at: now) }
            delivery = await put(operation, to: [light]).accepting(update, by: before)
        case let .group(groupedLight, members: lights, update):
            if let trouble = await confirmMembers(of: groupedLight) {
                delivery = trouble
                break
            }
            if mayBeOverruled(request, lights), let trouble = await confirmUnchanged(lights, for: request.id) {
                delivery = trouble
                break
            }
            let now = elapsed
            let operation = parts.withLock { $0.prepare(update, of: lights, by: groupedLight, at: now) }
            delivery = await put(operation, to: lights).naming(lights, in: home)
        }
        let worded = delivery.worded(in: home)
        if let raw = worded.raw { logger.debug("the bridge objects", metadata: ["words": "\(raw)"]) }
        change { $0.queue.finish(request, worded, chance: .random(in: 0...1), at: $1) }
    }

    /// Reads the members of a room or zone before a command goes to all of them. An event stream may have left out that a
    /// lamp has come (AuditTests), and the lamp would change though nobody named it.
    ///
    /// - Returns: `nil` if they are as they are known.
    private func confirmMembers(of groupedLight: ResourceID) async -> Delivery? {
        let losses = losses
        guard client.dialect == .v2, let known = home.group(ofGroupedLight: groupedLight) else { return nil }
        let read: [Resource]
        switch await client.fetchOnce(.group(known.type, known.id)) {
        case let .success(resources): read = resources
        case let .failure(trouble): return trouble.delivery.ofNothingSent
        }
        guard let children = read.lazy.compactMap(\.children).first, Set(children) != known.children else { return nil }
        let time = now()
        report(since: losses) { mirror, _, now in (mirror.apply([EventContainer(.update, read)], at: time, now), ()) }
        // One that is not known is read first, and the others are spoken to one by one.
        guard children.allSatisfy(home.isKnown) else {
            change { $0.queue.read(at: $1) { await $0.rereadEverything() } }
            return .refused("its members have changed")
        }
        return .outdated
    }

    /// Whether somebody may have changed a light since a request was decided on, or shortly before: the request could not
    /// be sent in time, or it is a step of what lights follow. Of a hand in the second before a step, a bridge that
    /// collects its events reports only the step.
    private func mayBeOverruled(_ request: ScheduledRequest, _ lights: [ResourceID]) -> Bool {
        let now = elapsed
        return request.isLate
            || parts.withLock { parts in
                lights.contains { light in
                    parts.queue.tickets[light]?.isFollowUpStep == true && !parts.mirror.isJustReported(light, at: now)
                }
            }
    }

    /// Reads lights before a request by which somebody may be overruled: the last hand wins.
    ///
    /// - Returns: `nil` if nobody has.
    private func confirmUnchanged(_ lights: [ResourceID], for request: UInt64) async -> Delivery? {
        let (asked, losses) = (elapsed, losses)
        switch await client.fetchOnce(lights.count == 1 ? .light(lights[0]) : .lights) {
        case let .success(read):
            let time = now()
            report(since: losses) { mirror, _, now in
                (mirror.refresh(read, askedAt: asked, at: time, now).0, ())
            }
        case let .failure(trouble): return trouble.delivery.ofNothingSent
        }
        return parts.withLock { $0.queue.scheduler.hasYielded(request) } ? .outdated : nil
    }

    private func put(_ operation: Operation, to lights: [ResourceID]) async -> Delivery {
        let delivery = await client.write(operation)
        let now = elapsed
        let isAccepted = delivery == .unknown ? nil : delivery.isAccepted
        parts.withLock { $0.mirror.delivered(to: lights, isAccepted: isAccepted, at: now) }
        if delivery.isAccepted || delivery == .unknown { signalWrite(isAnswered: delivery != .unknown) }
        return delivery
    }
}

extension BridgeConnection.Parts {
    /// What a request writes, with its values limited to what the lights can show. Their confirmation is expected from
    /// now on. Empty for a request that only reads.
    mutating func operations(of request: ScheduledRequest, at now: Duration) -> [Operation] {
        switch request.content {
        case let .job(id): queue.work[id]?.operations(mirror) ?? []
        case let .light(light, update): [prepare(update, of: light, at: now).0]
        case let .group(groupedLight, members: lights, update): [prepare(update, of: lights, by: groupedLight, at: now)]
        }
    }

    fileprivate mutating func prepare(
        _ update: LightUpdate, of light: ResourceID, at now: Duration
    ) -> (Operation, before: LightMirror?) {
        let before = mirror.resources.lights[light]
        let held = mirror.expect(update, of: light, by: queue.tickets[light], isOfGroup: false, at: now)
        return (.light(light, held, whites: before?.whites), before)
    }

    /// For a group the colour is held to a gamut that has it, if one of its lights does; the bridge holds what it is sent
    /// for each.
    fileprivate mutating func prepare(
        _ update: LightUpdate, of lights: [ResourceID], by groupedLight: ResourceID, at now: Duration
    ) -> Operation {
        var sent = update
        if case let .xy(point) = update.color {
            let triangles = lights.compactMap { mirror.resources.lights[$0]?.triangle }
            let wide = triangles.first { $0.contains(point) } ?? triangles.first ?? .c
            sent.color = .xy(wide.held(point))
        }
        for light in lights {
            _ = mirror.expect(update, sentAs: sent, of: light, by: queue.tickets[light], isOfGroup: true, at: now)
        }
        return .group(groupedLight, sent)
    }
}

extension Resource {
    /// Of a room or zone, if it names them.
    fileprivate var children: [ResourceReference]? {
        switch self {
        case let .room(group), let .zone(group): group.children
        default: nil
        }
    }
}

extension Delivery {
    /// Bridges doubt values for a light that is to stay off, but keep them for when it is turned on. They may say so of a
    /// light that was turned off a moment ago, and that they have not reported as off yet.
    fileprivate func accepting(_ update: LightUpdate, by before: LightMirror?) -> Delivery {
        guard case let .doubted(words, _) = self, update.on == nil else { return self }
        return before?.isOn == false || words.text.contains("\"soft off\"") ? .done : self
    }

    /// A group's answer does not say which light was not reached; what is known of the lights does.
    fileprivate func naming(_ lights: [ResourceID], in home: HomeResources) -> Delivery {
        guard case let .doubted(words, _) = self else { return self }
        return .doubted(words, lights.filter { home.lights[$0]?.isReachable == false })
    }
}
