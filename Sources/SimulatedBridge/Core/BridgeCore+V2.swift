import HueWire

extension BridgeCore {
    func clip(_ request: BridgeRequest) -> BridgeResponse {
        // As in API v1, some clients write a slash at the end.
        let path = request.path.last == "" ? Array(request.path.dropLast()) : request.path
        guard path.count >= 3, path[1] == "v2", path[2] == "resource", path.count <= 5 else {
            return .page(404)
        }
        guard isKnown(request.key) else { return .page(403) }
        let type = path.count > 3 ? path[3] : nil
        let id = path.count > 4 ? ResourceID(path[4]) : nil
        if let type, !ResourceType.served(by: home.bridge.model).contains(type) { return .notFound }
        if request.method == "GET" { return read(type, id, request.query) }
        guard let type else { return .notAllowed }
        let v2Request = V2API.Request(
            method: request.method, type: ResourceType(rawValue: type), id: id, body: request.body, key: request.key)
        guard affords(V2API.cost(of: v2Request)) else { return .page(429) }
        return carryOut(V2API.decide(v2Request, in: context))
    }

    private func read(_ type: String?, _ id: ResourceID?, _ query: String?) -> BridgeResponse {
        var types = type.map { Set([$0]) }
        if let wanted = query?.split(separator: "&").first(where: { $0.hasPrefix("type=") })?.dropFirst(5) {
            let wanted = Set(wanted.split(separator: ",").map(String.init))
            types = types.map { $0.intersection(wanted) } ?? wanted
        }
        guard let text = text(of: types, id: id?.description) else { return .notFound }
        return BridgeResponse(status: 200, type: "application/json", body: text)
    }

    func events(_ request: BridgeRequest) -> BridgeReply {
        guard request.path == ["eventstream", "clip", "v2"], request.method == "GET" else {
            return .response(.page(404))
        }
        guard isKnown(request.key) else { return .response(.page(403)) }
        guard request.accept?.contains("text/event-stream") == true else {
            return .poll(hub.poll(after: request.ifNoneMatch))
        }
        return .stream(openStream(request))
    }

    func auth(_ request: BridgeRequest) -> BridgeResponse {
        guard isKnown(request.key), let key = request.key else { return .page(403) }
        var response = BridgeResponse(status: 200, type: "application/json", body: [])
        response.headers = [("hue-application-id", derive.uuid("application", key).description)]
        return response
    }
}

extension BridgeResponse {
    static let notFound = V2Failure.notFound.response
    static let notAllowed = V2Failure.notAllowed.response
}
