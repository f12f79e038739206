import Foundation
import SimulatedBridge
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Test func `a lamp is switched on`() async throws {
    try await SimulatedBridge.running { bridge, ready in
        let api = "http://\(ready.host):\(ready.httpPort)/api"
        await bridge.controls.pressButton()
        let paired = try await send("POST", api, ["devicetype": "my_app#test"])
        let key = try #require((paired.first?["success"] as? [String: Any])?["username"] as? String)
        _ = try await send("PUT", "\(api)/\(key)/lights/3/state", ["on": true])
        #expect(await bridge.controls.home.lamp(called: "Desk")?.isOn == true)
    }
}

/// Stands for the client under test.
func send(_ method: String, _ url: String, _ body: [String: Any]) async throws -> [[String: Any]] {
    var request = URLRequest(url: try #require(URL(string: url)))
    request.httpMethod = method
    request.httpBody = try JSONSerialization.data(withJSONObject: body)
    let (answer, _) = try await URLSession.shared.data(for: request)
    return try JSONSerialization.jsonObject(with: answer) as? [[String: Any]] ?? []
}
