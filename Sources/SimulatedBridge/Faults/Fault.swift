import HueWire

/// A way in which the bridge fails or differs from the usual one: its kind, its value, and what it strikes.
/// docs/quirks.md lists the kinds.
public struct Fault: Hashable, Sendable {
    public let kind: FaultKind
    /// In the form that the kind requires; the usual value if none was given.
    public let value: Value?
    public internal(set) var scope: Scope

    public enum Value: Hashable, Sendable, CustomStringConvertible {
        case number(Int)
        case text(String)

        var number: Int? {
            switch self {
            case let .number(number): number
            case let .text(text): Int(text)
            }
        }

        public var description: String {
            switch self {
            case let .number(number): "\(number)"
            case let .text(text): text
            }
        }
    }

    /// Which requests or frames it strikes; all of them by default.
    public struct Scope: Hashable, Sendable {
        /// Strikes this many times, then ends.
        public var count: Int?
        /// Ends this long after its beginning, in the bridge's time.
        public var duration: Duration?
        /// Strikes requests whose path begins with this. Frames have the path of the event stream.
        public var path: String?
        /// "GET", "PUT" …
        public var method: String?
        /// Strikes with this probability, above 0 and at most 1. The random numbers depend on the bridge's seed.
        public var probability: Double?
        /// Strikes only every nth time: with 2 the second, the fourth, the sixth.
        public var every: Int?

        public init(
            count: Int? = nil, for duration: Duration? = nil, path: String? = nil, method: String? = nil,
            probability: Double? = nil, every: Int? = nil
        ) {
            self.count = count
            self.duration = duration
            self.path = path
            self.method = method
            self.probability = probability
            self.every = every
        }
    }

    init(unchecked kind: FaultKind, _ value: Value? = nil, scope: Scope = Scope()) {
        self.kind = kind
        self.value = value
        self.scope = scope
    }

    /// - Throws: if the value does not fit the kind, or the scope has a limit that does not apply to the kind.
    public init(_ kind: FaultKind, _ value: Value? = nil, _ scope: Scope = Scope()) throws(FaultError) {
        try scope.check(for: kind)
        self.init(unchecked: kind, try kind.form.check(value, of: kind.rawValue), scope: scope)
    }

    /// Reads "NAME" or "NAME:VALUE".
    public init(_ text: String) throws(FaultError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let kind = parts.first.flatMap(FaultKind.init(rawValue:)) else { throw .unknown(text) }
        try self.init(kind, parts.count == 2 ? Int(parts[1]).map { .number($0) } ?? .text(parts[1]) : nil)
    }

    var number: Int { value?.number ?? 0 }
    var text: String? { value?.description }
    /// Where a move goes.
    var destination: ListenAddress { text.flatMap { ListenAddress($0) } ?? ListenAddress() }
}

extension Fault: CustomStringConvertible {
    /// As given on the command line, without its scope.
    public var description: String { value.map { "\(kind.rawValue):\($0)" } ?? kind.rawValue }
}

extension Fault.Value: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    public init(integerLiteral value: Int) { self = .number(value) }
    public init(stringLiteral value: String) { self = .text(value) }
}

extension Fault {
    public static let unlimited = Self(unchecked: .unlimited)
    public static let http1 = Self(unchecked: .http1)
    public static let noButton = Self(unchecked: .noButton)
    public static func inFlight(_ count: Int) -> Self { Self(unchecked: .inFlight, .number(max(count, 1))) }
    public static func lightsPerSecond(_ count: Int) -> Self {
        Self(unchecked: .lightsPerSecond, .number(max(count, 1)))
    }
    public static func groupsPerSecond(_ count: Int) -> Self {
        Self(unchecked: .groupsPerSecond, .number(max(count, 1)))
    }
    public static func mostLights(_ count: Int) -> Self { Self(unchecked: .mostLights, .number(max(count, 1))) }
    /// In milliseconds.
    public static func latency(_ time: Int) -> Self { Self(unchecked: .latency, .number(max(time, 0))) }
}

extension Fault.Scope {
    static let durationRule = "for must be a number of seconds above 0, at most 1000000000"
    static let probabilityRule = "probability must be a number above 0, at most 1"

    fileprivate func check(for kind: FaultKind) throws(FaultError) {
        let name = kind.rawValue
        if let count, count < 1 { throw FaultError("count must be a whole number from 1") }
        if let duration, duration <= .zero { throw FaultError(Self.durationRule) }
        if let probability, probability <= 0 || probability > 1 { throw FaultError(Self.probabilityRule) }
        if let every, every < 1 { throw FaultError("every must be a whole number from 1") }
        if let path, !path.hasPrefix("/") {
            throw FaultError("path must be the beginning of a path, for example /clip/v2/resource")
        }
        switch kind.target {
        case .request, .response, .command: break
        case .frame:
            if path != nil || method != nil {
                throw FaultError("'\(name)' is triggered by frames of the event stream: it takes no path or method")
            }
        case .bridge:
            if count != nil || path != nil || method != nil || probability != nil || every != nil {
                throw FaultError("'\(name)' is a state of the whole bridge: it takes only 'for'")
            }
        case .lifecycle:
            guard self != Fault.Scope() else { return }
            let rule = kind.form == .nothing ? "it takes nothing but its name" : "it takes only a value"
            throw FaultError("'\(name)' happens once: \(rule)")
        }
    }
}

