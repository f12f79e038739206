import HueWire
import Lighting

/// What changed a light when it was not one of our commands, as far as the bridge's other events show: a switch that
/// was pressed, a scene that was recalled, mains power that came back. A value without a clock.
struct ChangeAttribution: Sendable {
    /// A light follows a switch within about a second, and its event comes in the next frame.
    static let reaction = Duration.seconds(2)
    /// A light that has returned reports its state in several events.
    static let awakening = Duration.seconds(10)

    private var pressed: (name: String, at: Duration)?
    private var recalled: [ResourceID: (scene: Cause.Kind, at: Duration)] = [:]
    private var returned: [ResourceID: Duration] = [:]

    /// How many lights something is remembered for.
    var count: Int { Set(recalled.keys).union(returned.keys).count }

    /// To be called with all events of a frame before any of them is applied: their order in a frame means nothing.
    mutating func see(_ event: EventContainer, in home: HomeResources, at now: Duration) {
        guard event.kind == .update else { return }
        see(event.data, .event(created: event.created), in: home, at: now)
    }

    mutating func see(
        _ resources: [Resource], _ occasion: SensorMirror.Occasion, in home: HomeResources, at now: Duration
    ) {
        for resource in resources {
            switch resource {
            // What only measures moves no lights, and what is repeated has moved them before.
            case let .sensor(part) where part.isOfPerson && home.isNews(part, occasion):
                pressed = (home.device(of: part).flatMap { home.deviceName($0) } ?? "a switch", now)
            case let .scene(scene) where scene.status?.isActive == true:
                recall(scene.id, .scene(Scene.ID(home.bridge, scene.id), by: nil), in: home, at: now)
            case let .smartScene(scene) where home.begins(scene):
                // It explains its lights better than the scene that it recalls, also if that was named before.
                for light in home.lights(ofScene: scene.id) where recalled[light]?.scene.isOfNobody == true {
                    recalled[light] = nil
                }
                recall(scene.id, .scene(Scene.ID(home.bridge, scene.id), by: nil), in: home, at: now)
            case let .connectivity(connectivity) where connectivity.isReachable == true:
                // The state that a light returns with may be reported before the return itself.
                for light in home.unreachableLights(of: connectivity) { returned(light, at: now) }
            default: break
            }
        }
    }

    /// A scene is recalled: it causes what its lights do next.
    mutating func recall(_ scene: ResourceID, _ kind: Cause.Kind, in home: HomeResources, at now: Duration) {
        for light in home.lights(ofScene: scene) {
            // A scene that a command of ours recalled stays ours when the bridge reports it too.
            if let known = recalled[light], now - known.at <= Self.reaction, kind.isOfNobody { continue }
            recalled[light] = (kind, now)
        }
    }

    mutating func returned(_ light: ResourceID, at now: Duration) { returned[light] = now }

    /// What caused a change of this light.
    mutating func source(of light: ResourceID, at now: Duration) -> Cause.Kind {
        recalled = recalled.filter { now - $0.value.at <= Self.reaction }
        returned = returned.filter { now - $0.value <= Self.awakening }
        if let scene = recalled[light] { return scene.scene }
        if returned[light] != nil { return .power }
        if let pressed, now - pressed.at <= Self.reaction { return .accessory(pressed.name) }
        return .otherApp
    }
}

extension SensorResource {
    /// Whether it tells what a person does.
    fileprivate var isOfPerson: Bool {
        switch type {
        case .button, .rotary, .motion, .cameraMotion, .convenienceMotion, .securityMotion, .contact: true
        default: false
        }
    }
}

extension Cause.Kind {
    fileprivate var isOfNobody: Bool { if case .scene(_, by: nil) = self { true } else { false } }
}
