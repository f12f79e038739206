import Curl
import FoundationEssentials
import HueWire
import Lighting
import Logging

/// What a PUT came to.
enum Written {
    case done
    /// Taken, but the bridge doubts it.
    case doubted(String)
    case failed(Failure)
}

extension BridgeLine {
    /// Writes one resource: waits for its turn, tries again while the bridge is overloaded, and reads the answer's words. A PUT of
    /// the same values twice does no harm, so a connection that breaks is tried once more on a fresh one.
    func put(_ type: ResourceType, _ resource: ResourceID, _ body: some Encodable, as kind: Pacer.Kind) async -> Written
    {
        if let failure = refusal { return .failed(failure) }
        let bytes: [UInt8]
        do {
            bytes = Array(try JSONEncoder().encode(body))
        } catch {
            return .failed(.invalid("a value cannot be written: \(error)"))
        }
        let path = "/clip/v2/resource/\(type)/\(resource)"
        let clock = ContinuousClock()
        // From the moment it was asked: the queue is part of the wait.
        let end = (Self.asked ?? clock.now) + settings.commandDeadline
        var backoff = Backoff()
        var isSecondTry = false
        while true {
            let pause = book(kind)
            guard clock.now + pause < end else {
                return .failed(.unreachable(id, because: "it is busy, and the command's turn did not come in time"))
            }
            do {
                try await Task.sleep(for: pause)
                let response = try await client.send(call.request(.put, path, body: bytes, deadline: end - clock.now))
                switch response.status {
                case 429, 500, 502, 503:
                    let wait = backoff.next()
                    guard clock.now + wait < end, response.status != 500 || backoff.attempt < 3 else {
                        return .failed(.refused(by: id, words: "HTTP \(response.status), overloaded"))
                    }
                    logger.debug("bridge is busy", metadata: ["status": "\(response.status)", "retry.in": "\(wait)"])
                    try await Task.sleep(for: wait)
                default:
                    if kind != .other { tellOfWrite() }
                    return read(response)
                }
            } catch let error as CurlError {
                switch error {
                case .timedOut:
                    tellOfWrite()
                    return .failed(
                        .unconfirmed(by: id, words: "no answer in time; the command may still be carried out"))
                case .broken where !isSecondTry && clock.now < end, .noConnection where !isSecondTry && clock.now < end:
                    isSecondTry = true
                default: return .failed(error.failure(of: id))
                }
            } catch {
                return .failed(stopping)
            }
        }
    }

    /// Why a command need not be tried now.
    private var refusal: Failure? {
        if case let .lost(failure) = state { failure } else { nil }
    }

    /// Why what was begun is not ended.
    var stopping: Failure { .unreachable(id, because: "lightd is stopping") }

    /// What an answer means that is none to the question.
    func failure(_ status: Int, to question: String = "") -> Failure {
        switch status {
        case 401, 403: .keyRefused(by: id)
        case 404: .unreachable(id, because: "it does not speak API v2; its firmware is too old")
        default: .unreachable(id, because: "HTTP \(status)\(question)")
        }
    }

    /// Decides on the status, never on the body, which is often a page (docs/hue-quirks.md).
    private func read(_ response: HTTPResponse) -> Written {
        if response.status == 401 || response.status == 403 { return .failed(.keyRefused(by: id)) }
        let isTaken = (200..<300).contains(response.status)
        let envelope: Envelope<ResourceReference>
        do {
            envelope = try JSONDecoder().decode(Envelope<ResourceReference>.self, from: Data(response.body))
        } catch {
            return isTaken
                ? .failed(.unreachable(id, because: "its answer cannot be read"))
                : .failed(.refused(by: id, words: "HTTP \(response.status)"))
        }
        let hard = envelope.errors.filter { !$0.isAdvisory || !isTaken }
        if !hard.isEmpty { return .failed(.refused(by: id, words: hard.words)) }
        guard isTaken else { return .failed(.refused(by: id, words: "HTTP \(response.status)")) }
        return envelope.errors.isEmpty ? .done : .doubted(envelope.errors.words)
    }

    // MARK: - Commands of the domain

    /// Sends what belongs together: to a whole group by one command, else lamp by lamp.
    func send(_ orders: [LightOrder], _ transition: Transition) async -> Outcome {
        let lights = orders.map(\.light)
        if let first = orders.first, lights.count > 1,
            orders.allSatisfy({ $0.power == first.power && $0.setting == first.setting }),
            let group = map.target(of: lights.map(\.resourceID))
        {
            return await send(group, { LightUpdate(first, transition, in: $0) }, color: first.color)
        }
        var outcomes: [(target: Target, outcome: Outcome)] = []
        for order in orders {
            let update = { LightUpdate(order, transition, in: $0) }
            outcomes.append((.light(order.light), await send(.light(order.light), update, color: order.color)))
        }
        return .all(outcomes)
    }

    /// Sends an update to what the target stands for on this bridge.
    func send(_ target: Target, _ update: (HueWire.Gamut?) -> LightUpdate, color: HueSaturation? = nil) async -> Outcome
    {
        switch target {
        case let .light(light): return await send(light.resourceID, update, color)
        case let .room(room):
            let lights = map.members(of: room.resourceID)
            return await send(group: map.groupedLight(of: room.resourceID), lights, update, color)
        case .all:
            let home = map.wholeHome
            return await send(group: home?.groupedLight, home?.lights ?? map.allLights, update, color)
        }
    }

