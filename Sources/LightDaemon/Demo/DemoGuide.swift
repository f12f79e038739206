import ControlProtocol
import Curl
import FoundationEssentials
import Glibc
import Logging
import ServiceLifecycle
import SimulatedBridge

/// Shows a newcomer around: presses the simulated button, pairs as lightctl does, and says what to try next.
struct DemoGuide: Service {
    let bridge: SimulatedBridge
    let listening: AsyncStream<LightDaemon.Listening>
    let logger: Logger

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown { try await guide() }
        } catch  where Task.isShuttingDownGracefully {
            // Told to end in the middle of the pairing: whatever broke then, nobody waits for it.
            return
        }
        try await gracefulShutdown()
    }

    private func guide() async throws {
        for await place in listening {
            let client = HTTPClient()
            defer { client.shutdown() }
            let here = try await bridge.ready
            if try await !isPaired(here.bridgeID, client, place.socket) {
                await bridge.controls.pressButton()
                try await pair(here.bridgeID, client, place.socket)
            }
            say(here, await bridge.controls.home, place.socket)
        }
    }

    private func isPaired(_ bridge: String, _ client: HTTPClient, _ socket: String) async throws -> Bool {
        let response = try await client.send(HTTPRequest(.get, "http://lightd\(Routes.bridges)", unixSocket: socket))
        let bridges = try JSONDecoder().decode([BridgeBody].self, from: Data(response.body))
        return bridges.contains { $0.id == bridge }
    }

    private func pair(_ bridge: String, _ client: HTTPClient, _ socket: String) async throws {
        let body = Array(try JSONEncoder().encode(Command.pair(bridge: bridge)))
        let response = try await client.send(
            HTTPRequest(
                .post, "http://lightd\(Routes.messages)",
                headers: [
                    HTTPRequest.Header("Content-Type", "application/json"),
                    HTTPRequest.Header(Routes.clientHeader, "lightd --simulated"),
                ],
                body: body, unixSocket: socket, deadline: .seconds(30)))
        guard response.status == 200 else {
            throw ConfigurationError("--simulated", "pairing failed: \(String(decoding: response.body, as: UTF8.self))")
        }
    }

    private func say(_ here: SimulatedBridge.Ready, _ home: SimulatedHome, _ socket: String) {
        let rooms = home.rooms
        let room = rooms.first?.name.lowercased() ?? "all"
        let light = home.lamps.first { $0.kind == .color }?.name ?? home.lamps.first?.name ?? "all"
        let control = "http://\(here.host):\(here.controlPort)"
        let text = """

            A simulated home: \(home.lamps.count) lights in \(rooms.count) rooms. Try in another terminal:

              export LIGHTCTL_SOCKET=\(socket)
              lightctl list
              lightctl dim \(quoted("@" + room)) 40%
              lightctl set \(quoted(light)) --color orange
              lightctl turn off all --over 2s
              lightctl watch

            and while it watches, from a third one, somebody at the wall, and a lamp without mains:

              curl -X POST \(control)/lights/\(encoded(light))/switch
              curl -X POST \(control)/lights/\(encoded(light))/mains -d '{"on":false}'

            Ctrl-C ends it.

            """
        _ = Array(text.utf8).withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }

    private func quoted(_ text: String) -> String { text.contains(" ") ? "'\(text)'" : text }
    private func encoded(_ text: String) -> String { text.split(separator: " ").joined(separator: "%20") }
}
