import FoundationEssentials
import HueWire

extension BridgeCore {
    func v1(_ request: BridgeRequest) -> BridgeResponse {
        // Clients write a slash at the end or not.
        let path = request.path.last == "" ? Array(request.path.dropLast()) : request.path
        if path.count == 1, request.method == "POST" { return pair(request) }
        let v1Request = V1API.Request(
            method: request.method, path: path, body: request.body, host: request.authority.withoutPort,
            ifNoneMatch: request.ifNoneMatch)
        if path.count > 1 { keys[path[1]]?.lastUse = today() }
        guard affords(V1API.cost(of: v1Request)) else { return tooMuch(v1Request) }
        return carryOut(V1API.decide(v1Request, in: context))
    }

    /// More commands than the radio carries. Bridges of today say so with a status and their page; the first ones said that their
    /// buffer is full, in a good answer, and deCONZ says the same in a bad one (ebaauw/hb-hue-tools waits upon all three).
    private func tooMuch(_ v1Request: V1API.Request) -> BridgeResponse {
        switch home.bridge.model {
        case .square, .pro: .page(429)
        case .round, .deconz: V1Dialect(home.bridge.model).refusal(.busy(v1Request.address))
        }
    }

    private func pair(_ request: BridgeRequest) -> BridgeResponse {
        let isOpen = isPairingOpen
        do throws(V1Failure) {
            let v1Request = try V1Pairing(request.body, to: home.bridge.model)
            guard isOpen else {
                throw V1Failure(V1Error(V1Error.linkButtonNotPressed, address: "", "link button not pressed"))
            }
            pairings += 1
            let key = v1Request.key ?? derive.key(v1Request.name, pairings)
            keys[key] = Key(name: v1Request.name, created: today())
            save()
            return .json([
                PairingAnswer(
                    success: .init(
                        username: key,
                        // For entertainment, which came with the square bridge.
                        clientkey: v1Request.wantsClientKey && home.bridge.model.hasV2
                            ? derive.clientKey(v1Request.name, pairings) : nil
                    ))
            ])
        } catch {
            return V1Dialect(home.bridge.model).refusal(error.error)
        }
    }

    func description(_ request: BridgeRequest) -> BridgeResponse {
        guard let text = home.bridge.description(at: request.authority) else { return .page(404) }
        return BridgeResponse(status: 200, type: "text/xml", body: Array(text.utf8))
    }

    func pressButton() { buttonUntil = now() + window }
}
