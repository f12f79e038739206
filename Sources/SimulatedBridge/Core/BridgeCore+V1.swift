import FoundationEssentials
import HueWire

extension BridgeCore {
    func v1(_ ask: Ask) -> Answer {
        // Clients write a slash at the end or not.
        let path = ask.path.last == "" ? Array(ask.path.dropLast()) : ask.path
        if path.count == 1, ask.method == "POST" { return pair(ask) }
        let request = FirstAPI.Request(method: ask.method, path: path, body: ask.body)
        guard affords(FirstAPI.cost(of: request)) else { return .page(429) }
        return carryOut(FirstAPI.decide(request, in: situation))
    }

    private func pair(_ ask: Ask) -> Answer {
        guard let body = try? JSONDecoder().decode(JSONValue.self, from: Data(ask.body)) else {
            return .v1(V1Error(2, address: "", "body contains invalid json"))  // said to the client
        }
        guard let name = body["devicetype"]?.string, !name.isEmpty else {
            return .v1(V1Error(5, address: "", "invalid/missing parameters in body"))
        }
        guard name.count <= 40 else {
            return .v1(V1Error(7, address: "/devicetype", "invalid value, \(name), for parameter, devicetype"))
        }
        guard quirks.contains(.noButton) || (buttonUntil.map { now() <= $0 } ?? false) else {
            return .v1(V1Error(V1Error.linkButtonNotPressed, address: "", "link button not pressed"))
        }
        pairings += 1
        let key = derive.key(name, pairings)
        keys[key] = Key(name: name, created: today())
        save()
        let wantsClientKey = body["generateclientkey"]?.bool == true
        return .json([
            PairingAnswer(
                success: .init(username: key, clientkey: wantsClientKey ? derive.clientKey(name, pairings) : nil))
        ])
    }

    func pressButton() { buttonUntil = now() + window }
}
