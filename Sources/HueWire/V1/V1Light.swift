/// A light in API v1. Nearly everything may be missing: emulators and third-party lamps leave out what they like.
public struct V1Light: Hashable, Decodable, Sendable {
    public let name: String?
    /// "Extended color light", "Dimmable light", "On/Off plug-in unit"…
    public let type: String?
    public let model: String?
    public let product: String?
    public let softwareVersion: String?
    public let state: State
    public let gamut: Gamut?
    /// "A", "B", "C", "other".
    public let gamutType: String?
    public let whites: MirekSchema?
    /// The light output at the lowest level, in per cent of full.
    public let minDimLevel: Double?
    /// What it does when its mains come back; absent from devices before 2018 and from most emulators.
    public let startup: V1Startup?

    /// What it shows, or last showed before it went out of reach: the fields that its kind has.
    public struct State: Hashable, Decodable, Sendable {
        public let on: Bool?
        /// 1…254; some bridges report 0 or 255 (openhab/openhab-addons#21742, lwsrbrts/PoSHue#12).
        public let bri: Int?
        /// 0…65535, around the colour circle.
        public let hue: Int?
        /// 0…254.
        public let sat: Int?
        public let xy: XY?
        /// Mirek.
        public let ct: Int?
        /// "ct", "xy" or "hs": which of the three was set; the bridge calculates the others.
        public let colormode: String?
        /// "none" or "colorloop".
        public let effect: String?
        public let reachable: Bool?
        /// "homeautomation", or "streaming" during an entertainment session.
        public let mode: String?

        enum CodingKeys: String, CodingKey { case on, bri, hue, sat, xy, ct, colormode, effect, reachable, mode, x, y }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            on = container.feature(.on)
            bri = container.whole(.bri)
            hue = container.whole(.hue)
            sat = container.whole(.sat)
            // In a scene of deCONZ: two numbers of 16 bits.
            let pair = container.whole(.x).flatMap { x in container.whole(.y).map { y in (x, y) } }
            xy = container.point(.xy) ?? pair.map { XY(x: Double($0) / 65535, y: Double($1) / 65535) }
            ct = container.whole(.ct)
            colormode = container.feature(.colormode)
            effect = container.feature(.effect)
            reachable = container.feature(.reachable)
            mode = container.feature(.mode)
        }
    }

    private enum CodingKeys: String, CodingKey {
        case name, type, modelid, productname, swversion, state, capabilities, config, ctmin, ctmax
    }

    private struct Capabilities: Decodable {
        let control: Control?
    }

    private struct Control: Decodable {
        let mindimlevel: Int?
        let gamutType: String?
        let corners: [[Double]]?
        let whites: Whites?

        enum CodingKeys: String, CodingKey {
            case mindimlevel
            case gamutType = "colorgamuttype"
            case corners = "colorgamut"
            case whites = "ct"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            mindimlevel = container.whole(.mindimlevel)
            gamutType = container.feature(.gamutType)
            corners = container.feature(.corners)
            whites = container.feature(.whites)
        }
    }

    private struct Whites: Decodable {
        let min: Int
        let max: Int
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        state = try container.decode(State.self, forKey: .state)
        name = container.feature(.name)
        type = container.feature(.type)
        model = container.feature(.modelid)
        product = container.feature(.productname)
        softwareVersion = container.feature(.swversion)
        let control = container.feature(.capabilities, as: Capabilities.self)?.control
        gamut = control?.corners.flatMap { Gamut(corners: $0) }
        gamutType = control?.gamutType
        if let told = control?.whites {
            whites = MirekSchema(told.min, told.max)
        } else if let warmest = container.whole(.ctmax), let coldest = container.whole(.ctmin) {
            // deCONZ puts it beside the state.
            whites = MirekSchema(coldest, warmest)
        } else {
            whites = nil
        }
        startup = container.feature(.config)
        minDimLevel = control?.mindimlevel.map { Double($0) / 1000 }
    }
}

