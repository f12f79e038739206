/// Something that goes wrong, or is otherwise than usual: what, how much, and where it strikes. The kinds are listed in
/// docs/quirks.md.
public struct Fault: Hashable, Sendable {
    public let kind: FaultKind
    /// Of the form that its kind has; the usual one where none was given.
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

    /// What of all that happens it strikes; all of it where nothing is said.
    public struct Scope: Hashable, Sendable {
        /// So many times, and then no more.
        public var count: Int?
        /// For so long after its beginning, in the bridge's time.
        public var duration: Duration?
        /// Requests whose path begins so. The event stream's frames have the path of their stream.
        public var path: String?
        /// "GET", "PUT" …
        public var method: String?
        /// 0…1 of the times, by the bridge's seeded chance.
        public var probability: Double?
        /// Only every so many-th of the times: with 2 the second, the fourth, the sixth.
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

    /// - Throws: where the value is none of this kind's, or the scope names what it has not.
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
}

extension Fault: CustomStringConvertible {
    /// As it is asked for, without its scope.
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
    fileprivate func check(for kind: FaultKind) throws(FaultError) {
        let name = kind.rawValue
        if let count, count < 1 { throw FaultError("count is a whole number from 1") }
        if let duration, duration <= .zero { throw FaultError("for is a number of seconds above 0") }
        if let probability, !(0...1).contains(probability) { throw FaultError("probability is a number from 0 to 1") }
        if let every, every < 1 { throw FaultError("every is a whole number from 1") }
        if let path, !path.hasPrefix("/") { throw FaultError("path is the beginning of a path: /clip/v2/resource") }
        switch kind.target {
        case .request, .response, .command: break
        case .frame:
            if path != nil || method != nil {
                throw FaultError("'\(name)' strikes the event stream: it has no path or method")
            }
        case .bridge:
            if count != nil || path != nil || method != nil || probability != nil || every != nil {
                throw FaultError("'\(name)' is a state of the whole bridge: only 'for' can be said of it")
            }
        case .life:
            if self != Fault.Scope() { throw FaultError("'\(name)' happens once: nothing else can be said of it") }
        }
    }
}

extension Fault {
    /// Every name with its value, in lines of at most so many characters, each begun by two spaces.
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
    /// How many lights a bridge of that model takes.
    func mostLights(_ model: BridgeModel) -> Int {
        if contains(where: { $0.kind == .unlimited }) { return .max }
        return last { $0.kind == .mostLights }?.number ?? model.mostLights
    }
}