extension Fault {
    /// - Throws: if it is limited to a light or room that the home does not have.
    func check(in home: SimulatedHome) throws(FaultError) {
        guard case let .one(what) = kind.form, let name = text else { return }
        let isKnown = what == "LIGHT" ? home.lamp(called: name) != nil : !home.hiddenGroupedLights(name).isEmpty
        guard !isKnown else { return }
        throw FaultError("there is no \(what.lowercased()) '\(name)' for '\(kind.rawValue)'")
    }

    /// - Throws: if it strikes only connections that are open, and so nothing at the start of a bridge.
    func checkAtStart() throws(FaultError) {
        guard kind == .blackHole || kind == .halfOpen else { return }
        throw FaultError(
            "'\(kind.rawValue)' strikes the connections that are open, and at the start none is; "
                + "begin it later, with POST /faults on the control port")
    }

    /// Every name with its value, in indented lines of at most `width` characters.
    public static func names(width: Int) -> String {
        var lines: [String] = []
        for usage in FaultKind.allCases.map(\.usage) {
            if let last = lines.last, last.count + usage.count + 2 <= width {
                lines[lines.count - 1] = "\(last), \(usage)"
            } else {
                lines.append("  \(usage)")
            }
        }
        return lines.joined(separator: "\n")
    }
}

extension [Fault] {
    /// How many lights a bridge of this model has room for.
    func mostLights(_ model: BridgeModel) -> Int {
        if contains(where: { $0.kind == .unlimited }) { return .max }
        return last { $0.kind == .mostLights }?.number ?? model.mostLights
    }
}

extension Fault {
    /// Reads `{"name":"busy","value":503,"count":3,"for":10,"path":"/clip/v2","method":"PUT","probability":0.5}`;
    /// only the name is required.
    init(_ json: JSONValue) throws(FaultError) {
        guard let members = json.object, let name = members["name"]?.string else {
            throw FaultError(
                #"a fault looks like {"name":"busy","value":503,"count":3}; GET /faults?known lists the names"#)
        }
        guard let kind = FaultKind(rawValue: name) else { throw .unknown(name) }
        let known = ["name", "value", "count", "for", "path", "method", "probability", "every"]
        if let unknown = members.keys.sorted().first(where: { !known.contains($0) }) {
            throw FaultError("unknown member '\(unknown)'; a fault has \(known.joined(separator: ", "))")
        }
        var scope = Scope()
        scope.count = try Self.read(members["count"], \.int, "count must be a whole number from 1")
        scope.path = try Self.read(
            members["path"], \.string, "path must be the beginning of a path, for example /clip/v2/resource")
        scope.method = try Self.read(members["method"], \.string, "method must be GET, PUT, POST or DELETE")
        scope.probability = try Self.read(members["probability"], \.double, Scope.probabilityRule)
        scope.every = try Self.read(members["every"], \.int, "every must be a whole number from 1")
        let seconds = try Self.read(members["for"], \.double, Scope.durationRule)
        if let seconds {
            guard seconds > 0, seconds <= 1e9 else { throw FaultError(Scope.durationRule) }
            scope.duration = .milliseconds(Int64((seconds * 1000).rounded(.up)))
        }
        let value: Value? =
            switch members["value"] {
            case nil, .null?: nil
            case let .string(text)?: Int(text).map { .number($0) } ?? .text(text)
            case let value?: .number(try Self.read(value, \.int, "value must be a whole number or a string") ?? 0)
            }
        try self.init(kind, value, scope)
    }

    private static func read<Value>(_ value: JSONValue?, _ read: KeyPath<JSONValue, Value?>, _ words: String)
        throws(FaultError) -> Value?
    {
        guard let value, value != .null else { return nil }
        guard let read = value[keyPath: read] else { throw FaultError(words) }
        return read
    }
}

extension FaultRegistry.ActiveFault {
    /// As `GET /faults` lists it: the fault as requested, with the count and duration that are left, and how often it
    /// has struck.
    func json(at now: Duration) -> JSONValue {
        var members: [String: JSONValue] = ["name": .string(fault.kind.rawValue), "struck": .int(struck)]
        members["value"] = fault.value?.json
        members["count"] = left.map { .int($0) }
        members["for"] = end.map { .number((($0 - now) / .milliseconds(1)).rounded() / 1000) }
        members["path"] = fault.scope.path.map { .string($0) }
        members["method"] = fault.scope.method.map { .string($0) }
        members["probability"] = fault.scope.probability.map { .number($0) }
        members["every"] = fault.scope.every.map { .int($0) }
        return .object(members)
    }
}

extension Fault.Value {
    fileprivate var json: JSONValue {
        switch self {
        case let .number(number): .int(number)
        case let .text(text): .string(text)
        }
    }
}

extension FaultKind {
    /// As `GET /faults?known` lists it.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(rawValue), "strikes": .string(target.rawValue), "what": .string(catalogueRow.what),
            "seen": .array(catalogueRow.seen.map { .string($0) }),
        ]
        members["value"] = form.usage.map { .string($0) }
        if case let .number(_, _, usual?) = form { members["usual"] = .int(usual) }
        return .object(members)
    }
}

/// Why a fault cannot be created, in words for the user.
public struct FaultError: Error, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }

    static func unknown(_ name: String) -> Self {
        Self("unknown fault '\(name)'; known faults: \(FaultKind.allCases.map(\.usage).joined(separator: ", "))")
    }
}
