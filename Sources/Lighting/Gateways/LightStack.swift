public import Khipu

/// Answers once, from any thread.
public typealias Reply<Answer> = @Sendable (Answer) -> Void

/// The way to the lamps: what the domain needs of bridges to know and drive lights. Kinds: `hue` (HueBridge), in memory
/// (LightingTestKit).
///
/// Functions return at once; the work is done elsewhere and answered through the reply, exactly once. What bridges tell,
/// including the echo of our own commands, comes as ``BridgeUpdate`` through `listen`.
public struct LightStack: Sendable {
    /// Asks every connected bridge afresh. What it says comes as tidings before the reply.
    public var load: @Sendable (Loadable, @escaping Reply<Outcome>) -> Void
    /// Switches lights and sets their values. The orders of one call belong together and are answered together, when all were
    /// taken or refused; equal orders to a whole room, zone or home go out as one group command. The ticket names the command
    /// whose wishes they are.
    public var set: @Sendable ([DesiredState], Transition, Ticket, @escaping Reply<Outcome>) -> Void
    public var rename: @Sendable (Target, String, @escaping Reply<Outcome>) -> Void
    public var recall: @Sendable (Scene.ID, Transition, Ticket, @escaping Reply<Outcome>) -> Void
    /// Sets what lights do when their mains come back.
    public var powerup: @Sendable ([Light.ID], Light.Powerup, @escaping Reply<Outcome>) -> Void
    /// Names the one who hears what bridges tell. Called once, before anything else.
    public var listen: @Sendable (@escaping @Sendable (BridgeUpdate) -> Void) -> Void

    public init(
        load: @escaping @Sendable (Loadable, @escaping Reply<Outcome>) -> Void,
        set: @escaping @Sendable ([DesiredState], Transition, Ticket, @escaping Reply<Outcome>) -> Void,
        rename: @escaping @Sendable (Target, String, @escaping Reply<Outcome>) -> Void,
        recall: @escaping @Sendable (Scene.ID, Transition, Ticket, @escaping Reply<Outcome>) -> Void,
        powerup: @escaping @Sendable ([Light.ID], Light.Powerup, @escaping Reply<Outcome>) -> Void,
        listen: @escaping @Sendable (@escaping @Sendable (BridgeUpdate) -> Void) -> Void
    ) {
        self.load = load
        self.set = set
        self.rename = rename
        self.recall = recall
        self.powerup = powerup
        self.listen = listen
    }
}

public enum Loadable: String, Codable, Sendable, CaseIterable {
    case lights, rooms, scenes
}

/// What one light is to show.
public struct DesiredState: Equatable, Sendable {
    public let light: Light.ID
    /// `nil` leaves it as it is. Bridges ignore values sent to a lamp that is off: on travels with them.
    public let power: Turn?
    /// Values as they are wished, not held to this lamp's gamut and whites: what is wished alike of all lamps of a room stays alike.
    public let setting: Light.Setting?

    public init(_ light: Light.ID, power: Turn? = nil, setting: Light.Setting? = nil) {
        self.light = light
        self.power = power
        self.setting = setting
    }
}

/// What a bridge told, whether we asked for it or not.
public enum BridgeUpdate: Equatable, Codable, Sendable {
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
