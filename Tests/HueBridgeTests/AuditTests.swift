import Curl
import Khipu
import Lighting
import TestSupport
import Testing

@testable import HueBridge
@testable import SimulatedBridge

/// What the event stream left out, and the audit finds.
struct AuditTests {
    private let clock = HandBridgeClock()

    @Test func `an audit finds that a light is out of reach, and that it is back`() async throws {
        try await withoutEvents { fixture in
            await fixture.bridge.controls.alter("Sofa", by: .cutting(.mains))
            try await audited(fixture, "the sofa is out of reach") { !Self.isInReach($0.light("Sofa")) }
            await fixture.bridge.controls.alter("Sofa", by: .powering(.up))
            try await audited(fixture, "the sofa is back") { Self.isInReach($0.light("Sofa")) }
        }
    }

    @Test func `an audit finds that a light is gone from the bridge, and reads everything`() async throws {
        try await withoutEvents { fixture in
            let connection = try #require(fixture.gateway.connection(fixture.id))
            let device = try #require(connection.home.lights[fixture.light("Fan").resourceID]?.device)
            #expect(try await connection.client.send(.delete, "device/\(device)").status == 200)
            try await audited(fixture, "the fan is gone") { $0.light("Fan") == nil && $0.lights.count == 4 }
        }
    }

