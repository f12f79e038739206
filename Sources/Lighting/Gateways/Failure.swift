public import Khipu

/// Why a command failed: a response like any other. ``words(naming:)`` says what happened to what, ``remedy`` what a
/// person can do about it. Neither names a program: each surface has its own words for the remedy.
public indirect enum Failure: Error, Hashable, Codable, Sendable {
    /// No light, room or zone has this id.
    case noSuchTarget(Target)
    case noSuchScene(Scene.ID)
    case noSuchBridge(Bridge.ID)
    case noSuchAutomation(Automation.ID)
    case noSuchSensor(Sensor.ID)
    /// Somebody has changed or removed it since it was read.
    case changedMeanwhile(Automation.ID)
    case automationExists(Automation.ID)
    /// The bridge has a room or zone of that name already.
    case roomExists(Room.ID)
    /// The room or zone has a scene of that name already.
    case sceneExists(Scene.ID)
    /// A room, a zone and a scene live on one bridge, and these do not all belong to it.
    case severalBridges([Bridge.ID])
    /// These lights are not all in one room or zone, to which a scene could belong.
    case noCommonRoom
    /// It is not on the dashboard.
    case notPinned(Target)
    /// The switch is not bound to anything.
    case notBound(Sensor.ID)
    /// The room, zone or home contains no lights.
    case noLights(in: Target)
    /// The lamp is not able to do it. `what` completes the sentence "'Stove' cannot …".
    case cannot(light: String, what: String)
    /// The bridge refused, with its explanation.
    case refused(by: Bridge.ID, words: BridgeWords)
    /// The bridge accepted the command, but did not confirm that the lamp carried it out.
    case unconfirmed(by: Bridge.ID, words: BridgeWords)
    /// The bridge cannot be reached, or did not answer in time.
    case unreachable(Bridge.ID, because: String)
    /// No bridge is paired yet.
    case notPaired
    /// The bridge no longer accepts lightd's key.
    case keyRefused(by: Bridge.ID)
    /// The link button was not pressed in time.
    case buttonNotPressed(on: Bridge.ID)
    /// The bridge's certificate is not the one it was paired with.
    case certificateRefused(of: Bridge.ID, because: String)
    /// Several bridges were found and the command named none.
    case whichBridge([Bridge.ID])
    /// None of the bridges found (in words, for people) has this name.
    case noBridgeCalled(String, found: [String])
    case noBridgeFound(because: String)
    /// The state directory could not be written.
    case notSaved(because: String)
    /// No command is left to "undo" or "redo".
    case nothingToReverse(String)
    /// The command with this ticket's number failed, was undone, or is forgotten.
    case notUndoable(UInt64)
    /// Somebody else's command came after the one that is to be undone.
    case followed(by: Ticket)
    /// It follows no curve, sunrise or sunset.
    case followsNothing(Target)
    /// No curve has this name; these have one.
    case noSuchCurve(String, known: [String])
    /// `what` goes by the sun, and the home's place is not configured.
    case placeUnknown(String)
    /// Nothing in the home has a name. The words are a whole sentence.
    case noSuchName(String)
    /// It cannot be done as things are. The words are a whole sentence.
    case impossible(String)
    /// Lamps were used on so few days that the journal knows of, and this many are needed.
    case tooFewDays(Int, of: Int)
    /// The command makes no sense: a name that is too long, a step that is not a number.
    case invalid(String)
    /// Some parts of a command failed, out of this many.
    case partly([Part], of: Int)

    public struct Part: Hashable, Codable, Sendable {
        public let target: Target
        public let failure: Failure

        public init(_ target: Target, _ failure: Failure) {
            self.target = target
            self.failure = failure
        }
    }
}

extension Failure {
    /// What its sentence calls the things of a home.
    public struct Names {
        /// "Desk", "@Kitchen", "all"
        let target: (Target) -> String
        /// What a person would type for it.
        let text: (Target) -> String
        /// "room 'Kitchen'"
        let room: (Room.ID) -> String
        /// "Kitchen/Relax"
        let scene: (Scene.ID) -> String
        let sensor: (Sensor.ID) -> String
        /// "bridge 'Study bridge'"
        let bridge: (Bridge.ID) -> String
        /// "turn on Desk"; `nil` if it is no longer remembered.
        let command: (Ticket) -> String?

