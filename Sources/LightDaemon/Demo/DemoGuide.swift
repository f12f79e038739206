import ControlProtocol
import Curl
import Executors
import FoundationEssentials
import Glibc
import ServiceLifecycle

/// Pairs the demo's home once it runs, and prints what to try next.
struct DemoGuide: Service {
    let homes: AsyncStream<DemoHome>

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown {
                for await home in homes { try await home.guide() }
            }
        } catch  where Task.isShuttingDownGracefully {
            // A shutdown during the pairing interrupts it, which is not an error.
            return
        }
        try await gracefulShutdown()
    }
}

/// A lightd and its lightsim, both listening.
struct DemoHome: Sendable {
    /// The path of lightsim.
    let program: String
    let simulator: Simulator.Ready
    /// The socket of lightd.
    let socket: String

    /// Presses the link button, pairs as lightctl does, and prints what to try next.
    func guide() async throws {
        let client = HTTPClient()
        defer { client.shutdown() }
        func get<Body: Decodable>(_ type: Body.Type, _ path: String) async throws -> Body {
            let response = try await client.send(HTTPRequest(.get, "http://lightd\(path)", unixSocket: socket))
            return try JSONDecoder().decode(Body.self, from: Data(response.body))
        }
        func bridge() async throws -> BridgeBody? {
            try await get([BridgeBody].self, Routes.bridges).first { $0.id == simulator.bridgeID }
        }

        if try await bridge() == nil { try await pair(client) }
        // A bridge paired in an earlier run connects by itself.
        while try await bridge()?.connected != true { try await QueueTimer.sleep(for: .milliseconds(50)) }
        printGuide(
            link: try await link(client),
            lights: try await get([LightBody].self, Routes.lights).filter { $0.bridge == simulator.bridgeID },
            rooms: try await get([RoomBody].self, Routes.rooms)
                .filter { $0.bridge == simulator.bridgeID && $0.kind == .room })
    }

    private func pair(_ client: HTTPClient) async throws {
        try await pressButton(client)
        _ = try await post(Routes.messages, Command.pair(bridge: simulator.bridgeID), "pairing with lightsim", client)
    }

    /// A link that signs a page in.
    private func link(_ client: HTTPClient) async throws -> LinkBody {
        let answer = try await post(Routes.links, LinkRequest(), "making a link for the page", client)
        return try JSONDecoder().decode(LinkBody.self, from: answer)
    }

    /// - Parameter what: what fails if lightd refuses it.
    private func post(
        _ path: String, _ body: some Encodable, _ what: String, _ client: HTTPClient
    ) async throws -> Data {
        let response = try await client.send(
            HTTPRequest(
                .post, "http://lightd\(path)",
                headers: [
                    HTTPRequest.Header("Content-Type", "application/json"),
                    HTTPRequest.Header(Routes.clientHeader, "lightd --simulated"),
                ],
                body: Array(try JSONEncoder().encode(body)), unixSocket: socket, deadline: .seconds(30)))
        guard (200..<300).contains(response.status) else {
            throw DemoError("\(what) failed: \(String(decoding: response.body, as: UTF8.self))")
        }
        return Data(response.body)
    }

    func pressButton(_ client: HTTPClient) async throws(DemoError) {
        do throws(CurlError) {
            _ = try await client.send(HTTPRequest(.post, "\(controlPort)/button"))
        } catch {
            throw DemoError(
                "lightsim's control port does not answer at \(controlPort) (\(error)); "
                    + "is \(program) of the same version as lightd?")
        }
    }

    private var controlPort: String { "http://\(simulator.host):\(simulator.controlPort)" }

    private func printGuide(link: LinkBody, lights: [LightBody], rooms: [RoomBody]) {
        let room = rooms.first?.name.lowercased() ?? "all"
        let light = (lights.first { $0.hue != nil } ?? lights.first)?.name ?? "all"
        let text = """

            A simulated home: \(counted(lights.count, "light")) in \(counted(rooms.count, "room")). Try in another terminal:

              export LIGHTCTL_SOCKET=\(ShellQuote.word(socket))
              lightctl list
              \(ShellQuote.line("lightctl dim", operand: "@" + room)) 40%
              \(ShellQuote.line("lightctl set --color orange", operand: light))
              lightctl turn off all --over 2s
              lightctl watch

            The page, by a link that works once, within ten minutes ('lightctl open' prints another):

              \(link.url)

            While it watches, use a wall switch and cut a lamp's power from a third terminal:

              curl -X POST \(controlPort)/lights/\(Routes.percentEncoded(light))/switch
              curl -X POST \(controlPort)/lights/\(Routes.percentEncoded(light))/mains -d '{"on":false}'

            Ctrl-C ends it.

            """
        _ = Array(text.utf8).withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}
