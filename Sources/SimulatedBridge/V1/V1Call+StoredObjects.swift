import HueWire

/// `/schedules`, `/rules` and `/resourcelinks`: stored and shown, not executed.
extension V1Call {
    func all<Object: V1StoredObject>(_ type: Object.Type) -> [(number: Int, object: Object)] {
        home.v1Objects.all { Object($0) }
    }

    func list<Object: V1StoredObject>(of type: Object.Type) -> JSONValue {
        .object(Dictionary(all(type).map { ("\($0.number)", $0.object.object.document) }) { first, _ in first })
    }

    func storedObjects<Object: V1StoredObject>(_ type: Object.Type, _ path: [String]) throws(V1Failure) -> V1Outcome {
        switch (request.method, path.count) {
        case ("GET", 0): return .document(list(of: type))
        case ("POST", 0): return try create(type)
        case (_, 0): throw notAllowed
        case let (method, 1):
            guard let stored = all(type).first(where: { "\($0.number)" == path[0] })?.object else { throw absent }
            switch method {
            case "GET": return .document(stored.object.document)
            case "PUT": return try change(stored)
            case "DELETE": return .done([.deleted(address)], [.removing(.v1Object(address))])
            default: throw notAllowed
            }
        default: throw absent
        }
    }

    private func create<Object: V1StoredObject>(_ type: Object.Type) throws(V1Failure) -> V1Outcome {
        let reader = V1BodyReader(address)
        let body = try body()
        var object = Object(owner: key, created: context.date.stampV1)
        for (name, value) in body.members {
            guard Object.writable.contains(name) else { throw reader.unknown(name) }
            try object.set(name, to: value, reader)
        }
        guard Object.required.allSatisfy({ body[$0] != nil }) else { throw V1Failure(.missing(address)) }
        try object.check(body, at: address)
        let taken = Set(all(type).map(\.number))
        guard taken.count < Object.limit else { throw V1Failure(Object.tableFull) }
        let number = (1...).first { !taken.contains($0) } ?? 0
        return .done([.success(id: "\(number)")], [.adding(.v1Object("/\(Object.kind)/\(number)", object.object))])
    }

    private func change<Object: V1StoredObject>(_ stored: Object) throws(V1Failure) -> V1Outcome {
        let reader = V1BodyReader(address)
        var changed = stored
        let items = reader.items(of: try body()) { name, value throws(V1Failure) in
            guard Object.writable.contains(name) else {
                throw stored.object.document[name] == nil ? reader.unknown(name) : reader.fixed(name)
            }
            try changed.set(name, to: value, reader)
            return value
        }
        return .done(items, changed == stored ? [] : [.replacing(.v1Object(address, by: changed.object))])
    }
}
