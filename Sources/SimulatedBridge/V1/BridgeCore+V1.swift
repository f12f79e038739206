import FoundationEssentials
import HueWire

extension BridgeCore {
    /// Decides a request of API v1 by ``V1API``; pairing is decided here.
    func v1Decision(for request: BridgeRequest, _ injector: RequestFaultInjector) -> Decision {
        let path = request.trimmedPath
        if path.count == 1, request.method == "POST" { return Decision(pair(request)) }
        let v1Request = V1API.Request(
            method: request.method, path: path, body: request.body, host: request.authority.withoutPort,
            ifNoneMatch: request.ifNoneMatch)
        if path.count > 1 { keys[path[1]]?.lastUse = today() }
        guard takeBudget(for: V1API.cost(of: v1Request)) else { return Decision(tooManyCommands(v1Request)) }
        return V1API.decide(v1Request, in: context(injector))
    }

    /// The response to a command beyond the budget of the radio. Today's bridges answer with a status and a page, the
    /// first ones with a 200 and an error in the body, deCONZ with that error and a status (ebaauw/hb-hue-tools waits
    /// on all three).
    private func tooManyCommands(_ v1Request: V1API.Request) -> BridgeResponse {
        switch home.bridge.model {
        case .square, .pro: .page(faults.limits(at: now()).status)
        case .round, .deconz: V1Dialect(home.bridge.model).failure(.busy(v1Request.address))
        }
    }

    private func pair(_ request: BridgeRequest) -> BridgeResponse {
        let isOpen = isPairingOpen
        do throws(V1Failure) {
            let pairing = try V1Pairing(request.body, to: home.bridge.model)
            guard isOpen else {
                throw V1Failure(V1Error(V1Error.linkButtonNotPressed, address: "", "link button not pressed"))
            }
            pairings += 1
            let key = pairing.key ?? derive.key(pairing.name, pairings)
            keys[key] = Key(name: pairing.name, created: today())
            save()
            return .json([
                PairingAnswer(
                    success: .init(
                        username: key,
                        // For entertainment, which came with the square bridge.
                        clientkey: pairing.wantsClientKey && home.bridge.model.hasV2
                            ? derive.clientKey(pairing.name, pairings) : nil
                    ))
            ])
        } catch {
            return V1Dialect(home.bridge.model).failure(error.error)
        }
    }

    private var isPairingOpen: Bool {
        if lasting(.noButton) != nil { return true }
        if let pressed = faults.lasting(.buttonPressed, at: now()),
            now() <= pressed.since + .seconds(pressed.fault.number)
        {
            return true
        }
        return buttonUntil.map { now() <= $0 } ?? false
    }

    func description(for request: BridgeRequest) -> BridgeResponse {
        guard let text = home.bridge.description(at: request.authority) else { return .page(404) }
        return BridgeResponse(status: 200, type: "text/xml", body: Array(text.utf8))
    }
}
