import Curl
import FoundationEssentials
import HueWire
import Khipu
import Lighting
import Logging
import Synchronization

/// What goes out, and what becomes of it.
extension BridgeLine {
    /// Carries one shipment to the bridge and takes in the answer.
    func carry(_ shipment: Shipment) async {
        let fate: Fate
        switch shipment.content {
        case let .errand(id):
            guard let job = desk.withLock({ $0.jobs[id] }) else { return settle(shipment, .refused("forgotten")) }
            fate = await job(self)
        case let .light(light, patch):
            let (deed, before) = prepare(patch, of: light)
            fate = await put(deed).easy(on: patch, before)
            noteAnswer([light], fate)
        case let .group(groupedLight, members: lights, patch):
            let deed = prepare(patch, of: lights, by: groupedLight)
            fate = await put(deed).naming(map.lights.unreached(among: lights))
            noteAnswer(lights, fate)
        }
        settle(shipment, fate)
    }

    private func settle(_ shipment: Shipment, _ fate: Fate) {
        answer(
            desk.withLock {
                $0.plan.answer(shipment.id, with: fate, chance: .random(in: 0...1), at: elapsed)
            })
        ring()
    }

    private func noteAnswer(_ lights: [ResourceID], _ fate: Fate) {
        desk.withLock { $0.echoes.answered(lights, isTaken: fate.isTaken) }
        touch(lights)
        if fate.isTaken || fate == .unknown { tellOfWrite() }
    }

    private func prepare(_ patch: Patch, of light: ResourceID) -> (Deed, KnownLight?) {
        let now = elapsed
        return desk.withLock { desk in
            let before = desk.map.lights[light]
            let held = desk.note(patch, sentTo: light, isOfGroup: false, at: now)
            return (.light(light, LightUpdate(held), whites: before?.whites), before)
        }
    }

    /// For a group the colour is held to the widest gamut of its lamps; the bridge holds it for each.
    private func prepare(_ patch: Patch, of lights: [ResourceID], by groupedLight: ResourceID) -> Deed {
        let now = elapsed
        return desk.withLock { desk in
            for light in lights { desk.note(patch, sentTo: light, isOfGroup: true, at: now) }
            var held = patch
            if case let .xy(point) = patch.color {
                let triangles = lights.compactMap { desk.map.lights[$0]?.triangle }
                let wide = triangles.first { $0.contains(point) } ?? triangles.first ?? .c
                held.color = .xy(wide.nearest(to: point).rounded)
            }
            return .group(groupedLight, LightUpdate(held))
        }
    }

    /// Tells the keeper that an echo is due.
    func tellOfWrite() { desk.withLock { $0.written }?.yield() }

    /// Writes one resource, once. A PUT of the same values twice does no harm, so what may not have been carried out may come again.
    func put(_ deed: Deed) async -> Fate {
        let call = call
        let response: HTTPResponse
        do {
            response = try await client.send(
                call.request(
                    .put, dialect.path(of: deed, key: call.key), body: dialect.body(of: deed),
                    deadline: settings.answerPatience))
        } catch let error as CurlError {
            return fate(of: error)
        } catch {
            return .refused("a value cannot be written: \(error)")
        }
        switch dialect.receipt(of: deed, response) {
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

    func fate(of error: CurlError) -> Fate {
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

extension BridgeLine.Desk {
    /// Notes what goes to a lamp: its echo is awaited, its colour's point stands for the person's words, and a lamp that is out of reach
    /// hears of it when it is back.
    ///
    /// - Returns: what the lamp makes of it.
    @discardableResult
    fileprivate mutating func note(
        _ patch: Patch, sentTo light: ResourceID, isOfGroup: Bool, at now: Duration
    ) -> Patch {
        touched[light] = now
        guard let before = map.lights[light] else { return patch.held(for: nil) }
        let (held, ticket) = (patch.held(for: before), wishers[light])
        echoes.sent(held, to: light, by: ticket, before: before, isOfGroup: isOfGroup, at: now)
        if case let .xy(point) = patch.color, case let .xy(shown) = held.color {
            map.wish(HueSaturation(point), as: shown, of: light)
        }
        if before.isReachable {
            absent.forget(light)
        } else {
            absent.keep(patch, for: light, by: ticket, at: now)
        }
        return held
    }
}

extension Fate {
    var isTaken: Bool {
        switch self {
        case .done, .doubted: true
        case .refused, .busy, .faulty, .unsent, .unknown: false
        }
    }

    /// Values sent to a lamp that is to be off are doubted by bridges, and meant all the same: they are for the next on.
    fileprivate func easy(on patch: Patch, _ before: KnownLight?) -> Fate {
        if case .doubted = self, patch.on == nil, before?.isOn == false { .done } else { self }
    }

    /// A group's answer does not say which lamp was not reached; what is known of the lamps does.
    fileprivate func naming(_ lights: [ResourceID]) -> Fate {
        if case let .doubted(words, _) = self { .doubted(words, lights) } else { self }
    }
}

extension [ResourceID: KnownLight] {
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
