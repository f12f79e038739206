import HueWire

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