extension V1Light {
    /// Whether it can be switched. deCONZ lists its own radio stick, sirens and blinds among the lights; those have no
    /// `on`.
    public var isSwitchable: Bool { state.on != nil }

    /// Whether it can be dimmed: emulators report a `bri` for plugs too.
    public var dims: Bool { state.bri != nil && !(type ?? "").lowercased().hasPrefix("on/off") }

    /// The point of its colour; `nil` if it has none. Some emulators report hue and saturation only.
    public var point: XY? { state.point }

    /// Whether it shows a white, set by its temperature.
    public var isWhite: Bool { state.ct != nil && (state.colormode == "ct" || point == nil) }
}

extension V1Light.State {
    /// As API v2 would name it. All that such a lamp can run is a loop through the colours.
    public var effects: EffectsFeature? {
        effect.map {
            EffectsFeature(
                effect: $0 == V1Update.noEffect ? LightUpdate.Effect.none : $0,
                values: [LightUpdate.Effect.none, "colorloop"])
        }
    }

    /// The point of its colour; `nil` if it has none.
    public var point: XY? {
        if let xy { return xy }
        guard let hue, let sat else { return nil }
        return HueSaturation(hue: Double(hue) / 65535, saturation: Double(min(max(sat, 0), 254)) / 254).xy
    }
}

extension Gamut {
    /// Red, green and blue, each a pair.
    fileprivate init?(corners: [[Double]]) {
        let points = corners.compactMap { $0.count == 2 ? XY(x: $0[0], y: $0[1]) : nil }
        guard points.count == 3 else { return nil }
        self.init(red: points[0], green: points[1], blue: points[2])
    }
}

extension KeyedDecodingContainer {
    /// A whole number, even if an emulator writes it with a fraction.
    func whole(_ key: Key) -> Int? {
        feature(key, as: Double.self).flatMap { Int(exactly: $0.rounded()) }
    }

    /// A point, written as a pair.
    func point(_ key: Key) -> XY? {
        guard let pair = feature(key, as: [Double].self), pair.count == 2 else { return nil }
        return XY(x: pair[0], y: pair[1])
    }
}

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
    /// "none" or "colorloop".
    public var effect: String?

    public init(
        on: Bool? = nil, bri: Int? = nil, ct: Int? = nil, xy: XY? = nil, transitiontime: Int? = nil,
        scene: String? = nil, alert: String? = nil, effect: String? = nil
    ) {
        self.on = on
        self.bri = bri
        self.ct = ct
        self.xy = xy.map { [$0.x, $0.y] }
        self.transitiontime = transitiontime
        self.scene = scene
        self.alert = alert
        self.effect = effect
    }
}

extension V1Update {
    /// What API v1 calls an effect that is none.
    public static let noEffect = "none"
}

/// A new name for a light or group: 1 to 32 characters.
public struct V1Name: Hashable, Codable, Sendable {
    public var name: String

    public init(_ name: String) { self.name = name }
}

/// `{"startup":{"mode":"safety"}}`, in `config` of a light: what it does when its mains come back.
public struct V1Startup: Hashable, Codable, Sendable {
    public var startup: Mode?

    public struct Mode: Hashable, Codable, Sendable {
        /// "safety", "powerfail", "lastonstate", "custom".
        public var mode: String
    }

    /// What API v2 calls `powerup`.
    public init(_ update: LightUpdate) {
        startup = update.powerup.map { Mode(mode: $0.preset == Self.last.v2 ? Self.last.v1 : $0.preset) }
    }

    /// The same in API v2.
    public var powerup: PowerupFeature? {
        startup.map { PowerupFeature(preset: $0.mode == Self.last.v1 ? Self.last.v2 : $0.mode) }
    }

    /// The only preset whose name differs.
    private static let last = (v1: "lastonstate", v2: "last_on_state")
}
