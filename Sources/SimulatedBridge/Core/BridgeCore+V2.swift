import HueWire

extension BridgeCore {
    func clip(_ ask: Ask) -> Answer {
        guard ask.path.count >= 3, ask.path[1] == "v2", ask.path[2] == "resource", ask.path.count <= 5 else {
            return .page(404)
        }
        guard isKnown(ask.key) else { return .page(403) }
        let type = ask.path.count > 3 ? ask.path[3] : nil
        let id = ask.path.count > 4 ? ResourceID(ask.path[4]) : nil
        if let type, !ResourceType.served.contains(type) { return .notFound }
        switch (ask.method, type, id) {
        case ("GET", _, _): return read(type, id, ask.query)
        case let ("PUT", type?, id?):
            guard affords(Writing.cost(of: type)) else { return .page(429) }
            return carryOut(Writing(type, id, ask.body, in: situation).decision)
        default: return .notAllowed
        }
    }

    private func read(_ type: String?, _ id: ResourceID?, _ query: String?) -> Answer {
        var types = type.map { Set([$0]) }
        if let wanted = query?.split(separator: "&").first(where: { $0.hasPrefix("type=") })?.dropFirst(5) {
            let wanted = Set(wanted.split(separator: ",").map(String.init))
            types = types.map { $0.intersection(wanted) } ?? wanted
        }
        guard let text = shelf.text(types, id: id?.description) else { return .notFound }
        return Answer(status: 200, type: "application/json", body: text)
    }

    func events(_ ask: Ask) -> Reaction {
        guard ask.path == ["eventstream", "clip", "v2"], ask.method == "GET" else { return .answer(.page(404)) }
        guard isKnown(ask.key) else { return .answer(.page(403)) }
        guard ask.accept?.contains("text/event-stream") == true else {
            // The long poll of early firmware: nobody's client uses it any more.
            return .answer(.page(406))
        }
        return .stream(hub.open(after: ask.lastEventID))
    }

    func auth(_ ask: Ask) -> Answer {
        guard isKnown(ask.key), let key = ask.key else { return .page(403) }
        var answer = Answer(status: 200, type: "application/json", body: [])
        answer.headers = [("hue-application-id", derive.uuid("application", key).description)]
        return answer
    }
}

extension Answer {
    static let notFound = Self.envelope(404, errors: [HueError("Not Found", code: "client_error")])
    static let notAllowed = Self.envelope(405, errors: [HueError("Method not allowed", code: "client_error")])
}