    private func send(
        _ light: ResourceID, _ update: (HueWire.Gamut?) -> LightUpdate, _ color: HueSaturation?
    ) async -> Outcome {
        let update = update(map.lights[light]?.triangle)
        if let color, let xy = update.color?.xy { wish(color, as: xy, of: [light]) }
        return outcome(await put(.light, light, update, as: .light))
    }

    /// One group command; lamp by lamp where the bridge has no switch for the group.
    private func send(
        group: ResourceID?, _ lights: [ResourceID], _ update: (HueWire.Gamut?) -> LightUpdate, _ color: HueSaturation?
    ) async -> Outcome {
        guard let group else {
            // Nothing to do in a home without lights; but before the first fetch none are known.
            if lights.isEmpty, state != .connected {
                return .failed(refusal ?? .unreachable(id, because: "not connected yet"))
            }
            var outcomes: [(Target, Outcome)] = []
            for light in lights { outcomes.append((.light(Light.ID(id, light)), await send(light, update, color))) }
            return Outcome.all(outcomes)
        }
        let update = update(lights.lazy.compactMap { self.map.lights[$0]?.triangle }.first)
        if let color, let xy = update.color?.xy { wish(color, as: xy, of: lights) }
        let written = await put(.groupedLight, group, update, as: .group)
        if case let .doubted(words) = written { return doubt(words, about: lights) }
        return outcome(written)
    }

    /// A group's answer does not say which lamp was not reached; what is known of the lamps does.
    private func doubt(_ words: String, about lights: [ResourceID]) -> Outcome {
        let known = map.lights
        let unreached = lights.filter { known[$0]?.isReachable == false }
        let failure = Failure.unconfirmed(by: id, words: words)
        guard !unreached.isEmpty, unreached.count < lights.count else { return .failed(failure) }
        return .failed(.partly(unreached.map { Failure.Part(.light(Light.ID(id, $0)), failure) }, of: lights.count))
    }

    func rename(_ target: Target, _ name: String) async -> Outcome {
        let written: Written
        switch target {
        case let .light(light):
            guard let device = map.lights[light.resourceID]?.device else { return .failed(.noSuchTarget(target)) }
            written = await put(.device, device, NameUpdate(name), as: .other)
        case let .room(room):
            let type: ResourceType = map.isZone(room.resourceID) ? .zone : .room
            written = await put(type, room.resourceID, NameUpdate(name), as: .other)
        case .all: return .failed(.invalid("a home has no name"))
        }
        return outcome(written)
    }

    func set(_ powerup: Light.Powerup, of light: Light.ID) async -> Outcome {
        outcome(await put(.light, light.resourceID, PowerupUpdate(powerup.rawValue), as: .other))
    }

    /// What the scene made of the lamps is read at once: the stream tells it up to a second later, and a step up or down that comes
    /// before would be computed from what is no longer so.
    func recall(_ scene: ResourceID, _ transition: Transition) async -> Outcome {
        let outcome = outcome(await put(.scene, scene, SceneRecall(milliseconds: transition.wire), as: .group))
        // Where that fails, the stream tells it.
        if outcome == .succeeded { _ = try? await reread() }
        return outcome
    }

    private func outcome(_ written: Written) -> Outcome {
        switch written {
        case .done: .succeeded
        case let .doubted(words): .failed(.unconfirmed(by: id, words: words))
        case let .failed(failure): .failed(failure)
        }
    }

    /// Reads everything, and tells it.
    func loadEverything() async -> Outcome {
        do {
            load(try await fetch(Resource.self, ""))
            return .succeeded
        } catch {
            return .failed(error)
        }
    }

    /// Reads lamps afresh, and tells what is new of them.
    ///
    /// - Returns: whether anything was: the stream has not told it.
    func reread(_ path: String = "/light") async throws(Failure) -> Bool {
        refresh(try await fetch(LightResource.self, path))
    }

    /// The resources of a path under `/clip/v2/resource`.
    func fetch<Element: Decodable & Sendable>(_ type: Element.Type, _ path: String) async throws(Failure) -> [Element] {
        var backoff = Backoff()
        while true {
            let response: HTTPResponse
            do throws(CurlError) {
                response = try await client.send(call.request(.get, "/clip/v2/resource\(path)"))
            } catch {
                throw error.failure(of: id)
            }
            switch response.status {
            case 200:
                do {
                    let envelope = try JSONDecoder().decode(Envelope<Element>.self, from: Data(response.body))
                    for problem in envelope.unreadable {
                        logger.debug("a resource cannot be read", metadata: ["problem": "\(problem)"])
                    }
                    return envelope.data
                } catch {
                    throw .unreachable(id, because: "its answer cannot be read")
                }
            case 429, 500, 502, 503:
                guard backoff.attempt < 5 else {
                    throw .unreachable(id, because: "HTTP \(response.status), overloaded")
                }
                do {
                    try await Task.sleep(for: backoff.next())
                } catch {
                    throw stopping
                }
            default: throw failure(response.status)
            }
        }
    }
}

extension [HueError] {
    fileprivate var words: String { map(\.description).joined(separator: "; ") }
}