        public init(
            target: @escaping (Target) -> String, text: @escaping (Target) -> String,
            room: @escaping (Room.ID) -> String,
            scene: @escaping (Scene.ID) -> String, sensor: @escaping (Sensor.ID) -> String,
            bridge: @escaping (Bridge.ID) -> String, command: @escaping (Ticket) -> String?
        ) {
            (self.target, self.text, self.room, self.scene) = (target, text, room, scene)
            (self.sensor, self.bridge, self.command) = (sensor, bridge, command)
        }

        fileprivate static var ids: Self {
            Self(
                target: \.words, text: \.words, room: { "room \($0)" }, scene: { "scene \($0)" },
                sensor: { "sensor \($0)" }, bridge: { "bridge \($0)" }, command: { _ in nil })
        }
    }

    /// What happened, in a sentence.
    public func words(naming names: Names) -> String {
        switch self {
        case let .noSuchTarget(target): "there is no \(target.words)"
        case let .noSuchScene(id): "there is no \(names.scene(id))"
        case let .noSuchBridge(id): "there is no bridge \(id)"
        case let .noSuchAutomation(id): "there is no automation '\(id)'"
        case let .noSuchSensor(id): "there is no \(names.sensor(id))"
        case let .changedMeanwhile(id): "'\(id)' was changed meanwhile"
        case let .automationExists(id): "there is already an automation '\(id)'"
        case let .roomExists(id): "there is already a \(names.room(id))"
        case let .sceneExists(id): "there is already a scene \(names.scene(id))"
        case let .severalBridges(ids):
            "a room, zone or scene lives on one bridge, and this needs several: "
                + ids.map(names.bridge).joined(separator: ", ")
        case .noCommonRoom: "these lights are not in one room or zone together, and a scene belongs to one"
        case let .notPinned(target): "\(names.target(target)) is not on the dashboard"
        case let .notBound(id): "\(names.sensor(id)) is not bound"
        case .noLights(in: .all): "there are no lights yet"
        case let .noLights(in: target): "there are no lights in \(names.target(target))"
        case let .cannot(light, what): "'\(light)' cannot \(what)"
        case let .refused(bridge, words): "\(names.bridge(bridge)) refused: \(words)"
        case let .unconfirmed(bridge, words): "\(names.bridge(bridge)) could not confirm it: \(words)"
        case let .unreachable(bridge, cause): "cannot reach \(names.bridge(bridge)) (\(cause))"
        case .notPaired: "no bridge is paired yet"
        case let .keyRefused(bridge): "\(names.bridge(bridge)) no longer accepts lightd's key"
        case let .buttonNotPressed(bridge): "the link button of \(names.bridge(bridge)) was not pressed in time"
        case let .certificateRefused(bridge, cause):
            "\(names.bridge(bridge)) showed a certificate that is not its own (\(cause)); nothing was sent to it"
        case let .whichBridge(ids): "several bridges were found: \(ids.map(\.description).joined(separator: ", "))"
        case let .noBridgeCalled(name, found): "no bridge is called '\(name)'; found: \(found.joined(separator: ", "))"
        case let .noBridgeFound(cause): "no bridge was found (\(cause))"
        case let .notSaved(cause): "it could not be saved: \(cause)"
        case let .nothingToReverse(verb): "there is nothing to \(verb)"
        case let .notUndoable(number): "command \(number) cannot be undone: it failed, was undone, or is too old"
        case let .followed(by: ticket):
            "\(names.command(ticket).map { "'\($0)'" } ?? "command \(ticket.number)") came after it"
        case .followsNothing(.all): "no light follows anything"
        case let .followsNothing(target): "\(names.target(target)) follows nothing"
        case let .noSuchCurve(name, known): "there is no curve '\(name)'; there are: \(known.joined(separator: ", "))"
        case let .placeUnknown(what): "\(what) goes by the sun, and where the home is is not configured"
        case let .tooFewDays(days, of: needed):
            "too little is known of how people light this home: the journal has \(days) \(days == 1 ? "day" : "days") on "
                + "which they used lamps, and \(needed) are needed"
        case let .noSuchName(words), let .impossible(words), let .invalid(words): words
        case let .partly(parts, of: count):
            "\(parts.count) of \(count) failed: "
                + parts.map { "\(names.text($0.target)): \($0.failure.words(naming: names))" }.joined(separator: "; ")
        }
    }
}

extension Failure: CustomStringConvertible {
    /// What happened, with ids for names: for logs.
    public var description: String { words(naming: .ids) }

    /// The same, for sentences that already name the bridge whose connection is lost.
    public var reason: String {
        switch self {
        case let .unreachable(_, cause): cause
        case let .certificateRefused(_, cause): "its certificate is not the one it was paired with (\(cause))"
        case .keyRefused: "it no longer accepts lightd's key"
        default: description
        }
    }
}

