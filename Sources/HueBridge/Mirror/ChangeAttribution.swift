import HueWire
import Lighting

/// Who it was that changed a lamp without us, as far as the bridge's other events tell: what was pressed, which scene was recalled,
/// which lamp has just got its power back. A value without a clock.
struct ChangeAttribution: Sendable {
    /// A lamp follows what was pressed within about a second, and is told in the next frame.
    static let reaction = Duration.seconds(2)
    /// A lamp that is back tells its state bit by bit.
    static let awakening = Duration.seconds(10)

    private var pressed: (name: String, at: Duration)?
    private var recalled: [ResourceID: (scene: Cause.Kind, at: Duration)] = [:]
    private var returned: [ResourceID: Duration] = [:]

    /// Looks at all that was told at once, before any of it is taken in: the order in a frame means nothing.
    mutating func see(_ event: EventContainer, in map: HomeMirror, at now: Duration) {
        guard event.kind == .update else { return }
        for resource in event.data {
            switch resource {
            case let .accessory(accessory):
                pressed = (accessory.owner.flatMap { map.deviceName($0.rid) } ?? "a switch", now)
            case let .scene(scene) where scene.status?.isActive == true:
                recall(scene.id, .scene(Scene.ID(map.bridge, scene.id), by: nil), in: map, at: now)
            case let .connectivity(connectivity) where connectivity.isReachable == true:
                // The state that it comes back with may be told before the return itself.
                let dark = map.lights.values.filter { !$0.isReachable && $0.device == connectivity.owner?.rid }
                for light in dark { returned(light.id, at: now) }
            default: break
            }
        }
    }

    /// A scene is recalled: what its lights do next is its doing.
    mutating func recall(_ scene: ResourceID, _ kind: Cause.Kind, in map: HomeMirror, at now: Duration) {
        for light in map.lights(ofScene: scene) {
            // What we recall ourselves is ours also when the bridge tells of it.
            if let known = recalled[light], now - known.at <= Self.reaction, kind.isOfNobody { continue }
            recalled[light] = (kind, now)
        }
    }

    mutating func returned(_ light: ResourceID, at now: Duration) { returned[light] = now }

    /// Whose doing a change of this lamp is.
    mutating func source(of light: ResourceID, at now: Duration) -> Cause.Kind {
        recalled = recalled.filter { now - $0.value.at <= Self.reaction }
        returned = returned.filter { now - $0.value <= Self.awakening }
        if let scene = recalled[light] { return scene.scene }
        if returned[light] != nil { return .power }
        if let pressed, now - pressed.at <= Self.reaction { return .wall(pressed.name) }
        return .elsewhere
    }
}

extension Cause.Kind {
    fileprivate var isOfNobody: Bool { if case .scene(_, by: nil) = self { true } else { false } }
}
