/// What the home does by itself: when, if, and what. Written by a person in a file, or made by a command such as
/// "in 20m turn off all".
///
/// Lights, rooms, scenes and sensors stand in it under the names that they have today; ``names`` keeps what is meant.
public struct Automation: Identifiable, Equatable, Codable, Sendable, ChangeTable {
    /// Its name, in which case is ignored.
    public struct ID: TextID {
        public let description: String

        public init(_ name: String) { description = name.folded }
    }

    public let name: String
    /// Any of them starts it; none if it is only started by hand.
    public private(set) var triggers: [Trigger]
    /// All must hold when it is triggered.
    public private(set) var conditions: [Condition]
    public private(set) var steps: [Step]
    public let mode: RunMode
    /// What happens if it was due while lightd was not running, or the machine slept; `nil`: caught up if every command
    /// of it may as well come late.
    public let lateness: Lateness?
    public let kind: Kind
    public private(set) var isEnabled: Bool
    /// What the names in it mean; `nil` if that was not looked at yet, as in a file, or in what older versions have kept.
    public private(set) var names: [Name]?

    public var id: ID { ID(name) }
    public var isTimer: Bool { kind != .lasting }

    public enum Kind: Hashable, Codable, Sendable {
        /// Runs whenever it is triggered.
        case lasting
        /// Runs once and is gone: a timer, asked for by this client.
        case once(by: String)
    }

    public enum Lateness: String, Codable, Sendable, CaseIterable {
        /// What is late does not run.
        case skip
        /// What is at most ``Automation/catchUpWithin`` late runs at once.
        case catchUp
    }

    /// How late a missed run is still made up for.
    public static let catchUpWithin = Duration.seconds(600)
    /// What comes within this time is not late.
    static let punctualWithin = Duration.seconds(60)

    // swift-format-ignore
    public enum Change: Equatable, Sendable {
        case enabling(Enabling); public enum Enabling: Equatable, Sendable { case it(Bool) }
    }

    public init(
        name: String, triggers: [Trigger], conditions: [Condition] = [], steps: [Step], mode: RunMode = .single,
        lateness: Lateness? = nil, kind: Kind = .lasting, isEnabled: Bool = true
    ) {
        self.name = name
        self.triggers = triggers
        self.conditions = conditions
        self.steps = steps
        self.mode = mode
        self.lateness = lateness
        self.kind = kind
        self.isEnabled = isEnabled
    }

    public func alter(by changes: Change...) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    private func altered(by change: Change) -> Self {
        switch change {
        case let .enabling(.it(isEnabled)): with { $0.isEnabled = isEnabled }
        }
    }

    func with(triggers: [Trigger], conditions: [Condition], steps: [Step]) -> Self {
        with { ($0.triggers, $0.conditions, $0.steps) = (triggers, conditions, steps) }
    }

    func with(names: [Name]?) -> Self { with { $0.names = names } }

    /// The same under another name.
    func named(_ name: String) -> Self {
        Self(
            name: name, triggers: triggers, conditions: conditions, steps: steps, mode: mode, lateness: lateness,
            kind: kind, isEnabled: isEnabled
        ).with(names: names)
    }

    /// Whether it catches up what it has missed.
    public var catchesUp: Bool {
        (lateness ?? (steps.allSatisfy(\.mayComeLate) ? .catchUp : .skip)) == .catchUp
    }

    /// Who sends its commands, for the journal and for a light's cause.
    public var holder: String {
        switch kind {
        case .lasting: "automation '\(name)'"
        case let .once(by: client): "\(name) of \(client)"
        }
    }
}

extension Automation {
    /// What starts an automation.
    public enum Trigger: Hashable, Codable, Sendable {
        case clock(ClockTrigger)
        /// Something becomes true; with a duration, once it has been true for that long.
        case becomes(Check, for: Duration? = nil)
        /// A button of a switch, counted from 1; any of them if `nil`.
        case press(sensor: String, button: Int?, ButtonPress)
    }

    /// Something that is true or not at any moment.
    public enum Check: Hashable, Codable, Sendable {
        /// A motion sensor, or a room with some: whether any of them sees motion, or none.
        case motion(String, Bool)
        case contact(String, isOpen: Bool)
        /// A light, "@room" or "all". A room is on if one of its lights is, and off if all are.
        case power(String, Turn)
        /// In lux.
        case lightLevel(String, Comparison)
        /// In degrees Celsius.
        case temperature(String, Comparison)
        /// A bridge by its name or id; any of them if `nil`.
        case bridge(String?, isConnected: Bool)
    }

    public enum Comparison: Hashable, Codable, Sendable {
        case below(Double), above(Double)

        public func holds(_ value: Double) -> Bool {
            switch self {
            case let .below(limit): value < limit
            case let .above(limit): value > limit
            }
        }
    }

    public indirect enum Condition: Hashable, Codable, Sendable {
        /// May pass midnight: between 23:00 and 06:00.
        case between(Moment, Moment)
        case days(Weekdays)
        /// Of the sun, in degrees above the horizon.
        case elevation(Comparison)
        case check(Check)
        case not(Condition)
        case any([Condition])
    }

    public enum Step: Hashable, Codable, Sendable {
        case command(StoredCommand)
        case wait(Duration)
        /// Until something is true, and has been for a while; goes on after `atMost` in any case.
        case waitFor(Check, for: Duration? = nil, atMost: Duration? = nil)
        /// Makes the lights of a target show what they showed when the run began. What somebody else has changed since
        /// is left as it is.
        case restore(String)

        var mayComeLate: Bool {
            switch self {
            case let .command(command): command.mayComeLate
            case .wait, .waitFor, .restore: true
            }
        }
    }
}

extension [Automation] {
    /// With others in the place of those of the same name; those of a new name come last.
    ///
    /// - Parameter old: in whose places others stand, one for one, whatever they are called.
    public func merging(_ others: [Automation], insteadOf old: [Automation] = []) -> [Automation] {
        var replaced = Dictionary(others.map { ($0.id, $0) }) { first, _ in first }
        for (old, new) in zip(old, others) { replaced[old.id] = new }
        let all = map { replaced[$0.id] ?? $0 }
        let known = Set(all.map(\.id))
        return all + others.filter { !known.contains($0.id) }
    }
}

/// A command of the control protocol, which the domain keeps without reading it.
public struct StoredCommand: Hashable, Codable, Sendable {
    /// As it was typed: "dim kitchen 40% --over 10m".
    public let text: String
    /// The same for machines.
    public let json: String
    /// Whether it leads to the same state when it is carried out late, or twice: "turn on" does, "toggle" does not.
    public let mayComeLate: Bool

    public init(text: String, json: String, mayComeLate: Bool) {
        self.text = text
        self.json = json
        self.mayComeLate = mayComeLate
    }
}

extension String {
    /// By which two names are compared.
    var folded: String { lowercased() }
}
