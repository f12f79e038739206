import HueWire

/// `/schedules`, `/rules` and `/resourcelinks`: kept and told, not carried out.
extension V1Call {
    private struct Form {
        let most: Int
        let full: V1Error
        let required: [String]
        /// What is there where a client says nothing.
        let defaults: [String: JSONValue]
        /// What clients may write.
        let members: [String: (JSONValue) -> Bool]
    }

    func v1ObjectList(_ kind: String) -> JSONValue {
        .object(Dictionary(numbered(kind).map { ("\($0.number)", $0.value) }) { first, _ in first })
    }

    func numbered(_ kind: String) -> [(number: Int, value: JSONValue)] {
        home.v1Objects.compactMap { path, value in
            path.hasPrefix("/\(kind)/") ? Int(path.dropFirst(kind.count + 2)).map { ($0, value) } : nil
        }
    }

    func v1Objects(_ kind: String, _ path: [String]) throws(V1Failure) -> V1Outcome {
        let form = form(of: kind)
        switch (request.method, path.count) {
        case ("GET", 0): return .document(v1ObjectList(kind))
        case ("POST", 0): return try create(kind, form)
        case (_, 0): throw notAllowed
        case let (method, 1):
            guard let v1Object = numbered(kind).first(where: { "\($0.number)" == path[0] }) else { throw absent }
            switch method {
            case "GET": return .document(v1Object.value)
            case "PUT": return try change(v1Object.value, form)
            case "DELETE": return .done([.deleted(address)], [.removing(.v1Object(address))])
            default: throw notAllowed
            }
        default: throw absent
        }
    }

    private func create(_ kind: String, _ form: Form) throws(V1Failure) -> V1Outcome {
        let reading = V1BodyReader(address)
        let body = try body()
        var members = form.defaults
        for (name, value) in body.members {
            guard let takes = form.members[name] else { throw reading.unknown(name) }
            guard takes(value) else { throw reading.invalid(value, name) }
            members[name] = value
        }
        guard form.required.allSatisfy({ body[$0] != nil }) else { throw V1Failure(.missing(address)) }
        if kind == "schedules" {
            if body["time"] != nil, body["localtime"] != nil {
                throw V1Failure(V1Error(703, address: address, "parameters, time and localtime, are exclusive"))
            }
            guard let time = body["localtime"] ?? body["time"] else { throw V1Failure(.missing(address)) }
            members["time"] = time
            members["localtime"] = time
        }
        guard numbered(kind).count < form.most else { throw V1Failure(form.full) }
        let taken = Set(numbered(kind).map(\.number))
        let number = (1...).first { !taken.contains($0) } ?? 0
        return .done([.success(id: "\(number)")], [.adding(.v1Object("/\(kind)/\(number)", .object(members)))])
    }

    private func change(_ value: JSONValue, _ form: Form) throws(V1Failure) -> V1Outcome {
        let reading = V1BodyReader(address)
        var members: [String: JSONValue] = [:]
        let items = reading.items(of: try body()) { name, new throws(V1Failure) in
            guard let takes = form.members[name] else {
                throw value[name] == nil ? reading.unknown(name) : reading.fixed(name)
            }
            guard takes(new) else { throw reading.invalid(new, name) }
            members[name] = new
            if name == "time" || name == "localtime" { (members["time"], members["localtime"]) = (new, new) }
            return new
        }
        return .done(items, members.isEmpty ? [] : [.replacing(.v1Object(address, by: value.merging(members)))])
    }

    private func form(of kind: String) -> Form {
        let created = JSONValue.string(context.date.stampV1)
        switch kind {
        case "schedules":
            return Form(
                most: 100, full: V1Error(701, address: "/schedules", "No schedules available"),
                required: ["command"],
                defaults: [
                    "name": "schedule", "description": "", "created": created, "status": "enabled", "recycle": false,
                    "autodelete": true,
                ],
                members: [
                    "name": Self.isName, "description": Self.isText, "command": Self.isCommand,
                    "time": Self.isText, "localtime": Self.isText, "starttime": Self.isText,
                    "status": Self.isStatus, "autodelete": Self.isFlag, "recycle": Self.isFlag,
                ])
        case "rules":
            return Form(
                most: 250, full: V1Error(601, address: "/rules", "Rule engine full, Removing all rules"),
                required: ["conditions", "actions"],
                defaults: [
                    "name": "rule", "owner": .string(key), "created": created, "lasttriggered": "none",
                    "timestriggered": 0, "status": "enabled", "recycle": false,
                ],
                members: [
                    "name": Self.isName, "status": Self.isStatus, "recycle": Self.isFlag,
                    "conditions": Self.areConditions, "actions": Self.areActions,
                ])
        default:
            return Form(
                most: 64, full: V1Error(11, address: "/resourcelinks", "Too many items in list"),
                required: ["name", "links", "classid"],
                defaults: [
                    "description": "", "type": "Link", "owner": .string(key), "recycle": false,
                ],
                members: [
                    "name": Self.isName, "description": Self.isText, "classid": { ($0.int ?? -1) >= 0 },
                    "recycle": Self.isFlag, "type": { $0 == "Link" },
                    "links": { $0.array?.allSatisfy { $0.string?.hasPrefix("/") == true } == true },
                ])
        }
    }

    private static func isName(_ value: JSONValue) -> Bool {
        value.string.map { (1...32).contains($0.unicodeScalars.count) } ?? false
    }
    private static func isText(_ value: JSONValue) -> Bool {
        value.string.map { $0.unicodeScalars.count <= 64 } ?? false
    }
    private static func isFlag(_ value: JSONValue) -> Bool { value.bool != nil }
    private static func isStatus(_ value: JSONValue) -> Bool { value == "enabled" || value == "disabled" }
    private static func isCommand(_ value: JSONValue) -> Bool {
        value["address"]?.string?.hasPrefix("/") == true && value["body"]?.object != nil
            && ["PUT", "POST", "DELETE"].contains(value["method"]?.string)
    }
    private static func areActions(_ value: JSONValue) -> Bool {
        value.array.map { (1...8).contains($0.count) && $0.allSatisfy(isCommand) } ?? false
    }
    private static func areConditions(_ value: JSONValue) -> Bool {
        let operators = ["eq", "gt", "lt", "dx", "ddx", "stable", "not stable", "in", "not in"]
        return value.array.map { conditions in
            (1...8).contains(conditions.count)
                && conditions.allSatisfy {
                    $0["address"]?.string?.hasPrefix("/") == true && operators.contains($0["operator"]?.string ?? "")
                }
        } ?? false
    }
}
