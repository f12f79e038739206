import Curl
import FoundationEssentials
import HueWire
import Lighting

/// API v2: every answer is an envelope. The status decides before the body, which is often an HTML page
/// (docs/quirks.md).
extension Dialect {
    static func v2Path(of operation: Operation) -> String {
        switch operation {
        case let .light(light, _, _), let .configure(light, _): "light/\(light)"
        case let .group(grouped, _): "grouped_light/\(grouped)"
        case let .recall(scene, _, _): "scene/\(scene)"
        case let .activate(scene, _): "smart_scene/\(scene)"
        case let .enable(type, resource, _), let .rename(type, resource, _), let .arrange(type, resource, _),
            let .delete(type, resource):
            "\(type)/\(resource)"
        case let .identify(_, device: device): "device/\(device)"
        case let .signal(type, id, _): "\(type)/\(id)"
        case let .createGroup(type, _, _): "\(type)"
        case .createScene: "scene"
        case let .store(scene: scene, _), let .storeLight(scene: scene, _, _, _): "scene/\(scene)"
        }
    }

    static func v2Body(of operation: Operation) throws -> [UInt8]? {
        return switch operation {
        case let .light(_, update, _), let .group(_, update), let .configure(_, update):
            Array(try encoder.encode(update))
        case let .recall(_, milliseconds, motion):
            Array(
                try encoder.encode(
                    SceneRecall(
                        motion.map { $0.isDynamic ? .dynamicPalette : .static } ?? .active, milliseconds: milliseconds,
                        speed: motion?.speed)))
        case let .activate(_, activates): Array(try encoder.encode(SmartSceneRecall(activates: activates)))
        case let .enable(_, _, isEnabled): Array(try encoder.encode(EnabledUpdate(isEnabled)))
        case let .rename(_, _, name): Array(try encoder.encode(NameUpdate(name)))
        case .identify: Array(try encoder.encode(IdentifyRequest()))
        case let .signal(_, _, request): Array(try encoder.encode(request))
        case let .createGroup(type, name, members):
            Array(try encoder.encode(GroupUpdate(type, name: name, children: members)))
        case let .arrange(_, _, members): Array(try encoder.encode(GroupUpdate(children: members)))
        case let .createScene(name, group, actions, _):
            Array(try encoder.encode(SceneUpdate(name: name, group: group, actions: actions)))
        case let .store(_, actions): Array(try encoder.encode(SceneUpdate(actions: actions)))
        case .delete, .storeLight: nil
        }
    }

    static func v2Delivery(of operation: Operation, _ response: HTTPResponse) -> Delivery {
        if let overload = response.overload() { return overload }
        if response.status == 401 || response.status == 403 { return .keyRefused }
        guard let envelope = response.decoded(as: Envelope<ResourceReference>.self) else {
            return response.isAccepted ? .unknown : .refused("HTTP \(response.status)")
        }
        // Its words are "Not Found", whatever it was asked for.
        if response.status == 404 {
            let resource = v2Path(of: operation).split(separator: "/").last ?? ""
            return .refused(BridgeWords("it has no \(resource)", raw: envelope.errors.words))
        }
        let hard = envelope.errors.filter { !$0.isAdvisory || !response.isAccepted }
        if !hard.isEmpty { return .refused(BridgeWords(hard.words)) }
        guard response.isAccepted else { return .refused("HTTP \(response.status)") }
        return envelope.errors.isEmpty ? .done : .doubted(BridgeWords(envelope.errors.words))
    }

    static func v2Reading(_ response: HTTPResponse) -> Reading {
        if let reading = reading(ofStatus: response) { return reading }
        guard let envelope = response.decoded(as: Envelope<Resource>.self) else {
            return .unreadable("its answer cannot be read")
        }
        return .resources(envelope.data, unreadable: envelope.unreadable)
    }
}

extension [HueError] {
    fileprivate var words: String { map(\.description).joined(separator: "; ") }
}
