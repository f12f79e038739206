import Curl
import FoundationEssentials
import HueWire
import Lighting

/// API v1: numbers instead of UUIDs, steps instead of per cent, tenths of a second instead of milliseconds, and an
/// answer for each attribute.
extension Dialect {
    static func v1Path(of operation: Operation) -> String {
        switch operation {
        case let .light(light, _, _): "/lights/\(light)/state"
        case let .group(group, _): "/groups/\(group)/action"
        // No bridge with API v1 lists smart scenes, so none is ever activated.
        case let .recall(scene, _, _), let .activate(scene, _):
            if let place = V1Group.OwnScene.place(scene) {
                "/groups/\(place.group)/scenes/\(place.scene)/recall"
            } else {
                // Recalled on group 0, which sets all of the scene's lights whichever group it belongs to.
                "/groups/\(V1Home.whole)/action"
            }
        // The id of a sensor is its path.
        case let .enable(_, sensor, _): "/\(sensor)/config"
        // A light and its device are one.
        case let .rename(.device, light, _): "/lights/\(light)"
        case let .rename(.scene, scene, _), let .delete(.scene, scene): v1Path(ofScene: scene)
        case let .rename(_, group, _), let .delete(_, group), let .arrange(_, group, _): "/groups/\(group)"
        case let .configure(light, _): "/lights/\(light)/config"
        case let .identify(light: light, _), let .signal(_, light, _): "/lights/\(light)/state"
        case .createGroup: "/groups"
        case let .createScene(_, group, _, inGroup: true): "/groups/\(group.rid)/scenes"
        case .createScene: "/scenes"
        case let .storeLight(scene: scene, light: light, _, _): "\(v1Path(ofScene: scene))/lightstates/\(light)"
        case let .store(scene: scene, _):
            v1Path(ofScene: scene) + (V1Group.OwnScene.place(scene) == nil ? "" : "/store")
        }
    }

    static func v1Path(ofScene scene: ResourceID) -> String {
        V1Group.OwnScene.place(scene).map { "/groups/\($0.group)/scenes/\($0.scene)" } ?? "/scenes/\(scene)"
    }

    static func v1Body(of operation: Operation) throws -> [UInt8]? {
        return switch operation {
        case let .light(_, update, whites), let .storeLight(_, _, update, whites):
            Array(try encoder.encode(V1Update(update, whites: whites)))
        case let .group(_, update): Array(try encoder.encode(V1Update(update)))
        case let .recall(scene, milliseconds, _):
            Array(
                try encoder.encode(
                    V1Group.OwnScene.place(scene) == nil
                        ? V1Update(
                            transitiontime: milliseconds.map { V1Update.tenths(milliseconds: $0) },
                            scene: scene.description)
                        // deCONZ accepts no transition here.
                        : V1Update()))
        case let .enable(_, _, isEnabled): Array(try encoder.encode(V1SensorConfig(isOn: isEnabled)))
        case let .rename(_, _, name): Array(try encoder.encode(V1Name(name)))
        case let .configure(_, update): Array(try encoder.encode(V1Startup(update)))
        case .identify: Array(try encoder.encode(V1Update(alert: "select")))
        case let .createGroup(type, name, members):
            Array(
                try encoder.encode(
                    V1GroupUpdate(name: name, type: type == .room ? "Room" : "Zone", lights: members.numbers)))
        case let .arrange(_, _, members): Array(try encoder.encode(V1GroupUpdate(lights: members.numbers)))
        case let .createScene(name, _, _, inGroup: true): Array(try encoder.encode(V1Name(name)))
        case let .createScene(name, group, _, inGroup: false):
            Array(try encoder.encode(V1NewScene(name: name, group: group.rid.description)))
        case let .store(scene: scene, _):
            // deCONZ stores by the path alone.
            Array(
                try V1Group.OwnScene.place(scene) == nil
                    ? encoder.encode(V1SceneStore()) : encoder.encode(V1Update()))
        case .delete, .activate, .signal: nil
        }
    }

