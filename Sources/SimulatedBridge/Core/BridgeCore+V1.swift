import FoundationEssentials
import HueWire

extension BridgeCore {
    func v1(_ ask: Ask) -> Answer {
        // Clients write a slash at the end or not.
        let path = ask.path.last == "" ? Array(ask.path.dropLast()) : ask.path
        if path.count == 1, ask.method == "POST" { return pair(ask) }
        let request = FirstAPI.Request(
            method: ask.method, path: path, body: ask.body, host: ask.authority.withoutPort,
            ifNoneMatch: ask.ifNoneMatch)
        if path.count > 1 { keys[path[1]]?.lastUse = today() }
        guard affords(FirstAPI.cost(of: request)) else { return tooMuch(request) }
        return carryOut(FirstAPI.decide(request, in: situation))
    }

    /// More commands than the radio carries. Bridges of today say so with a status and their page; the first ones said that their
    /// buffer is full, in a good answer, and deCONZ says the same in a bad one (ebaauw/hb-hue-tools waits upon all three).
    private func tooMuch(_ request: FirstAPI.Request) -> Answer {
        switch home.bridge.model {
        case .square, .pro: .page(429)
        case .round, .deconz: V1Dialect(home.bridge.model).refusal(.busy(request.address))
        }
    }

    private func pair(_ ask: Ask) -> Answer {
        let isOpen = isPairingOpen
        do throws(V1Refusal) {
            let request = try V1Pairing(ask.body, to: home.bridge.model)
            guard isOpen else {
                throw V1Refusal(V1Error(V1Error.linkButtonNotPressed, address: "", "link button not pressed"))
            }
            pairings += 1
            let key = request.key ?? derive.key(request.name, pairings)
            keys[key] = Key(name: request.name, created: today())
            save()
            return .json([
                PairingAnswer(
                    success: .init(
                        username: key,
                        // For entertainment, which came with the square bridge.
                        clientkey: request.wantsClientKey && home.bridge.model.hasV2
                            ? derive.clientKey(request.name, pairings) : nil
                    ))
            ])
        } catch {
            return V1Dialect(home.bridge.model).refusal(error.error)
        }
    }

    func description(_ ask: Ask) -> Answer {
        guard let text = home.bridge.description(at: ask.authority) else { return .page(404) }
        return Answer(status: 200, type: "text/xml", body: Array(text.utf8))
    }

    func pressButton() { buttonUntil = now() + window }
}
