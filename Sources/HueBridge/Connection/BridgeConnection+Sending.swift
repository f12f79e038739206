import Curl
import FoundationEssentials
import HueWire
import Khipu
import Lighting
import Logging
import Synchronization

/// What goes out, and what becomes of it.
extension BridgeConnection {
    /// Carries one shipment to the bridge and takes in the answer.
    func carry(_ request: ScheduledRequest) async {
        let delivery: Delivery
        switch request.content {
        case let .job(id):
            guard let job = desk.withLock({ $0.jobs[id] }) else { return settle(request, .refused("forgotten")) }
            delivery = await job(self)
        case let .light(light, patch):
            let (operation, before) = prepare(patch, of: light)
            delivery = await put(operation).easy(on: patch, before)
            noteAnswer([light], delivery)
        case let .group(groupedLight, members: lights, patch):
            let operation = prepare(patch, of: lights, by: groupedLight)
            delivery = await put(operation).naming(home.lights.unreached(among: lights))
            noteAnswer(lights, delivery)
        }
        settle(request, delivery)
    }

    private func settle(_ request: ScheduledRequest, _ delivery: Delivery) {
        answer(
            desk.withLock {
                $0.scheduler.answer(request.id, with: delivery, chance: .random(in: 0...1), at: elapsed)
            })
        signalWork()
    }

    private func noteAnswer(_ lights: [ResourceID], _ delivery: Delivery) {
        desk.withLock { $0.confirmations.answered(lights, isTaken: delivery.isTaken) }
        touch(lights)
        if delivery.isTaken || delivery == .unknown { tellOfWrite() }
    }

    private func prepare(_ patch: Patch, of light: ResourceID) -> (Operation, LightMirror?) {
        let now = elapsed
        return desk.withLock { desk in
            let before = desk.home.lights[light]
            let held = desk.note(patch, sentTo: light, isOfGroup: false, at: now)
            return (.light(light, LightUpdate(held), whites: before?.whites), before)
        }
    }

    /// For a group the colour is held to the widest gamut of its lamps; the bridge holds it for each.
    private func prepare(_ patch: Patch, of lights: [ResourceID], by groupedLight: ResourceID) -> Operation {
        let now = elapsed
        return desk.withLock { desk in
            for light in lights { desk.note(patch, sentTo: light, isOfGroup: true, at: now) }
            var held = patch
            if case let .xy(point) = patch.color {
                let triangles = lights.compactMap { desk.home.lights[$0]?.triangle }
                let wide = triangles.first { $0.contains(point) } ?? triangles.first ?? .c
                held.color = .xy(wide.nearest(to: point).rounded)
            }
            return .group(groupedLight, LightUpdate(held))
        }
    }

    /// Tells the keeper that an echo is due.
    func tellOfWrite() { desk.withLock { $0.written }?.yield() }

    /// Writes one resource, once. A PUT of the same values twice does no harm, so what may not have been carried out may come again.
    func put(_ operation: Operation) async -> Delivery {
        let call = call
        let response: HTTPResponse
        do {
            response = try await client.send(
                call.request(
                    .put, dialect.path(of: operation, key: call.key), body: dialect.body(of: operation),
                    deadline: settings.answerPatience))
        } catch let error as CurlError {
            return delivery(of: error)
        } catch {
            return .refused("a value cannot be written: \(error)")
        }
        switch dialect.receipt(of: operation, response) {
        case .done: return .done
        case let .doubted(words): return .doubted(words)
        case let .refused(words), let .gone(words): return .refused(words)
        case let .busy(words):
            logger.debug("bridge is busy", metadata: ["reason": "\(words)"])
            return response.status == 500 ? .faulty(words) : .busy
        case .keyRefused:
            failAll(.keyRefused(by: id))
            return .refused("the key is refused")
        // Cut off on its way: what it said is unknown.
        case .unreadable: return .unknown
        }
    }

    func delivery(of error: CurlError) -> Delivery {
        switch error {
        case .noConnection: return .unsent
        case .certificateRefused:
            failAll(error.failure(of: id))
            return .unsent
        case .timedOut, .broken, .tooMuch: return .unknown
        case .cancelled, .closed, .invalid: return .refused(error.description)
        }
    }
}

extension BridgeConnection.Desk {
    /// Notes what goes to a lamp: its echo is awaited, its colour's point stands for the person's words, and a lamp that is out of reach
    /// hears of it when it is back.
    ///
    /// - Returns: what the lamp makes of it.
    @discardableResult
    fileprivate mutating func note(
        _ patch: Patch, sentTo light: ResourceID, isOfGroup: Bool, at now: Duration
    ) -> Patch {
        touched[light] = now
        guard let before = home.lights[light] else { return patch.held(for: nil) }
        let (held, ticket) = (patch.held(for: before), requesters[light])
        confirmations.sent(held, to: light, by: ticket, before: before, isOfGroup: isOfGroup, at: now)
        if case let .xy(point) = patch.color, case let .xy(shown) = held.color {
            home.requestedColor(HueSaturation(point), as: shown, of: light)
        }
        if before.isReachable {
            offline.forget(light)
        } else {
            offline.keep(patch, for: light, by: ticket, at: now)
        }
        return held
    }
}

extension Delivery {
    var isTaken: Bool {
        switch self {
        case .done, .doubted: true
        case .refused, .busy, .faulty, .unsent, .unknown: false
        }
    }

    /// Values sent to a lamp that is to be off are doubted by bridges, and meant all the same: they are for the next on.
    fileprivate func easy(on patch: Patch, _ before: LightMirror?) -> Delivery {
        if case .doubted = self, patch.on == nil, before?.isOn == false { .done } else { self }
    }

    /// A group's answer does not say which lamp was not reached; what is known of the lamps does.
    fileprivate func naming(_ lights: [ResourceID]) -> Delivery {
        if case let .doubted(words, _) = self { .doubted(words, lights) } else { self }
    }
}

extension [ResourceID: LightMirror] {
    fileprivate func unreached(among lights: [ResourceID]) -> [ResourceID] {
        lights.filter { self[$0]?.isReachable == false }
    }
}

extension LightUpdate {
    init(_ patch: Patch) {
        var (mirek, xy): (Int?, XY?)
        switch patch.color {
        case let .mirek(value): mirek = value
        case let .xy(point): xy = point
        case nil: break
        }
        self.init(
            on: patch.on, brightness: patch.brightness, mirek: mirek, xy: xy, milliseconds: patch.milliseconds)
    }
}
