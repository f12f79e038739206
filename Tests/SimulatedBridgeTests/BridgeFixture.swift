import Curl
import Foundation
import HueWire
import Logging
import ServerSentEvents
import TestSupport
import Testing

@testable import SimulatedBridge

/// Tests on real sockets. They run one at a time, because they measure time and two processors are soon busy.
@Suite(.serialized) struct OnTheWire {}

let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// Runs a bridge on free ports for as long as the body takes, and no longer than half a minute.
func withBridge(
    _ home: HomeFile = .flat,
    logger: Logger = silent,
    clock: SimulationClock = .starting(),
    _ adjust: (inout Settings) -> Void = { _ in },
    _ body: @escaping @Sendable (BridgeFixture) async throws -> Void
) async throws {
    var settings = Settings(home: home)
    adjust(&settings)
    let bridge = try SimulatedBridge(settings, logger: logger, clock: clock)
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            try await bridge.run()
            throw TestError("the bridge ended before the test")
        }
        group.addTask {
            try await Task.sleep(for: .seconds(30))
            throw TestError("the test is not over after half a minute")
        }
        let fixture = BridgeFixture(bridge: bridge, ready: try await bridge.ready)
        defer { fixture.client.shutdown() }
        group.addTask { try await body(fixture) }
        // Only the body ends without an error.
        try await group.next()
        group.cancelAll()
    }
}

/// A running bridge, and a client that trusts it by its pin.
struct BridgeFixture: Sendable {
    let bridge: SimulatedBridge
    let ready: SimulatedBridge.ConnectionDetails
    let client = HTTPClient()

    var controls: BridgeControls { bridge.controls }

    func request(
        _ method: HTTPRequest.Method = .get, _ path: String, key: String? = nil, body: String? = nil,
        headers: [HTTPRequest.Header] = [], at ready: SimulatedBridge.ConnectionDetails? = nil
    ) -> HTTPRequest {
        let ready = ready ?? self.ready
        return HTTPRequest(
            method, "https://\(ready.bridgeID)\(path)",
            headers: (key.map { [HTTPRequest.Header("hue-application-key", $0)] } ?? []) + headers,
            body: body.map { Array($0.utf8) }, trust: .pinned(ready.pin),
            connectTo: HTTPRequest.Endpoint(host: ready.host, port: ready.httpsPort))
    }

    /// Sends a request over HTTPS.
    func send(_ method: HTTPRequest.Method = .get, _ path: String, key: String? = nil, body: String? = nil)
        async throws -> HTTPResponse
    {
        try await client.send(request(method, path, key: key, body: body))
    }

    /// Sends a request over plain HTTP.
    func sendPlainly(_ method: HTTPRequest.Method = .get, _ path: String, body: String? = nil) async throws
        -> HTTPResponse
    {
        try await client.send(
            HTTPRequest(method, "http://\(ready.host):\(ready.httpPort)\(path)", body: body.map { Array($0.utf8) }))
    }

    /// Sends a request to the control port.
    @discardableResult
    func control(_ method: HTTPRequest.Method, _ path: String, _ body: String? = nil) async throws -> HTTPResponse {
        try await client.send(
            HTTPRequest(method, "http://\(ready.host):\(ready.controlPort)\(path)", body: body.map { Array($0.utf8) }))
    }

    func put(_ type: String, _ id: ResourceID, _ body: String, key: String) async throws -> HTTPResponse {
        try await send(.put, "/clip/v2/resource/\(type)/\(id)", key: key, body: body)
    }

    /// Asks for a key while the button is pressed for a day of the bridge's time: if that runs many times as fast as
    /// ours, half a minute would be over before the request is there.
    func pair(_ name: String = "test#one") async throws -> String {
        try await controls.begin(Fault(.buttonPressed, .number(86_400)))
        let response = try await send(.post, "/api", body: #"{"devicetype":"\#(name)"}"#)
        await controls.end(.buttonPressed)
        return try #require(try response.pairing.success?.username, "\(response.body)")
    }

    func lamp(_ name: String) async throws -> Lamp { try #require(await controls.home.lamp(called: name)) }

    func listen(key: String, after id: String? = nil) async throws -> EventListener {
        var request = request(
            .get, "/eventstream/clip/v2", key: key, headers: [HTTPRequest.Header("Accept", "text/event-stream")])
        if let id { request.headers.append(HTTPRequest.Header("Last-Event-ID", id)) }
        request.deadline = nil
        return EventListener(try await client.stream(request))
    }
}

/// Reads an event stream.
struct EventListener {
    let head: HTTPHead
    private var pieces: AsyncThrowingStream<[UInt8], any Error>.Iterator
    private var parser = HueEventStream.parser
    private var frames: [ServerSentEvent] = []

    init(_ stream: HTTPStream) {
        head = stream.head
        pieces = stream.pieces.makeAsyncIterator()
    }

    /// What the stream sends before any event.
    mutating func greeting() async throws -> String {
        let piece = try #require(try await pieces.next())
        frames += parser.read(piece)
        return String(decoding: piece, as: UTF8.self)
    }

    /// The next frame; `nil` if the stream has ended, with or without an error.
    mutating func frame() async -> ServerSentEvent? {
        while frames.isEmpty {
            guard let piece = try? await pieces.next() else { return nil }
            frames += parser.read(piece)
        }
        return frames.removeFirst()
    }

    /// The resources in the next frame.
    mutating func news() async throws -> [JSONValue] { try #require(await frame()).resources }
}

extension ServerSentEvent {
    var containers: [JSONValue] {
        get throws { try JSONDecoder().decode([JSONValue].self, from: Data(data.utf8)) }
    }

    var resources: [JSONValue] { get throws { try containers.flatMap { $0["data"]?.array ?? [] } } }
}

extension [JSONValue] {
    /// The values as decoded from JSON, in which 100.0 is 100.
    var asRead: Self { get throws { try JSONDecoder().decode(Self.self, from: JSONEncoder().encode(self)) } }
}

extension HTTPResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
    var json: JSONValue { get throws { try JSONDecoder().decode(JSONValue.self, from: Data(body)) } }
    var pairing: PairingAnswer {
        get throws { try #require(try JSONDecoder().decode([PairingAnswer].self, from: Data(body)).first) }
    }
    var envelope: Envelope<JSONValue> {
        get throws { try JSONDecoder().decode(Envelope<JSONValue>.self, from: Data(body)) }
    }

    /// Whether this is the HTML page of a real bridge, which clients must not try to read as JSON.
    var isPage: Bool { head["content-type"] == "text/html" && text.contains("hue personal wireless lighting") }
}
