import HueWire
import Lighting

/// A change asked of a bridge, in API v2's words, whichever API the bridge speaks.
enum Operation: Equatable, Sendable {
    /// - Parameter whites: the light's range in mirek, if known.
    case light(ResourceID, LightUpdate, whites: ClosedRange<Int>? = nil)
    /// All lights of a room, zone or home at once.
    case group(ResourceID, LightUpdate)
    /// - Parameter milliseconds: `nil` leaves it to the scene.
    case recall(ResourceID, milliseconds: Int?, motion: SceneMotion? = nil)
    /// Lets a smart scene recall others at their times, or no longer. API v1 has none.
    case activate(ResourceID, Bool)
    /// Lets an area, or a part of a sensor, report again, or no longer.
    case enable(ResourceType, ResourceID, Bool)
    /// A device, room, zone or scene.
    case rename(ResourceType, ResourceID, to: String)
    /// What a light keeps, which API v1 has apart from what it shows.
    case configure(ResourceID, LightUpdate)
    /// A lamp blinks.
    case identify(light: ResourceID, device: ResourceID)
    /// A lamp or a group blinks for a while. API v1 has no such command.
    case signal(ResourceType, ResourceID, SignalRequest)
    /// Creates a room of devices, or a zone of lights.
    case createGroup(ResourceType, name: String, members: [ResourceReference])
    /// Gives a room or zone exactly these members.
    case arrange(ResourceType, ResourceID, members: [ResourceReference])
    /// Creates a scene of a room or zone. In API v1 the bridge itself stores what its lights show.
    ///
    /// - Parameter inGroup: whether the bridge keeps scenes in their groups, as deCONZ does.
    case createScene(name: String, group: ResourceReference, actions: [SceneResource.Action], inGroup: Bool = false)
    /// Stores other states in a scene; in API v1, what its lights show.
    case store(scene: ResourceID, actions: [SceneResource.Action])
    /// Stores another state of one light in a scene. Only in API v1: in API v2 a scene is stored as a whole.
    case storeLight(scene: ResourceID, light: ResourceID, LightUpdate, whites: ClosedRange<Int>? = nil)
    /// A room, zone, scene or smart scene.
    case delete(ResourceType, ResourceID)
}

extension Operation {
    /// Why it must not be sent.
    var objection: BridgeWords? {
        guard case let .store(_, actions) = self else { return nil }
        if actions.isEmpty { return "no light would be left in the scene" }
        return actions.contains { $0.action == nil }
            ? "it stores something in the scene that lightd cannot read, and would lose" : nil
    }
}

/// What can be read from a bridge.
enum Query: Equatable, Sendable {
    case everything
    /// Every light, and whether it is in reach.
    case lights
    /// What API v2 keeps apart from the lights: whether they are in reach.
    case connectivity
    case light(ResourceID)
    /// The sensors of a type; in API v1, which has one list of them, all.
    case sensors(ResourceType)
    /// A room or zone, with its members. Only in API v2.
    case group(ResourceType, ResourceID)
    /// A scene, with what it sets on each light.
    case scene(ResourceID)
}
