import HueWire
import Khipu
import Lighting
import ServerSentEvents
import SimulatedBridge
import Synchronization
import TestSupport
import Testing

@testable import HueBridge

/// The supervisor with a simulated bridge over real TLS: quiet, silent and refused streams. The gateway's clock is
/// manual.
@Suite(.timeLimit(.minutes(5)))
struct ConnectionSupervisorTests {
    private let clock = HandBridgeClock()

    /// The bridge sends its events after a tenth of the usual second.
    private func withBridge(_ body: @escaping @Sendable (BridgeFixture) async throws -> Void) async throws {
        let clock = clock
        try await HueBridgeTests.withBridge(
            .flat, { $0.timeScale = 10 },
            gateway: {
                $0.clock = clock.clock
                // Winding the clock times out no request that is in flight.
                $0.commandDeadline = .seconds(600)
            }, body)
    }

    @Test func `a quiet bridge is probed again and again, and never lost`() async throws {
        try await withBridge { fixture in
            try await fixture.connect()
            for count in 1...4 {
                clock.wind(by: .seconds(20))
                // A probe waits its turn among the requests, which are paced by this clock, too.
                try await fixture.bridge.isProbed(count) { clock.wind(by: .milliseconds(10)) }
                // When this event arrives, the probe's event has arrived too.
                let isOn = count % 2 == 1
                await fixture.bridge.controls.alter("Desk", by: .turning(.it(on: isOn)))
                try await fixture.updates.wait("the desk") { $0.light("Desk")?.power == (isOn ? .on : .off) }
            }
            #expect(fixture.updates.state.lost == nil)
            #expect(fixture.updates.state.updateMode == .stream)
        }
    }

    @Test func `the first probe of a new process changes the name that the last one has left on the bridge`()
        async throws
    {
        try await withBridge { fixture in
            let pairing = try await fixture.connect()
            for expected in ["lightd test.", "lightd test", "lightd test."] {
                // A new client stands for a new process.
                let client = BridgeClient(pairing, settings: Live(.patient), logger: silent)
                #expect(try await GeofenceClient(client, instance: "test").rename())
                client.shutdown()
                let names = await fixture.bridge.controls.home.documents.filter { $0["type"] == "geofence_client" }
                    .compactMap { $0["name"]?.string }
                #expect(names.filter { $0.hasPrefix("lightd test") } == [expected])
            }
            // The client of a host whose name only begins like ours is left alone.
            let client = BridgeClient(pairing, settings: Live(.patient), logger: silent)
            defer { client.shutdown() }
            #expect(try await GeofenceClient(client, instance: "tes").rename())
            let names = await fixture.bridge.controls.home.documents.compactMap { $0["name"]?.string }
            #expect(names.contains("lightd test.") && names.contains("lightd tes."))
        }
    }

