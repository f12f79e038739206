import HueWire

extension BridgeCore {
    /// Decides a request of API v2: reads from the document cache, writes by ``V2API``.
    func v2Decision(for request: BridgeRequest, _ injector: RequestFaultInjector) -> Decision {
        let path = request.trimmedPath
        guard path.count >= 3, path[1] == "v2", path[2] == "resource", path.count <= 5 else {
            return Decision(.page(404))
        }
        guard isKnown(request.key, injector) else { return Decision(.page(403)) }
        let type = path.count > 3 ? path[3] : nil
        let id = path.count > 4 ? ResourceID(path[4]) : nil
        if let type, !ResourceType.served(by: home.bridge.model).contains(type) { return Decision(.notFound) }
        if request.method == "GET" { return Decision(read(type, id, request.query)) }
        guard let type else { return Decision(.notAllowed) }
        let v2Request = V2API.Request(
            method: request.method, type: ResourceType(rawValue: type), id: id, body: request.body, key: request.key)
        guard takeBudget(for: V2API.cost(of: v2Request)) else {
            return Decision(.page(faults.limits(at: now()).status))
        }
        return V2API.decide(v2Request, in: context(injector))
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

    /// `/auth/v1`: the id of the application that a key belongs to.
    func applicationID(_ request: BridgeRequest, _ injector: RequestFaultInjector) -> BridgeResponse {
        guard isKnown(request.key, injector), let key = request.key else { return .page(403) }
        var response = BridgeResponse(status: 200, type: "application/json", body: [])
        response.headers = [("hue-application-id", derive.uuid("application", key).description)]
        return response
    }
}

extension BridgeResponse {
    static let notFound = V2Failure.notFound.response
    static let notAllowed = V2Failure.notAllowed.response
}