    @Test(arguments: ["rooms", "lights"])
    func `what a bridge that starts has not listed yet comes back, and nobody's lamp changes meanwhile`(missing: String)
        async throws
    {
        try await withBridge { fixture in
            try await fixture.connect()
            let whole = fixture.updates.state
            func load() async { #expect(await fixture.send { fixture.gateway.lights.load($0) } == .succeeded) }
            func lit() async -> [String] {
                await fixture.bridge.controls.home.lamps.filter { $0.lightState.isOn }.map(\.name).sorted()
            }
            for light in whole.lights.keys { _ = await fixture.turn(.off, .light(light)) }
            await fixture.bridge.controls.begin(try Fault("half-booted:\(missing)"))
            await load()
            let half = fixture.updates.state
            if missing == "rooms" {
                #expect(half.rooms.isEmpty && half.scenes.isEmpty && half.lights.count == whole.lights.count)
            } else {
                #expect(half.rooms.count == whole.rooms.count && half.lights.count == 3)
            }
            let known = half.lights.values
            let states = known.map { DesiredState($0.id, power: .on) }
            #expect(await fixture.send { fixture.gateway.lights.set(states, .usual, .test, $0) } == .succeeded)
            #expect(await lit() == known.map(\.name).sorted())

            await fixture.bridge.controls.end(FaultKind.halfBooted)
            await load()
            let back = fixture.updates.state
            #expect(Set(back.lights.keys) == Set(whole.lights.keys))
            #expect(back.rooms == whole.rooms && back.scenes == whole.scenes)
            #expect(await fixture.turn(.off, .all) == .succeeded)
            #expect(await lit() == [])
        }
    }

    /// Puts lamps into a room as another app does, which no event reports.
    private func fill(_ room: String, with lamps: [String], _ fixture: BridgeFixture) async throws {
        let connection = try #require(fixture.gateway.connection(fixture.id))
        let devices = lamps.compactMap { connection.home.lights[fixture.light($0).resourceID]?.device }
        let children = devices.map { #"{"rid":"\#($0)","rtype":"device"}"# }.joined(separator: ",")
        let answer = try await connection.client.send(
            .put, "room/\(fixture.room(room).resourceID)", body: Array(#"{"children":[\#(children)]}"#.utf8))
        #expect(answer.status == 200)
    }

    @Test func `a lamp that has come into a room unreported does not change with a command to the others`() async throws
    {
        try await withoutEvents { fixture in
            _ = await fixture.turn(.on, .light(fixture.light("Fan")))
            try await fill("Kitchen", with: ["Stove", "Counter", "Fan"], fixture)
            let both = [fixture.light("Stove"), fixture.light("Counter")].map { DesiredState($0, power: .off) }
            #expect(await fixture.send { fixture.gateway.lights.set(both, .usual, .test, $0) } == .succeeded)
            let lit = await fixture.bridge.controls.home.lamps.filter { $0.lightState.isOn }.map(\.name)
            #expect(lit == ["Fan"])
        }
    }

    @Test func `a lamp that has come into a room unreported stays there when another one is added`() async throws {
        try await withoutEvents { fixture in
            try await fill("Kitchen", with: ["Stove", "Counter", "Fan"], fixture)
            async let added = ask { fixture.gateway.rooms.add([fixture.light("Desk")], fixture.room("Kitchen"), $0) }
            try await until("the desk is in the kitchen") {
                let home = await fixture.bridge.controls.home
                return home.groups.first { $0.name == "Kitchen" }.map { home.lamps(of: $0).count } == 4
            }
            // Everything is read two seconds after the bridge's answer, whenever that comes.
            try await until("the gateway waits for the report") {
                clock.alarms.contains { $0 == AwaitedReports.patience }
            }
            clock.wind(by: AwaitedReports.patience)
            #expect(await added == .succeeded)
            let kitchen = fixture.updates.state.rooms.first { $0.name == "Kitchen" }
            #expect(Set(kitchen?.lights ?? []) == Set(["Stove", "Counter", "Fan", "Desk"].map(fixture.light)))
        }
    }

    @Test func `an audit finds rooms, scenes and names that the stream left out`() async throws {
        try await withoutEvents { fixture in
            try await fill("Kitchen", with: ["Stove", "Fan"], fixture)
            let connection = try #require(fixture.gateway.connection(fixture.id))
            let device = try #require(connection.home.lights[fixture.light("Sofa").resourceID]?.device)
            let name = Array(#"{"metadata":{"name":"Couch"}}"#.utf8)
            #expect(try await connection.client.send(.put, "device/\(device)", body: name).status == 200)
            try await audited(fixture, "the kitchen's lamps, and the sofa's name") { state in
                let kitchen = state.rooms.first { $0.name == "Kitchen" }?.lights
                return kitchen.map(Set.init) == [fixture.light("Stove"), fixture.light("Fan")]
                    && state.light("Couch") != nil
            }
        }
    }

    /// A bridge collects a second's events: of what somebody makes of a lamp, and a step right after it, it reports the
    /// step. A step that had to wait for the answer to the one before follows that at once.
    @Test(arguments: [true, false], [true, false])
    func `a step of what a lamp follows leaves the lamp to whoever has changed it just before`(
        isTouched: Bool, isOtherJustAnswered: Bool
    ) async throws {
        try await withoutEvents { fixture in
            let desk = fixture.light("Desk")
            func step(to level: Double) async -> Outcome {
                await fixture.send { reply in
                    fixture.gateway.lights.set(
                        [DesiredState(desk, .bri(level))], .milliseconds(2000), Ticket.test.followUpStep, reply)
                }
            }
            #expect(await fixture.turn(.on, .light(desk)) == .succeeded)
            clock.wind(by: .seconds(2))
            try await fixture.updates.wait("it was read, as no event came") { $0.lights[desk]?.power == .on }
            clock.wind(by: .seconds(3))
            if isOtherJustAnswered {
                #expect(await step(to: 0.2) == .succeeded)
                clock.wind(by: .milliseconds(10))
            }
            if isTouched {
                // On the way of no step.
                await fixture.bridge.controls.alter("Desk", by: .turning(.it(on: true)), .setting(.level(to: 20)))
            }
            #expect((await step(to: 0.3) == .succeeded) != isTouched)
            let sent = await fixture.bridge.controls.requests.filter { $0.path.hasSuffix("\(desk.resourceID)") }
            #expect(sent.suffix(isTouched ? 1 : 2).map(\.method) == (isTouched ? ["GET"] : ["GET", "PUT"]))
        }
    }

    @Test(arguments: [true, false])
    func `a command that could not be sent in time leaves the lamp to whoever has changed it meanwhile`(isTouched: Bool)
        async throws
    {
        try await withoutEvents({
            $0.lightsPerSecond = 1
            $0.commandDeadline = .milliseconds(500)
        }) { fixture in
            let (fan, desk) = (fixture.light("Fan"), fixture.light("Desk"))
            // From now on the clock is the test's alone.
            clock.wind(by: .zero)
            #expect(await fixture.turn(.on, .light(fan)) == .succeeded)
            // It waits for the second in which the fan was spoken to.
            let (answers, answer) = AsyncStream<Outcome>.makeStream()
            fixture.gateway.lights.set(
                [DesiredState(desk, power: .on, .bri(0.3))], .milliseconds(0), .test
            ) { answer.yield($0) }
            clock.wind(by: .milliseconds(600))
            guard case .failed(.unconfirmed)? = await answers.first(where: { _ in true }) else {
                Issue.record("it is answered, and not as late")
                return
            }
            if isTouched {
                await fixture.bridge.controls.alter("Desk", by: .turning(.it(on: true)), .setting(.level(to: 200)))
            }
            clock.wind(by: .milliseconds(500))
            let connection = try #require(fixture.gateway.connection(fixture.id))
            try await until("it is sent or dropped") {
                // A read that is not answered, because the machine is busy, is repeated later.
                clock.wind(by: .milliseconds(50))
                return connection.parts.withLock { parts in
                    parts.queue.scheduler.waiting.isEmpty && parts.queue.scheduler.inFlightRequests.isEmpty
                }
            }
            let sent = await fixture.bridge.controls.requests.filter { $0.path.hasSuffix("\(desk.resourceID)") }
            #expect(sent.first?.method == "GET" && sent.count { $0.method == "PUT" } == (isTouched ? 0 : 1))
        }
    }

    private static func isInReach(_ light: Light?) -> Bool {
        if case .unreachable? = light?.freshness { false } else { true }
    }

    /// Runs a connected bridge whose stream reports no event.
    private func withoutEvents(
        _ adjust: (inout GatewaySettings) -> Void = { _ in },
        _ body: @escaping @Sendable (BridgeFixture) async throws -> Void
    ) async throws {
        let clock = clock
        try await withBridge(gateway: {
            $0.run(on: clock)
            $0.timeouts.audit = .seconds(25)
            adjust(&$0)
        }) { fixture in
            try await fixture.connect()
            await fixture.bridge.controls.begin(try Fault(.loseEvents))
            try await body(fixture)
        }
    }

    private func audited(
        _ fixture: BridgeFixture, _ what: String, until condition: @escaping @Sendable (UpdateCollector.State) -> Bool
    ) async throws {
        try await until(what) {
            clock.wind(by: .seconds(25))
            return condition(fixture.updates.state)
        }
    }
}