extension Failure {
    /// Why nothing is known of a bridge that has not been tried since lightd started.
    public static func notReachedYet(_ bridge: Bridge.ID) -> Self {
        .unreachable(bridge, because: "not reached yet since lightd started")
    }

    /// Why nothing is known of a bridge whose pairing has just succeeded.
    public static func justPaired(_ bridge: Bridge.ID) -> Self {
        .unreachable(bridge, because: "just paired, not connected yet")
    }

    /// What the bridge said, word for word, if ``description`` says it differently.
    public var rawWords: String? {
        switch self {
        case let .refused(by: _, words: words), let .unconfirmed(by: _, words: words): words.raw
        default: nil
        }
    }

    /// Whether nothing of the command was carried out, and nothing may have been.
    var isTotal: Bool {
        switch self {
        case .unconfirmed: false
        case let .partly(parts, of: count): parts.count == count && parts.allSatisfy(\.failure.isTotal)
        default: true
        }
    }

    /// Whether it concerns some of the targets only: the others have accepted the command.
    public var isPartial: Bool { if case let .partly(parts, of: count) = self { parts.count < count } else { false } }

    /// What failed of a command that did not fail alike everywhere.
    var parts: [Part] { if case let .partly(parts, of: _) = self { parts } else { [] } }

    /// Those of the lights at which the command may still be carried out: later, or without being reported.
    func unconfirmed(among lights: [Light.ID]) -> Set<Light.ID> {
        switch self {
        case .unconfirmed: Set(lights)
        case let .partly(parts, of: _):
            Set(lights).intersection(
                parts.compactMap { part in
                    if case let .light(light) = part.target, !part.failure.isTotal { light } else { nil }
                })
        default: []
        }
    }
}

extension Target {
    /// The target in a sentence, by its id.
    fileprivate var words: String {
        switch self {
        case let .light(id): "light \(id)"
        case let .room(id): "room \(id)"
        case .all: "home"
        }
    }
}

/// How a command ended. Every response has one.
public enum Outcome: Equatable, Codable, Sendable {
    case succeeded
    case failed(Failure)

    public var failure: Failure? {
        if case let .failed(failure) = self { failure } else { nil }
    }
}

extension Outcome {
    /// The outcome of a command with several parts: succeeded if all parts did, the failure itself if all parts failed
    /// in the same way, otherwise partly failed.
    public static func all(_ parts: [(target: Target, outcome: Outcome)]) -> Self {
        let failures = parts.compactMap { part in part.outcome.failure.map { Failure.Part(part.target, $0) } }
        guard let first = failures.first else { return .succeeded }
        if failures.count == parts.count, failures.allSatisfy({ $0.failure == first.failure }) {
            return .failed(first.failure)
        }
        return .failed(.partly(failures, of: parts.count))
    }
    /// How a command for these lights ended at each of them.
    func parts(for lights: [Light.ID]) -> [(target: Target, outcome: Outcome)] {
        let outcomes: [Target: Outcome] =
            if case let .partly(parts, of: _)? = failure {
                Dictionary(parts.map { ($0.target, .failed($0.failure)) }) { first, _ in first }
            } else {
                Dictionary(lights.map { (.light($0), self) }) { first, _ in first }
            }
        return lights.map { (.light($0), outcomes[.light($0)] ?? .succeeded) }
    }

    /// Those of the lights at which a command for them succeeded, in their order.
    func successes(among lights: [Light.ID]) -> [Light.ID] {
        zip(lights, parts(for: lights)).filter { $1.outcome == .succeeded }.map(\.0)
    }
}

/// What a bridge said, for people: in the names of the home instead of its ids.
public struct BridgeWords: Hashable, Sendable {
    public let text: String
    /// The bridge's own text, if it differs.
    public let raw: String?

    public init(_ text: String, raw: String? = nil) {
        self.text = text
        self.raw = raw == text ? nil : raw
    }
}

extension BridgeWords: CustomStringConvertible {
    public var description: String { text }
}

extension BridgeWords: ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) { self.init(text) }
}

extension BridgeWords: Codable {
    private enum CodingKeys: String, CodingKey { case text, raw }

    /// Also reads a plain string, which is what a journal from before this type has.
    public init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            self.init(text)
        } else {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                try container.decode(String.self, forKey: .text),
                raw: try container.decodeIfPresent(String.self, forKey: .raw))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        guard let raw else {
            var container = encoder.singleValueContainer()
            return try container.encode(text)
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(text, forKey: .text)
        try container.encode(raw, forKey: .raw)
    }
}
