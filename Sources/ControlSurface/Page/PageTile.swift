public import ControlProtocol

/// A light, a room, a zone or the whole home.
public struct PageTile: Encodable, Equatable, Sendable {
    public enum Kind: String, Encodable, Sendable, CaseIterable { case light, room, zone, all }
    /// `unknown` if its bridge is lost or the lamp does not answer.
    public enum State: String, Encodable, Sendable, CaseIterable { case on, off, unknown }
    /// What a light shows one of: a white tone, a colour, or several colours along a strip.
    public enum Mode: String, Encodable, Sendable, CaseIterable { case white, color, gradient }
    public enum Ability: String, Encodable, Sendable, CaseIterable {
        case `switch`, dim, white, color, gradient, effect, follow, rename, identify, pin

        /// What a page must be allowed for it.
        var role: TokenAccess {
            switch self {
            case .switch, .dim, .white, .color, .gradient, .effect, .follow, .identify: .control
            case .rename, .pin: .full
            }
        }
    }

    /// "light/BRIDGE/RESOURCE", "room/BRIDGE/RESOURCE" (a zone too) or "all".
    public var key: String
    /// What commands take.
    public var target: String
    public var kind: Kind
    public var title: String
    /// The room that a light is in.
    @OrNull public var place: String?
    public var state: State
    /// 0…1; the mean of a room's lights that are on. Null if nothing of it can be dimmed.
    @OrNull public var level: Double?
    /// "72%", "On", "Off", "No answer"
    public var levelText: String
    /// "orange", "2250 K", "2 lights", "1 of 2 on"; may be empty.
    public var detail: String
    /// The value for a screen reader, never empty: "72 percent, orange".
    public var valueText: String
    @OrNull public var reason: Reason?
    /// The whole sentence; empty for a room whose lights have different causes. Its time is the reason's.
    public var why: String
    /// The colour that it shows, or will when it is on; of a room, that of its first light. Null for a plug.
    @OrNull public var glow: String?
    /// The colours, "#rrggbb", of a room's lights that are on, or of all if none is: each once, at most four. They are
    /// not mixed, because no lamp has the colour that comes of it. Of a strip, its own, from end to end; else empty for a
    /// light.
    public var look: [String]
    /// Whether some of a room's lights are on and some are off.
    public var partly: Bool
    /// The names of a zone's lights, which stand elsewhere on the page: "Desk, Sofa and Fan". Else empty.
    public var members: String
    public var freshness: LightBody.Freshness
    /// Empty for readers.
    public var can: [Ability]
    public var display: LevelControl
    /// Null if it has no adjustable whites.
    @OrNull public var white: White?
    /// Null if it has no colours.
    @OrNull public var color: Color?
    /// Null if it shows one colour; of a room always.
    @OrNull public var gradient: Gradient?
    /// Null if it can run none; of a room always.
    @OrNull public var effects: Effects?
    /// Whether an effect or a dynamic scene changes what it shows, while it is on. Of a room false.
    public var moves: Bool
    /// Null if nothing of it follows the day, or something else.
    @OrNull public var follows: Follows?
    /// Null if it is unknown, or differs among a room's lights.
    @OrNull public var mode: Mode?
    /// Its place on the dashboard, counted from 1.
    @OrNull public var pin: Int?
    /// The least milliseconds between two commands of a drag that the bridge can use.
    public var pace: Int

    public struct Follows: Encodable, Equatable, Sendable {
        /// "Follows the day", "Its brightness is yours"
        public var text: String
        /// Whether somebody has taken something of it over, until it is to follow again.
        public var paused: Bool
    }

    public struct Reason: Encodable, Equatable, Sendable {
        public var text: String
        public var at: String
    }

    /// In mirek.
    public struct White: Encodable, Equatable, Sendable {
        public var mirek: Int
        public var coolest: Int
        public var warmest: Int
        /// Colours from coolest to warmest, "#rrggbb", equally spaced in mirek.
        public var ramp: [String]
    }

    /// Degrees and per cent.
    public struct Color: Encodable, Equatable, Sendable {
        public var hue: Double
        public var saturation: Double
    }

    /// The colours of a strip. While it shows something else, those with which a gradient would begin.
    public struct Gradient: Encodable, Equatable, Sendable {
        /// From end to end, two or more.
        public var points: [Point]
        /// How many the strip takes.
        public var most: Int
        /// How it can arrange them; empty if it does not say.
        public var modes: [LightValuesBody.GradientMode]
        /// Null if it is unknown.
        @OrNull public var mode: LightValuesBody.GradientMode?

        /// Degrees and per cent, and what people call it: "orange".
        public struct Point: Encodable, Equatable, Sendable {
            public var hue: Double
            public var saturation: Double
            public var name: String
        }
    }

    /// What a lamp can run besides showing a colour, as commands name it.
    public struct Effects: Encodable, Equatable, Sendable {
        /// "none", which ends what runs, then what the lamp lists, in its order. Without those that come to an end.
        public var names: [String]
        /// Those that come to an end: they are begun with a time.
        public var timed: [String]
        /// One of the names; another for a dynamic scene.
        public var running: String
        /// When that comes to an end; null if it does not, or if no command of ours is known to have begun it.
        @OrNull public var until: String?
        /// Whether it can be told how fast.
        public var adjusts: Bool
        /// Per cent; null if nothing runs or the lamp does not say.
        @OrNull public var speed: Double?
    }
}