    @Test func `a flood is read no further than it is taken in; commands go on meanwhile`() async throws {
        let (gate, clock) = (Gate(), clock)
        // By a clock that stands still, however long the commands take: a stream from which nothing is read would count as
        // silent.
        try await HueBridgeTests.withBridge(
            .flat,
            gateway: {
                $0.clock = clock.clock
                $0.lightsPerSecond = 1000
            }, untilTakenIn: gate.pass
        ) { fixture in
            try await fixture.connect()
            // From now on, however slow the machine is.
            clock.wind(by: .zero)
            let lamps = await fixture.bridge.controls.home.lamps
            let name = try #require(lamps.map(\.name).first { fixture.updates.state.light($0)?.limits.dims == true })
            let other = try #require(lamps.last?.name)
            #expect(name != other)
            let flooded = fixture.light(name)
            gate.close()
            await fixture.bridge.controls.begin(try Fault(.eventFlood, 40))
            await gate.untilSomebodyWaits()
            let told = fixture.updates.state.lightReports[flooded] ?? 0
            // Meanwhile frames come. The client would hold them for a minute and a half.
            for number in 0..<6 {
                #expect(
                    await fixture.turn(number.isMultiple(of: 2) ? .on : .off, .light(fixture.light(other)))
                        == .succeeded)
            }
            #expect(fixture.updates.state.lightReports[flooded] ?? 0 == told)
            // A piece is 16 KiB at most, and a frame is longer than 160 bytes.
            #expect(told <= 100)
            gate.open()
            try await fixture.updates.wait("the flood is read on") {
                $0.lightReports[flooded, default: 0] > told + 20
            }
            #expect(fixture.updates.state.lost == nil)
        }
    }

    @Test func `a silent stream is detected even without commands, and the next one is followed`()
        async throws
    {
        try await withBridge { fixture in
            try await fixture.connect()
            await fixture.bridge.controls.silenceStreams()
            await fixture.bridge.controls.alter("Desk", by: .turning(.it(on: true)))
            try await fallSilent(fixture)
            await fixture.bridge.controls.end(.silentStream)
            // On a busy machine it has tried again in the meantime, and rests for longer, or is polled first.
            try await fixture.wind(clock, "the desk is on, and followed") {
                $0.isConnected && $0.light("Desk")?.power == .on && $0.updateMode == .stream
            }
        }
    }

    @Test
    func `after a silent stream, one that sends only its greeting is replaced by polling until one sends an event`()
        async throws
    {
        try await withBridge { fixture in
            try await fixture.connect()
            await fixture.bridge.controls.silenceStreams()
            // A command without an event starts a probe of the stream.
            #expect(await fixture.turn(.on, .light(fixture.light("Desk"))) == .succeeded)
            try await fallSilent(fixture)
            clock.wind(by: .seconds(1))
            try await fixture.bridge.isProbed(2)
            try await fixture.wind(clock, "polled") { $0.updateMode == .polling(every: .seconds(5)) }
            await fixture.bridge.controls.alter("Fan", by: .turning(.it(on: true)))
            clock.wind(by: .seconds(5))
            try await fixture.updates.wait("the fan is on") { $0.light("Fan")?.power == .on }
            await fixture.bridge.controls.end(.silentStream)
            try await fixture.wind(clock, "followed") { $0.updateMode == .stream }
        }
    }

    @Test func `a bridge that refuses its event stream is polled until it accepts one`()
        async throws
    {
        try await withBridge { fixture in
            let pairing = try await fixture.pair()
            await fixture.bridge.controls.begin(try Fault("events-429"))
            fixture.gateway.bridges.connect(pairing)
            try await fixture.updates.wait("polled") { $0.updateMode == .polling(every: .seconds(5)) }
            // Commands work, and changes by others are seen.
            #expect(await fixture.turn(.on, .light(fixture.light("Desk"))) == .succeeded)
            await fixture.bridge.controls.alter("Fan", by: .turning(.it(on: true)))
            try await fixture.wind(clock, "the fan is on") {
                $0.light("Fan")?.power == .on && $0.light("Desk")?.power == .on
            }
            await fixture.bridge.controls.end()
            // Whatever the result of the present attempt, the next finds a stream that sends events.
            try await fixture.wind(clock, by: .seconds(30), pausing: .seconds(2), "followed") {
                $0.updateMode == .stream
            }
        }
    }

    /// Winds the clock past the silence and past the time limit of the probe, which begins with the bridge's answer.
    private func fallSilent(_ fixture: BridgeFixture) async throws {
        clock.wind(by: .seconds(20))
        try await fixture.bridge.isProbed(1)
        try await fixture.wind(clock, "the silence is detected") { $0.lost?.contains("silent") == true }
    }

    @Test func `events are held until they are released, and then passed on at once`() {
        let frames = ["one", "two", "three"].map { ServerSentEvent(id: $0, data: "[]") }
        var buffer = EventBuffer()
        #expect(buffer.take(frames[0]) == [] && buffer.take(frames[1]) == [])
        #expect(buffer.release().map(\.id) == ["one", "two"])
        #expect(buffer.take(frames[2])?.map(\.id) == ["three"])
    }

    @Test func `the events that are held have as many bytes as one event may have`() {
        var buffer = EventBuffer()
        let half = ServerSentEvent(data: String(repeating: "x", count: EventBuffer.largest / 2))
        #expect(buffer.take(half) == [] && buffer.take(half) == [])
        #expect(buffer.take(ServerSentEvent(data: "x")) == nil)
    }

    @Test func `no more events are held than a bridge sends while everything is fetched`() {
        var buffer = EventBuffer()
        let frame = ServerSentEvent(data: "[]")
        #expect((0..<EventBuffer.capacity).allSatisfy { _ in buffer.take(frame) == [] })
        #expect(buffer.take(frame) == nil)
    }
}

extension BridgeFixture {
    /// Winds the clock step by step until the state is as expected.
    func wind(
        _ clock: HandBridgeClock, by step: Duration = .seconds(1), pausing pause: Duration = .milliseconds(30),
        _ what: String, until: @escaping @Sendable (UpdateCollector.State) -> Bool
    ) async throws {
        for _ in 1...500 {
            clock.wind(by: step)
            do {
                return try await updates.wait(what, within: pause, until: until)
            } catch is NotInTime {}
        }
        try await updates.wait(what, within: .zero, until: until)
    }
}

extension UpdateCollector.State {
    /// How changes arrive; `nil` while the bridge is lost.
    var updateMode: Bridge.UpdateMode? {
        guard case let .connected(_, by: mode)? = events.last(where: { !$0.isSeen }) else { return nil }
        return mode
    }
}

extension SimulatedBridge {
    /// Waits until our geofence client was renamed this many times.
    ///
    /// - Parameter meanwhile: is done as often as is looked for it.
    fileprivate func isProbed(_ count: Int, _ meanwhile: () -> Void = {}) async throws {
        try await until("probe \(count)") {
            meanwhile()
            return await controls.requests.count { $0.method == "PUT" && $0.path.contains("geofence") } >= count
        }
    }
}

/// Holds those who come while it is closed, until it is opened or they are cancelled.
private final class Gate: Sendable {
    private let held = Mutex<[AsyncStream<Never>.Continuation]?>(nil)
    private let (arrivals, arrival) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    @Sendable func pass() async {
        let (opening, end) = AsyncStream<Never>.makeStream()
        let isOpen = held.withLock { held in
            held?.append(end)
            return held == nil
        }
        guard !isOpen else { return }
        arrival.yield()
        for await _ in opening {}
    }

    func close() { held.withLock { $0 = [] } }

    func open() {
        let all = held.withLock { held in
            defer { held = nil }
            return held ?? []
        }
        for one in all { one.finish() }
    }

    func untilSomebodyWaits() async { for await _ in arrivals { return } }
}
