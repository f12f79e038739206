/// Changes to a light (`PUT …/lights/N/state`) or a group (`PUT …/groups/N/action`): only what is named is sent.
public struct V1Update: Hashable, Codable, Sendable {
    public var on: Bool?
    /// 1…254.
    public var bri: Int?
    /// Mirek.
    public var ct: Int?
    /// A pair.
    public var xy: [Double]?
    /// In tenths of a second, 0…65535; the bridge takes 4 if it is absent.
    public var transitiontime: Int?
    /// The id of a scene that a group is to show.
    public var scene: String?
    /// "select" makes a lamp blink once.
    public var alert: String?

    public init(
        on: Bool? = nil, bri: Int? = nil, ct: Int? = nil, xy: XY? = nil, transitiontime: Int? = nil,
        scene: String? = nil, alert: String? = nil
    ) {
        self.on = on
        self.bri = bri
        self.ct = ct
        self.xy = xy.map { [$0.x, $0.y] }
        self.transitiontime = transitiontime
        self.scene = scene
        self.alert = alert
    }
}

/// A new name for a light or group: 1 to 32 characters.
public struct V1Name: Hashable, Codable, Sendable {
    public var name: String

    public init(_ name: String) { self.name = name }
}

/// `{"startup":{"mode":"safety"}}`, in `config` of a light: what it does when its mains come back.
public struct V1Startup: Hashable, Codable, Sendable {
    public var startup: Mode

    public struct Mode: Hashable, Codable, Sendable {
        /// "safety", "powerfail", "lastonstate", "custom".
        public var mode: String
    }

    /// - Parameter preset: API v2's name, such as "last_on_state".
    public init(preset: String) { startup = Mode(mode: preset == Self.last.v2 ? Self.last.v1 : preset) }

    /// API v2's name.
    public var preset: String { startup.mode == Self.last.v1 ? Self.last.v2 : startup.mode }

    /// The only preset whose name differs.
    private static let last = (v1: "lastonstate", v2: "last_on_state")
}
