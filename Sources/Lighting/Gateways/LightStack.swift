/// Answers once, from any thread.
public typealias Reply<Answer> = @Sendable (Answer) -> Void

/// The way to the lamps: what the domain needs of bridges to know and drive lights. Kinds: `hue` (HueBridge), in memory
/// (LightingTestKit).
///
/// Functions return at once; the work is done elsewhere and answered through the reply, exactly once. What bridges tell,
/// including the echo of our own commands, comes as ``Tidings`` through `listen`.
public struct LightStack: Sendable {
    /// Asks every connected bridge afresh. What it says comes as tidings before the reply.
    public var load: @Sendable (Loadable, @escaping Reply<Outcome>) -> Void
    /// Switches a light, or a whole room or home by one group command per bridge.
    public var turn: @Sendable (Turn, Target, Transition, @escaping Reply<Outcome>) -> Void
    /// Sets values. Several orders of one call belong together (the lamps of one room): they are answered together.
    public var set: @Sendable ([LightOrder], Transition, @escaping Reply<Outcome>) -> Void
    public var rename: @Sendable (Target, String, @escaping Reply<Outcome>) -> Void
    public var recall: @Sendable (Scene.ID, Transition, @escaping Reply<Outcome>) -> Void
    /// Names the one who hears what bridges tell. Called once, before anything else.
    public var listen: @Sendable (@escaping @Sendable (Tidings) -> Void) -> Void

    public init(
        load: @escaping @Sendable (Loadable, @escaping Reply<Outcome>) -> Void,
        turn: @escaping @Sendable (Turn, Target, Transition, @escaping Reply<Outcome>) -> Void,
        set: @escaping @Sendable ([LightOrder], Transition, @escaping Reply<Outcome>) -> Void,
        rename: @escaping @Sendable (Target, String, @escaping Reply<Outcome>) -> Void,
        recall: @escaping @Sendable (Scene.ID, Transition, @escaping Reply<Outcome>) -> Void,
        listen: @escaping @Sendable (@escaping @Sendable (Tidings) -> Void) -> Void
    ) {
        self.load = load
        self.turn = turn
        self.set = set
        self.rename = rename
        self.recall = recall
        self.listen = listen
    }
}

public enum Loadable: String, Codable, Sendable, CaseIterable {
    case lights, rooms, scenes
}

/// Values for one target: a light, or a room or home whose lights all get the same.
public struct LightOrder: Equatable, Sendable {
    public let target: Target
    /// Whether to switch on in the same breath. Bridges ignore values sent to a lamp that is off.
    public let power: Turn?
    public let setting: Light.Setting

    public init(_ target: Target, power: Turn? = nil, setting: Light.Setting) {
        self.target = target
        self.power = power
        self.setting = setting
    }
}

/// What a bridge told, whether we asked for it or not.
public enum Tidings: Equatable, Codable, Sendable {
    /// Everything a bridge has, after a connect or a load: what it does not name is gone.
    case home(Bridge.ID, lights: [Light], rooms: [Room], scenes: [Scene])
    /// A light said something new.
    case light(Light.ID, Light.Report)
    case renamed(Target, to: String)
    case added(Thing)
    case removed(Gone)

    public enum Thing: Equatable, Codable, Sendable { case light(Light), room(Room), scene(Scene) }
    public enum Gone: Equatable, Codable, Sendable { case light(Light.ID), room(Room.ID), scene(Scene.ID) }
}
