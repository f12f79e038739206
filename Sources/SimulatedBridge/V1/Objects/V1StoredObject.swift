import HueWire

/// A schedule, a rule or a resource link: stored and shown, but not executed.
protocol V1StoredObject: Codable, Equatable, Sendable {
    /// The resource's name in a path: "schedules".
    static var kind: String { get }
    static var limit: Int { get }
    /// The error when the table is full.
    static var tableFull: V1Error { get }
    /// The members that clients may write.
    static var writable: Set<String> { get }
    /// The members that a new object must have.
    static var required: [String] { get }

    /// The defaults of a new object.
    init(owner: String, created: String)

    /// Sets a writable member; throws if the value is invalid.
    mutating func set(_ name: String, to value: JSONValue, _ reader: V1BodyReader) throws(V1Failure)

    /// Checks what depends on several members of a new object.
    func check(_ body: V1Body, at address: String) throws(V1Failure)

    init?(_ object: V1Object)
    var object: V1Object { get }
}

extension V1StoredObject {
    func check(_ body: V1Body, at address: String) throws(V1Failure) {}
}

enum V1Status: String, Codable, Sendable { case enabled, disabled }

/// A command of API v1 that a schedule or a rule sends: `address`, `method` and `body`, stored as written.
struct V1Command: Equatable, Sendable {
    let document: JSONValue

    init?(_ value: JSONValue) {
        guard value["address"]?.string?.hasPrefix("/") == true, value["body"]?.object != nil,
            ["PUT", "POST", "DELETE"].contains(value["method"]?.string)
        else { return nil }
        document = value
    }

    private init() { document = [:] }

    /// What a new schedule has until its command is read.
    fileprivate static let none = Self()
}

/// A condition of a rule: `address`, `operator` and perhaps `value`, stored as written.
struct V1Condition: Equatable, Sendable {
    let document: JSONValue

    private static let operators = ["eq", "gt", "lt", "dx", "ddx", "stable", "not stable", "in", "not in"]

    init?(_ value: JSONValue) {
        guard value["address"]?.string?.hasPrefix("/") == true,
            Self.operators.contains(value["operator"]?.string ?? "")
        else { return nil }
        document = value
    }
}

extension V1Command: Codable {
    init(from decoder: any Decoder) throws { document = try JSONValue(from: decoder) }
    func encode(to encoder: any Encoder) throws { try document.encode(to: encoder) }
}

extension V1Condition: Codable {
    init(from decoder: any Decoder) throws { document = try JSONValue(from: decoder) }
    func encode(to encoder: any Encoder) throws { try document.encode(to: encoder) }
}

public struct V1Schedule: V1StoredObject {
    private(set) var name = "schedule"
    private var description = ""
    private var command = V1Command.none
    /// API v1 shows one time under both names.
    private var time = ""
    private var localtime = ""
    private var starttime: String?
    private var created: String
    private var status = V1Status.enabled
    private var recycle = false
    private var autodelete = true

    static let kind = "schedules"
    static let limit = 100
    static let tableFull = V1Error(701, address: "/schedules", "No schedules available")
    static let writable: Set = [
        "name", "description", "command", "time", "localtime", "starttime", "status", "autodelete", "recycle",
    ]
    static let required = ["command"]

    init(owner: String, created: String) { self.created = created }

    mutating func set(_ name: String, to value: JSONValue, _ reader: V1BodyReader) throws(V1Failure) {
        switch name {
        case "name": self.name = try reader.text(value, name)
        case "description": description = try reader.text(value, name, 0...64)
        case "command":
            guard let command = V1Command(value) else { throw reader.invalid(value, name) }
            self.command = command
        case "time", "localtime":
            time = try reader.text(value, name, 0...64)
            localtime = time
        case "starttime": starttime = try reader.text(value, name, 0...64)
        case "status": status = try reader.status(value, name)
        case "autodelete": autodelete = try reader.bool(value, name)
        case "recycle": recycle = try reader.bool(value, name)
        default: throw reader.unknown(name)
        }
    }

    func check(_ body: V1Body, at address: String) throws(V1Failure) {
        if body["time"] != nil, body["localtime"] != nil {
            throw V1Failure(V1Error(703, address: address, "parameters, time and localtime, are exclusive"))
        }
        guard body["time"] != nil || body["localtime"] != nil else { throw V1Failure(.missing(address)) }
    }

    init?(_ object: V1Object) { if case let .schedule(schedule) = object { self = schedule } else { return nil } }
    var object: V1Object { .schedule(self) }
}

public struct V1Rule: V1StoredObject {
    private(set) var name = "rule"
    private var owner: String
    private var created: String
    private var lasttriggered = "none"
    private var timestriggered = 0
    private var status = V1Status.enabled
    private var recycle = false
    private(set) var conditions: [V1Condition] = []
    private(set) var actions: [V1Command] = []

    static let kind = "rules"
    static let limit = 250
    static let tableFull = V1Error(601, address: "/rules", "Rule engine full, Removing all rules")
    static let writable: Set = ["name", "status", "recycle", "conditions", "actions"]
    static let required = ["conditions", "actions"]

    init(owner: String, created: String) { (self.owner, self.created) = (owner, created) }

    mutating func set(_ name: String, to value: JSONValue, _ reader: V1BodyReader) throws(V1Failure) {
        switch name {
        case "name": self.name = try reader.text(value, name)
        case "status": status = try reader.status(value, name)
        case "recycle": recycle = try reader.bool(value, name)
        case "conditions": conditions = try reader.list(value, name, 1...8) { V1Condition($0) }
        case "actions": actions = try reader.list(value, name, 1...8) { V1Command($0) }
        default: throw reader.unknown(name)
        }
    }

    init?(_ object: V1Object) { if case let .rule(rule) = object { self = rule } else { return nil } }
    var object: V1Object { .rule(self) }
}

public struct V1ResourceLink: V1StoredObject {
    private(set) var name = ""
    private var description = ""
    private var type = "Link"
    private var classid = 0
    private var owner: String
    private var recycle = false
    private var links: [String] = []

    static let kind = "resourcelinks"
    static let limit = 64
    static let tableFull = V1Error(11, address: "/resourcelinks", "Too many items in list")
    static let writable: Set = ["name", "description", "classid", "recycle", "type", "links"]
    static let required = ["name", "links", "classid"]

    init(owner: String, created: String) { self.owner = owner }

    mutating func set(_ name: String, to value: JSONValue, _ reader: V1BodyReader) throws(V1Failure) {
        switch name {
        case "name": self.name = try reader.text(value, name)
        case "description": description = try reader.text(value, name, 0...64)
        case "classid": classid = try reader.int(value, name, 0...Int.max)
        case "recycle": recycle = try reader.bool(value, name)
        case "type": type = try reader.word(value, name, of: ["Link"])
        case "links":
            links = try reader.list(value, name, 0...Int.max) { $0.string?.hasPrefix("/") == true ? $0.string : nil }
        default: throw reader.unknown(name)
        }
    }

    init?(_ object: V1Object) { if case let .resourceLink(link) = object { self = link } else { return nil } }
    var object: V1Object { .resourceLink(self) }
}
