/// What `POST /v1/messages` takes: one command, flat JSON with the verb under `command`.
///
///     {"command":"turn","to":"on","target":"@kitchen","over":2000}
///     {"command":"set","target":"desk","brightness":40,"color":"#ff8800"}
///     {"command":"increase","value":"brightness","by":10,"target":"all"}
///
/// Units, the same ones in which lights are listed: brightness and saturation in per cent (0…100), hue in degrees (0…360),
/// temperature in mirek, `over` in milliseconds, `by` in points (per cent of the range), waiting times in seconds.
/// A `target` is a light's name, `@room`, `all`, or an id; a room's name alone is taken where no light has it. Where several share a
/// name, "ROOM/LIGHT", "BRIDGE/LIGHT", "BRIDGE/ROOM/LIGHT" and "@BRIDGE/ROOM" name one, the bridge by its name or id. Case is ignored.
/// A field that the verb does not know is refused: a misspelt wish is not silently dropped. Whoever wants the answer only when the
/// bridge has confirmed what was asked sends an ``CommandRequest``.
public enum Command: Equatable, Sendable {
    case turn(to: Power, target: String, over: Int? = nil)
    case toggle(target: String, over: Int? = nil)
    case set(Values, target: String, over: Int? = nil)
    case increase(Value, by: Double, target: String, over: Int? = nil)
    case decrease(Value, by: Double, target: String, over: Int? = nil)
    case rename(target: String, name: String)
    /// A scene's name, "ROOM/SCENE" or "BRIDGE/ROOM/SCENE" where there are several of that name, or its id.
    case recall(scene: String, over: Int? = nil)
    /// The newest so many commands that changed lights are taken back, at least one.
    case undo(steps: Int = 1, over: Int? = nil)
    /// So many that were undone are done again.
    case redo(steps: Int = 1, over: Int? = nil)
    /// What lights do when their mains come back.
    case powerup(target: String, preset: Powerup)
    case load
    case discover(seconds: Double = 3)
    case pair(bridge: String? = nil, seconds: Double = 30)
    case forget(bridge: String)
    case pin(target: String)
    case unpin(target: String)
    /// To a place counted from 1, as people count.
    case move(target: String, place: Int)
    case display(target: String, as: Display)
    case prune(days: Double)

    public enum Power: String, Codable, Sendable { case on, off }
    public enum Value: String, Codable, Sendable, CaseIterable { case brightness, saturation, hue, temperature }
    public enum Display: String, Codable, Sendable, CaseIterable { case slider, scrubbing }

    public enum Powerup: String, Codable, Sendable, CaseIterable {
        /// On, bright and warm.
        case safety
        /// As it was, where the power failed and nobody switched it off at the wall.
        case powerfail
        /// As it was.
        case lastOnState = "last_on_state"
        /// Values of its own, made in another app: can be read and not set.
        case custom
    }

    /// At least one of them; colour and temperature exclude each other.
    public struct Values: Equatable, Sendable {
        /// Per cent, 0…100; 0 is the lowest level, not off.
        public var brightness: Double?
        /// "#rrggbb", "#rgb", or a name of ``ColorName``. Gives hue and saturation.
        public var color: String?
        /// Degrees.
        public var hue: Double?
        /// Per cent.
        public var saturation: Double?
        /// Mirek.
        public var temperature: Int?

        public init(
            brightness: Double? = nil,
            color: String? = nil,
            hue: Double? = nil,
            saturation: Double? = nil,
            temperature: Int? = nil
        ) {
            self.brightness = brightness
            self.color = color
            self.hue = hue
            self.saturation = saturation
            self.temperature = temperature
        }
    }
}
