public import Khipu

/// Calls back once, from any thread.
public typealias Reply<Answer> = @Sendable (Answer) -> Void

/// The gateway to the lamps. Implemented by HueBridge, and in memory by LightingTestKit.
///
/// Each function returns at once and calls its reply exactly once. What bridges report, including the effect of our own
/// commands, arrives as ``BridgeUpdate`` through `listen`.
public struct LightStack: Sendable {
    /// Reads everything from every connected bridge again. The updates arrive before the reply.
    public var load: @Sendable (@escaping Reply<Outcome>) -> Void
    /// Switches lights and sets their values. The states of one call belong together: the reply comes when the bridges
    /// have accepted or refused all of them, and equal states for a whole room, zone or home are sent as one group
    /// command. The ticket names the command that asked for them.
    public var set: @Sendable ([DesiredState], Transition, Ticket, @escaping Reply<Outcome>) -> Void
    public var rename: @Sendable (Target, String, @escaping Reply<Outcome>) -> Void
    public var recall: @Sendable (RecalledScene, Transition, Ticket, @escaping Reply<Outcome>) -> Void
    /// Changes how lights are set up.
    public var configure: @Sendable ([Light.ID], LightConfiguration.Change, @escaping Reply<Outcome>) -> Void
    /// Makes each lamp blink and leaves it as it was.
    public var identify: @Sendable ([Light.ID], @escaping Reply<Outcome>) -> Void
    /// Lets lamps blink for a while, those of a whole room, zone or home together. They are left as they were.
    public var signal: @Sendable ([Light.ID], Light.Signal, @escaping Reply<Outcome>) -> Void
    /// Sets the listener for what bridges report. Called once, before anything else.
    public var listen: @Sendable (@escaping @Sendable (BridgeUpdate) -> Void) -> Void

    public init(
        load: @escaping @Sendable (@escaping Reply<Outcome>) -> Void,
        set: @escaping @Sendable ([DesiredState], Transition, Ticket, @escaping Reply<Outcome>) -> Void,
        rename: @escaping @Sendable (Target, String, @escaping Reply<Outcome>) -> Void,
        recall: @escaping @Sendable (RecalledScene, Transition, Ticket, @escaping Reply<Outcome>) -> Void,
        configure: @escaping @Sendable ([Light.ID], LightConfiguration.Change, @escaping Reply<Outcome>) -> Void,
        identify: @escaping @Sendable ([Light.ID], @escaping Reply<Outcome>) -> Void,
        signal: @escaping @Sendable ([Light.ID], Light.Signal, @escaping Reply<Outcome>) -> Void,
        listen: @escaping @Sendable (@escaping @Sendable (BridgeUpdate) -> Void) -> Void
    ) {
        self.load = load
        self.set = set
        self.rename = rename
        self.recall = recall
        self.configure = configure
        self.identify = identify
        self.signal = signal
        self.listen = listen
    }
}

/// The state that one light shall show: now, or whenever a scene is recalled.
public struct DesiredState: Equatable, Sendable {
    public let light: Light.ID
    /// As asked for, not limited to this lamp's colours and white tones: equal states of all lamps of a room stay equal.
    /// Bridges ignore values for a lamp that is off, so turning on is sent with them.
    public let values: LightPatch

    public var power: Turn? { values.power }

    public init(_ light: Light.ID, _ values: LightPatch) { (self.light, self.values) = (light, values) }

    public init(_ light: Light.ID, power: Turn?, _ values: LightPatch? = nil) {
        self.init(light, LightPatch(power: power, brightness: values?.brightness, tone: values?.tone))
    }
}

// As databases, backups and journals have it.
extension DesiredState: Codable {
    private enum CodingKeys: String, CodingKey { case light, power, setting }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(Light.ID.self, forKey: .light),
            power: try container.decodeIfPresent(Turn.self, forKey: .power),
            try container.decodeIfPresent(LightPatch.self, forKey: .setting))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(light, forKey: .light)
        try container.encodeIfPresent(power, forKey: .power)
        if values.hasValues { try container.encode(values.with(power: nil), forKey: .setting) }
    }
}
