import HueWire

extension BridgeCore {
    func clip(_ ask: Ask) -> Answer {
        // As in API v1, some clients write a slash at the end.
        let path = ask.path.last == "" ? Array(ask.path.dropLast()) : ask.path
        guard path.count >= 3, path[1] == "v2", path[2] == "resource", path.count <= 5 else {
            return .page(404)
        }
        guard isKnown(ask.key) else { return .page(403) }
        let type = path.count > 3 ? path[3] : nil
        let id = path.count > 4 ? ResourceID(path[4]) : nil
        if let type, !ResourceType.served(by: home.bridge.model).contains(type) { return .notFound }
        if ask.method == "GET" { return read(type, id, ask.query) }
        guard let type else { return .notAllowed }
        let request = ClipAPI.Request(
            method: ask.method, type: ResourceType(rawValue: type), id: id, body: ask.body, key: ask.key)
        guard affords(ClipAPI.cost(of: request)) else { return .page(429) }
        return carryOut(ClipAPI.decide(request, in: situation))
    }

    private func read(_ type: String?, _ id: ResourceID?, _ query: String?) -> Answer {
        var types = type.map { Set([$0]) }
        if let wanted = query?.split(separator: "&").first(where: { $0.hasPrefix("type=") })?.dropFirst(5) {
            let wanted = Set(wanted.split(separator: ",").map(String.init))
            types = types.map { $0.intersection(wanted) } ?? wanted
        }
        guard let text = text(of: types, id: id?.description) else { return .notFound }
        return Answer(status: 200, type: "application/json", body: text)
    }

    func events(_ ask: Ask) -> Reaction {
        guard ask.path == ["eventstream", "clip", "v2"], ask.method == "GET" else { return .answer(.page(404)) }
        guard isKnown(ask.key) else { return .answer(.page(403)) }
        guard ask.accept?.contains("text/event-stream") == true else {
            return .poll(hub.poll(after: ask.ifNoneMatch))
        }
        return .stream(openStream(ask))
    }

    func auth(_ ask: Ask) -> Answer {
        guard isKnown(ask.key), let key = ask.key else { return .page(403) }
        var answer = Answer(status: 200, type: "application/json", body: [])
        answer.headers = [("hue-application-id", derive.uuid("application", key).description)]
        return answer
    }
}

extension Answer {
    static let notFound = Refusal.notFound.answer
    static let notAllowed = Refusal.notAllowed.answer
}
