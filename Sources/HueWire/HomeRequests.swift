/// A room or zone to create, or what is to change about one: only what is named is sent.
public struct GroupUpdate: Hashable, Codable, Sendable {
    public var type: ResourceType?
    public var metadata: Metadata?
    /// All that it is to have: devices of a room, lights of a zone.
    public var children: [ResourceReference]?

    /// A new room or zone. Bridges require an archetype; this one says nothing.
    public init(_ type: ResourceType, name: String, children: [ResourceReference]) {
        self.type = type
        metadata = Metadata(name: name, archetype: "other")
        self.children = children
    }

    public init(children: [ResourceReference]) { self.children = children }
}

/// A scene to create, or new states for one: only what is named is sent.
public struct SceneUpdate: Hashable, Encodable, Sendable {
    public var type: ResourceType?
    public var metadata: Metadata?
    /// The room or zone it belongs to; it cannot be changed later.
    public var group: ResourceReference?
    public var actions: [SceneResource.Action]

    public init(name: String, group: ResourceReference, actions: [SceneResource.Action]) {
        type = .scene
        metadata = Metadata(name: name)
        self.group = group
        self.actions = actions
    }

    public init(actions: [SceneResource.Action]) { self.actions = actions }
}

/// `{"identify":{"action":"identify"}}`: a device makes itself known, a lamp by blinking.
public struct IdentifyRequest: Hashable, Codable, Sendable {
    public var identify = Identify()

    public struct Identify: Hashable, Codable, Sendable {
        public var action = "identify"
    }

    public init() {}
}

/// `{"signaling":{"signal":"on_off_color","duration":5000,"colors":[{"xy":{…}}]}}`: a light or a group blinks. The key of
/// the colours is `colors` for clients of real bridges (aiohue, Q42.HueApi); OpenHue's schema has `color`.
public struct SignalRequest: Hashable, Encodable, Sendable {
    private let signaling: Signaling

    private struct Signaling: Hashable, Encodable {
        var signal: String
        var duration: Int?
        var colors: [Point]?
    }

    private struct Point: Hashable, Encodable { var xy: XY }

    /// - Parameters:
    ///   - colors: none, one, or two that are shown in turns.
    ///   - milliseconds: bridges count whole seconds, so a part of one is a whole one, up to 65,534; 0 ends a signal.
    public init(_ colors: [XY], milliseconds: Int) {
        guard milliseconds > 0 else {
            signaling = Signaling(signal: "no_signal")
            return
        }
        signaling = Signaling(
            signal: colors.isEmpty ? "on_off" : colors.count == 1 ? "on_off_color" : "alternating",
            duration: (min(milliseconds, 65_534_000) + 999) / 1000 * 1000,
            colors: colors.isEmpty ? nil : colors.map { Point(xy: $0) })
    }

    private init(_ signaling: Signaling) { self.signaling = signaling }

    /// The same for a lamp that has no colours.
    public var plain: Self {
        Self(signaling.colors == nil ? signaling : Signaling(signal: "on_off", duration: signaling.duration))
    }
}

/// `{"enabled":false}`: an area, or a part of a sensor, reports nothing.
public struct EnabledUpdate: Hashable, Codable, Sendable {
    public var enabled: Bool

    public init(_ isEnabled: Bool) { enabled = isEnabled }
}

/// A new name for a device, room, zone or scene.
public struct NameUpdate: Hashable, Codable, Sendable {
    public var metadata: Metadata

    public init(_ name: String) { metadata = Metadata(name: name) }
}

/// `{"recall":{"action":"active"}}`, or `{"recall":{"action":"dynamic_palette"},"speed":0.6}`: the scene keeps the speed.
/// The older form with `status` answers 500 on newer firmware
/// (Foddy/node-red-contrib-huemagic#316).
public struct SceneRecall: Hashable, Codable, Sendable {
    public var recall: Recall
    /// 0…1; `nil` leaves it to the scene.
    public var speed: Double?

    public struct Recall: Hashable, Codable, Sendable {
        public var action: Action
        /// Milliseconds, 0…6,000,000.
        public var duration: Int?
    }

    public enum Action: String, Codable, Sendable {
        /// Dynamic if the scene's `auto_dynamic` says so, else static.
        case active
        case `static`
        case dynamicPalette = "dynamic_palette"
    }

    public init(_ action: Action = .active, milliseconds: Int? = nil, speed: Double? = nil) {
        recall = Recall(action: action, duration: milliseconds)
        self.speed = speed
    }
}