    /// Hue bridges answer with status 200 whatever happened; deCONZ uses real statuses with the same body.
    static func v1Delivery(_ response: HTTPResponse) -> Delivery {
        guard let answer = response.decoded(as: V1Answer.self) else {
            if let overload = response.overload() { return overload }
            return switch response.status {
            case 401, 403: .keyRefused
            case 404: .refused("HTTP 404")
            default: response.isAccepted ? .unknown : .refused("HTTP \(response.status)")
            }
        }
        let words = answer.errors.map(\.description).joined(separator: "; ")
        for error in answer.errors {
            switch error.type {
            case V1Error.unauthorized: return .keyRefused
            case V1Error.internalError: return response.overload(words) ?? .busy(words)
            case V1Error.absent: return .refused(BridgeWords(words))
            case V1Error.notReachable: return .doubted(BridgeWords(words))
            default: break
            }
        }
        if let overload = response.overload(words) { return overload }
        if answer.errors.isEmpty {
            guard response.isAccepted else { return .refused("HTTP \(response.status)") }
            // It names neither what was done nor what was not.
            return answer.done.isEmpty ? .refused("its answer cannot be read") : .done
        }
        // The transition alone does not count.
        let isAnyDone = answer.done.contains { !$0.hasSuffix("/transitiontime") }
        // The light is off. Some bridges carry the command out all the same.
        let isOff = answer.errors.allSatisfy { $0.type == V1Error.deviceIsOff }
        let isMild = answer.errors.allSatisfy(\.isOfOneAttribute)
        return isMild && (isAnyDone || isOff) ? .doubted(BridgeWords(words)) : .refused(BridgeWords(words))
    }

    static func v1Reading(_ query: Query, _ response: HTTPResponse) -> Reading {
        // An array in place of an object is an error, whatever the status.
        if let answer = response.decoded(as: V1Answer.self) {
            let types = answer.errors.map(\.type)
            if types.contains(V1Error.unauthorized) { return .keyRefused }
            if types.contains(V1Error.internalError) || response.isBusy { return .busy(answer.words(response)) }
            return types.contains(V1Error.absent) ? .gone : .unreadable(answer.words(response))
        }
        return reading(ofStatus: response) ?? v1Resources(query, response) ?? .unreadable("its answer cannot be read")
    }

    private static func v1Resources(_ query: Query, _ response: HTTPResponse) -> Reading? {
        switch query {
        case .everything:
            response.decoded(as: V1Home.self).map { .resources($0.resources, unreadable: $0.unreadable) }
        case .lights, .connectivity:
            response.decoded(as: V1List<V1Light>.self).map {
                .resources($0.resources, unreadable: $0.unreadable)
            }
        case let .light(id):
            response.decoded(as: V1Light.self).map {
                .resources($0.resources(of: id.description), unreadable: [])
            }
        case .sensors:
            response.decoded(as: V1List<V1Sensor>.self).map {
                .resources($0.resources, unreadable: $0.unreadable)
            }
        // It is polled, and reads all groups with everything.
        case .group: nil
        case let .scene(id):
            response.decoded(as: V1Scene.self).map { .resources([$0.resource(of: id)], unreadable: []) }
        }
    }
}

extension [ResourceReference] {
    /// The numbers of lights; a light and its device are one. Sensors stay in the groups that have them.
    fileprivate var numbers: [String] { filter { !V1Sensor.isDevice($0.rid) }.map(\.rid.description) }
}

extension V1Answer {
    fileprivate func words(_ response: HTTPResponse) -> String {
        errors.isEmpty ? "HTTP \(response.status)" : errors.map(\.description).joined(separator: "; ")
    }
}

extension V1Update {
    /// The same update in API v1: levels on its grid of 254 steps, times in tenths of a second.
    ///
    /// - Parameter whites: the light's range in mirek; 153…500 if it is not known. Other values are limited to it,
    ///   because bridges refuse those far outside (home-assistant/core#61584).
    init(_ update: LightUpdate, whites: ClosedRange<Int>? = nil) {
        let whites = whites ?? 153...500
        var (mirek, xy, effect): (Int?, XY?, String?)
        switch update.color?.base {
        case let .mirek(value): mirek = value
        case let .xy(point): xy = point
        // No bridge of API v1 has several colours in one lamp.
        case .gradient, .effect, nil: break
        }
        if case let .effect(asked, over: _)? = update.color {
            effect = asked.name == LightUpdate.Effect.none ? Self.noEffect : asked.name
        }
        self.init(
            on: update.on,
            bri: update.brightness.map { Level.bri(percent: $0) },
            ct: mirek.map { min(max($0, whites.lowerBound), whites.upperBound) },
            xy: xy,
            transitiontime: update.milliseconds.map { Self.tenths(milliseconds: $0) }, effect: effect)
    }

    /// At most 65535, nearly two hours.
    static func tenths(milliseconds: Int) -> Int {
        min(max((max(milliseconds, 0) / 100 + (milliseconds % 100 >= 50 ? 1 : 0)), 0), 65535)
    }
}
