import Curl
import Foundation
import HueWire
import Khipu
import Lighting
import SimulatedBridge
import TestSupport
import Testing

@testable import HueBridge

/// The gateway against a simulated bridge, over real TLS.
@Suite(.timeLimit(.minutes(5)))
struct GatewayTests {
    @Test func `pairing gets a key over a connection pinned to the public key that was seen`() async throws {
        try await withBridge { fixture in
            let pairing = try await fixture.pair()
            #expect(pairing.bridge.id == fixture.id)
            #expect(pairing.bridge.name == "Flat")
            #expect(pairing.trust == .pinned(fixture.ready.pin))
            #expect(pairing.key.revealed.count == 40)
            #expect(pairing.clientKey?.revealed.count == 32)
        }
    }

    @Test func `pairing waits for the button, and fails if nobody presses it in time`() async throws {
        let clock = HandBridgeClock()
        try await withBridge(gateway: { $0.clock = clock.clock }) { fixture in
            async let result = ask { fixture.gateway.bridges.pair(fixture.id, .seconds(1), $0) }
            #expect(await result == .failure(.buttonNotPressed(on: fixture.id)))
            async let later = ask { fixture.gateway.bridges.pair(fixture.id, .seconds(1000), $0) }
            try await until("pairing has asked several times") {
                clock.wind(by: .seconds(1))
                return await fixture.bridge.controls.requests.count { $0.path == "/api" } >= 3
            }
            await fixture.bridge.controls.pressButton()
            // Pairing may pause until its next attempt.
            let end = await fixture.bridge.controls.requests.count
            try await until("pairing has asked once more") {
                clock.wind(by: .seconds(1))
                return await fixture.bridge.controls.requests.count > end
            }
            #expect(try await later.get().bridge.id == fixture.id)
        }
    }

    @Test func `pairing with an unknown name or id fails with the bridges found`()
        async throws
    {
        try await withBridge { fixture in
            // The same address is then configured and the last known one.
            try await fixture.connect()
            func failure(_ wanted: String) async -> Failure? {
                let result = await ask { fixture.gateway.bridges.pair(Bridge.ID(wanted), .seconds(1), $0) }
                if case let .failure(failure) = result { return failure }
                return nil
            }
            #expect(await failure("nope") == .noBridgeCalled("nope", found: ["Flat (\(fixture.id))"]))
            guard case let .unreachable(id, because: cause)? = await failure("ecb5fafffe999999") else {
                Issue.record("an unknown id is not unreachable")
                return
            }
            #expect(id == Bridge.ID("ecb5fafffe999999"))
            #expect(cause == "it was not found, but Flat (\(fixture.id))")
        }
    }

    @Test func `a port at which a bridge was never seen is not called its last known address`() async throws {
        try await withBridge { fixture in
            try await fixture.connect()
            let found = await ask { fixture.gateway.bridges.discover(.seconds(1), $0) }
            let attempts = found.flatMap(\.attempts).filter { $0.way == .lastKnown }
            let guesses = attempts.filter { !$0.succeeded }
            #expect(attempts.contains(where: \.succeeded) && !guesses.isEmpty)
            #expect(guesses.allSatisfy { $0.asked.hasSuffix(", a bridge's usual port") }, "\(guesses)")
            #expect(attempts.filter(\.succeeded).allSatisfy { !$0.asked.contains("usual") })
        }
    }

    @Test func `a connected home is reported completely, and every command reaches its lamp`() async throws {
        try await withBridge { fixture in
            try await fixture.connect()
            let (lights, updates) = (fixture.gateway.lights, fixture.updates)
            #expect(updates.state.lights.count == 5)
            let (desk, living) = (fixture.light("Desk"), fixture.room("Living"))

            #expect(await fixture.turn(.on, .light(desk)) == .succeeded)
            try await updates.wait("desk on") { $0.light("Desk")?.power == .on }

            let order = DesiredState(desk, .hsb(0.1, 1, 0.5))
            #expect(await fixture.send { lights.set([order], .milliseconds(200), .test, $0) } == .succeeded)
            try await updates.wait("desk orange") { state in
                guard let desk = state.light("Desk") else { return false }
                return desk.selectedMode == .hsb && abs(desk.hue - 0.1) < 0.001 && abs(desk.brightness - 0.5) < 0.01
            }

            #expect(await fixture.turn(.on, .room(living)) == .succeeded)
            try await updates.wait("living on") { state in
                ["Desk", "Sofa", "Fan"].allSatisfy { state.light($0)?.power == .on }
            }

            let evening = try #require(updates.state.scenes.first { $0.name == "Evening" }?.id)
            #expect(await fixture.send { lights.recall(RecalledScene(evening), .usual, .test, $0) } == .succeeded)
            try await updates.wait("evening") {
                $0.light("Fan")?.power == .off && $0.light("Sofa")?.temperature == 447.mirek
            }

            #expect(await fixture.send { lights.rename(.light(desk), "Table", $0) } == .succeeded)
            #expect(await fixture.send { lights.rename(.room(living), "Salon", $0) } == .succeeded)
            try await updates.wait("names") { state in
                state.light("Table") != nil && state.rooms.contains { $0.name == "Salon" }
            }

            #expect(await fixture.turn(.off, .all) == .succeeded)
            try await updates.wait("dark") { $0.lights.values.allSatisfy { $0.power == .off } }
        }
    }

    @Test func `commands that cross a GOAWAY of the bridge are carried out, each once`() async throws {
        try await withBridge { fixture in
            try await fixture.connect()
            let lamps = ["Desk", "Sofa", "Stove"].map { fixture.light($0) }
            await fixture.bridge.controls.begin(try Fault("goaway:4"))
            await fixture.bridge.controls.forgetRequests()
            // Three at a time: when one gets the GOAWAY, others are on their way.
            await withTaskGroup(of: Void.self) { group in
                for lamp in lamps {
                    group.addTask {
                        for number in 0..<20 {
                            let outcome = await fixture.send {
                                fixture.gateway.lights.rename(.light(lamp), "Lamp \(number)", $0)
                            }
                            #expect(outcome == .succeeded)
                        }
                    }
                }
            }
            #expect(
                await fixture.bridge.controls.requests.count { $0.method == "PUT" && $0.path.contains("/device/") }
                    == 60)
        }
    }

    @Test func `a room gets one group command, its lamps get no single commands, and only its members are read before`()
        async throws
    {
        // A clock that stands still: on a slow machine, confirmations that come late would be asked for.
        try await withBridge(gateway: { $0.run(on: HandBridgeClock()) }) { fixture in
            try await fixture.connect()
            await fixture.bridge.controls.forgetRequests()
            let lights = fixture.lights(of: .room(fixture.room("Kitchen")))
            _ = await fixture.send {
                fixture.gateway.lights.set(
                    lights.map { DesiredState($0, power: .on, .bri(0.4)) }, .usual,
                    .test, $0)
            }
            try await fixture.updates.wait("the kitchen") { state in
                lights.allSatisfy { abs((state.lights[$0]?.brightness ?? 0) - 0.4) < 0.01 }
            }
            let requests = await fixture.bridge.controls.requests
            #expect(requests.map(\.method) == ["GET", "PUT"])
            #expect(requests.first?.path.contains("/resource/room/") == true)
            #expect(requests.last?.path.contains("/grouped_light/") == true)
        }
    }

    @Test func `a scene's values are known as soon as its recall is answered, before the event`() async throws {
        // With the usual limits: a second change within a second is reported late.
        try await withBridge(.flat, { ($0.quirks, $0.timeScale) = ([.groupsPerSecond(10)], 1) }) { fixture in
            try await fixture.connect()
            let lights = fixture.gateway.lights
            _ = await fixture.turn(.on, .all)
            let evening = try #require(fixture.updates.state.scenes.first { $0.name == "Evening" }?.id)
            #expect(await fixture.send { lights.recall(RecalledScene(evening), .usual, .test, $0) } == .succeeded)
            #expect(fixture.updates.state.light("Fan")?.power == .off)
            #expect(abs((fixture.updates.state.light("Desk")?.brightness ?? 0) - 0.4) < 0.01)
        }
    }

    @Test func `changes by others arrive through the event stream`() async throws {
        try await withBridge { fixture in
            try await fixture.connect()
            await fixture.bridge.controls.alter("Fan", by: .turning(.it(on: true)))
            try await fixture.updates.wait("fan on") { $0.light("Fan")?.power == .on }
        }
    }

    @Test
    func
        `a lamp without mains is unreachable, its command fails in the home's names, and it is read when it returns`()
        async throws
    {
        try await withBridge { fixture in
            try await fixture.connect()
            await fixture.bridge.controls.alter("Sofa", by: .cutting(.mains))
            try await fixture.updates.wait("sofa unreachable") { $0.light("Sofa")?.freshness.isUnreachable == true }
            let sofa = fixture.light("Sofa")
            let outcome = await fixture.turn(.on, .light(sofa))
            guard case let .failed(.unconfirmed(by: bridge, words)) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(bridge == fixture.id)
            #expect(words.text == "'Sofa' has communication issues, the command may not have effect")
            #expect(words.raw?.contains("\(sofa.resource) has communication issues, command (.on.on)") == true)
            // It is kept all the same, and that is nobody's doing.
            try await fixture.updates.wait("what is kept") {
                $0.light("Sofa")?.known.kept == LightPatch(power: .on)
            }
            #expect(fixture.updates.state.light("Sofa")?.freshness.isUnreachable == true)
            // The other lamps of the group obey: the command is partly done, and the outcome names the lamp that did
            // not.
            let living = fixture.room("Living")
            let group = await fixture.turn(.on, .room(living))
            guard case let .failed(.partly(parts, of: 3)) = group else {
                Issue.record("\(group)")
                return
            }
            #expect(parts.map(\.target) == [.light(sofa)])
            #expect(
                parts.first?.failure
                    == .unconfirmed(
                        by: fixture.id,
                        words: BridgeWords(
                            "a light of 'Living' has communication issues, the command may not have effect",
                            raw: parts.first?.failure.rawWords)))
            #expect(parts.first?.failure.rawWords?.contains("device (grouped_light)") == true)
            await fixture.bridge.controls.alter("Sofa", by: .powering(.up))
            try await fixture.updates.wait("sofa back as it powered up") { state in
                guard let sofa = state.light("Sofa"), !sofa.freshness.isUnreachable, sofa.known.kept == nil else {
                    return false
                }
                return sofa.power == .on && sofa.temperature == 366.mirek && sofa.brightness == 1
            }
        }
    }

    @Test func `a read that is answered after the bridge was lost confirms no light of it`() async throws {
        try await withBridge { fixture in
            try await fixture.connect()
            let connection = try #require(fixture.gateway.connection(fixture.id))
            // The answer says what no event has reported, and is still on its way when the bridge is lost.
            await fixture.bridge.controls.silenceStreams()
            await fixture.bridge.controls.alter("Desk", by: .turning(.it(on: true)))
            let (asked, losses) = (connection.elapsed, connection.losses)
            let answer = try await connection.client.fetch(.lights)
            connection.markLost(.unreachable(fixture.id, because: "a test"))
            #expect(throws: Failure.self) { try connection.take(read: answer, askedAt: asked, since: losses) }
            connection.load(answer, askedAt: connection.elapsed, since: losses)
            #expect(fixture.updates.state.light("Desk")?.power == .off)
        }
    }

    @Test func `of two lamps that are read to confirm a command, nothing is said of one before its own answer`()
        async throws
    {
        let clock = HandBridgeClock()
        try await withBridge(gateway: { $0.run(on: clock) }) { fixture in
            try await fixture.connect()
            // No event reports the command, and the answer about one of the two takes long.
            await fixture.bridge.controls.silenceStreams()
            let (desk, sofa) = (fixture.light("Desk"), fixture.light("Sofa"))
            let path = "/clip/v2/resource/light/\(desk.resource)"
            await fixture.bridge.controls.begin(
                try Fault(.latency, .number(1000), Fault.Scope(count: 1, path: path, method: "GET")))
            #expect(await fixture.turn(.on, .light(desk)) == .succeeded)
            #expect(await fixture.turn(.on, .light(sofa)) == .succeeded)
            clock.wind(by: PendingConfirmations.timeout)
            try await fixture.updates.wait("both have confirmed the command") { state in
                state.light("Desk")?.power == .on && state.light("Sofa")?.power == .on
            }
            #expect(fixture.updates.state.light("Sofa")?.cause.ticket == .test)
            #expect(fixture.updates.state.light("Desk")?.cause.ticket == .test)
        }
    }

    @Test func `a bridge that reboots is lost with a reason, and its home is fetched again when it is back`()
        async throws
    {
        try await withBridge { fixture in
            try await fixture.connect()
            fixture.bridge.controls.reboot(for: .milliseconds(300))
            try await fixture.updates.wait("lost") { $0.lost != nil }
            await fixture.bridge.controls.alter("Fan", by: .turning(.it(on: true)))
            try await fixture.updates.wait("connected again") { $0.isConnected }
            #expect(fixture.updates.state.light("Fan")?.power == .on)
            #expect(fixture.updates.state.lost?.isEmpty == false)
        }
    }

    @Test func `another bridge at the known address is ignored, and the bridge is found at its new address`()
        async throws
    {
        var settings = Settings(home: .flat)
        settings.seed = 2
        let stranger = try SimulatedBridge(settings, logger: silent)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await stranger.run() }
            let there = try await stranger.ready
            try await withBridge { fixture in
                let pairing = try await fixture.pair()
                let moved = Pairing(
                    bridge: pairing.bridge.alter(
                        by: .moving(.it(to: Bridge.Address(host: there.host, port: there.httpsPort)))),
                    key: pairing.key, clientKey: nil, trust: pairing.trust)
                fixture.gateway.bridges.connect(moved)
                try await fixture.updates.wait("connected") { $0.isConnected }
            }
            #expect(await stranger.controls.requests.allSatisfy { $0.key == nil })
            group.cancelAll()
        }
    }

    @Test func `a command to a lost bridge fails with the reason`() async throws {
        let clock = HandBridgeClock()
        try await withBridge(gateway: { $0.clock = clock.clock }) { fixture in
            try await fixture.connect()
            fixture.bridge.controls.reboot(for: .seconds(3600))
            try await fixture.updates.wait("lost") { $0.lost != nil }
            clock.wind(by: CommandQueue.briefLoss)
            let outcome = await fixture.turn(.on, .all)
            guard case .failed(.unreachable(fixture.id, because: _)) = outcome else {
                Issue.record("\(outcome)")
                return
            }
        }
    }

    @Test func `a certificate with another key than the pinned one is refused, and our key is not sent`() async throws {
        try await withBridge { fixture in
            try await fixture.connect()
            fixture.bridge.controls.renewCertificate()
            try await fixture.updates.wait("refused") { $0.lost?.contains("certificate") == true }
            let before = await fixture.bridge.controls.requests.count
            let fan = fixture.light("Fan")
            let outcome = await fixture.turn(.on, .light(fan))
            guard case .failed(.certificateRefused(of: fixture.id, because: _)) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            // No request has reached the bridge since it changed its certificate.
            #expect(await fixture.bridge.controls.requests.count == before)
            // Pairing again helps.
            let again = try await fixture.pair()
            fixture.gateway.bridges.connect(again)
            try await fixture.updates.wait("connected") { $0.isConnected }
        }
    }

    @Test func `with a wrong pin from the start nothing is sent but the handshake`() async throws {
        try await withBridge { fixture in
            let pairing = Pairing(
                bridge: Bridge(
                    id: fixture.id, name: "Flat", model: "BSB002",
                    address: Bridge.Address(host: fixture.ready.host, port: fixture.ready.httpsPort),
                    connection: .lost(since: Timestamp(milliseconds: 0), because: .notPaired)),
                key: Secret("a-key-that-must-never-be-seen"), clientKey: nil,
                trust: .pinned("sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="))
            fixture.gateway.bridges.connect(pairing)
            try await fixture.updates.wait("refused") { $0.lost?.contains("certificate") == true }
            #expect(await fixture.bridge.controls.requests.isEmpty)
        }
    }

    @Test func `a bridge paired under the maker's roots must show a certificate of the maker`() async throws {
        try await withBridge { fixture in
            let pairing = Pairing(
                bridge: Bridge(
                    id: fixture.id, name: "Flat", model: "BSB002",
                    address: Bridge.Address(host: fixture.ready.host, port: fixture.ready.httpsPort),
                    connection: .lost(since: Timestamp(milliseconds: 0), because: .notPaired)),
                key: Secret("secret"), clientKey: nil, trust: .maker)
            fixture.gateway.bridges.connect(pairing)
            try await fixture.updates.wait("refused") { $0.lost?.contains("certificate") == true }
            #expect(await fixture.bridge.controls.requests.isEmpty)
        }
    }

    @Test func `another bridge at the address is refused by its name, even with the right key`()
        async throws
    {
        try await withBridge { fixture in
            let pairing = Pairing(
                bridge: Bridge(
                    id: Bridge.ID("ecb5fafffe999999"), name: "Other", model: "BSB002",
                    address: Bridge.Address(host: fixture.ready.host, port: fixture.ready.httpsPort),
                    connection: .lost(since: Timestamp(milliseconds: 0), because: .notPaired)),
                key: Secret("secret"), clientKey: nil, trust: .pinned(fixture.ready.pin))
            fixture.gateway.bridges.connect(pairing)
            try await fixture.updates.wait("refused") { $0.lost?.contains("certificate") == true }
            #expect(await fixture.bridge.controls.requests.isEmpty)
        }
    }

    @Test func `a key that the bridge no longer knows is reported, and commands fail with it`() async throws {
        try await withBridge { fixture in
            try await fixture.connect()
            await fixture.bridge.controls.revokeKeys()
            fixture.bridge.controls.reboot(for: .milliseconds(50))
            try await fixture.updates.wait("key refused") {
                $0.lost?.hasPrefix("it no longer accepts lightd's key") == true
            }
            let fan = fixture.light("Fan")
            #expect(
                await fixture.turn(.on, .light(fan))
                    == .failed(.keyRefused(by: fixture.id)))
        }
    }

    @Test(arguments: [429, 503]) func `a command to a busy bridge is repeated until it is accepted`(status: Int)
        async throws
    {
        try await withBridge { fixture in
            try await fixture.connect()
            await fixture.bridge.controls.answer(next: 2, with: status)
            let fan = fixture.light("Fan")
            #expect(await fixture.turn(.on, .light(fan)) == .succeeded)
            let puts = await fixture.bridge.controls.requests.filter { $0.method == "PUT" }
            #expect(puts.map(\.status) == [status, status, 200])
        }
    }

    @Test func `a command whose connection breaks is sent again`() async throws {
        try await withBridge(gateway: { $0.commandDeadline = .seconds(5) }) { fixture in
            try await fixture.connect()
            await fixture.bridge.controls.hangUp(next: 1)
            let fan = fixture.light("Fan")
            let outcome = await fixture.turn(.on, .light(fan))
            #expect(outcome == .succeeded)
        }
    }

    @Test func `a refusal has the bridge's own words`() async throws {
        try await withBridge { fixture in
            try await fixture.connect()
            // A plug has no levels.
            let fan = fixture.light("Fan")
            let outcome = await fixture.send {
                fixture.gateway.lights.set([DesiredState(fan, power: .on, .bri(0.5))], .usual, .test, $0)
            }
            guard case let .failed(.refused(by: _, words)) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(words.text.contains("attribute (.dimming.brightness) is not supported by resource"))
        }
    }

    @Test func `the newest of many commands to a lamp wins, and every caller is answered`() async throws {
        try await withBridge(gateway: { $0.lightsPerSecond = 1000 }) { fixture in
            try await fixture.connect()
            let desk = fixture.light("Desk")
            let outcomes = await withTaskGroup(of: Outcome.self) { group in
                for step in 1...100 {
                    let order = DesiredState(desk, .bri(Double(step) / 100))
                    let (stream, slot) = AsyncStream<Outcome>.makeStream()
                    // Sent in this order; answered at any time.
                    fixture.gateway.lights.set([order], .milliseconds(0), .test) {
                        slot.yield($0)
                        slot.finish()
                    }
                    group.addTask {
                        for await outcome in stream { return outcome }
                        return .failed(.invalid("no answer"))
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count == 100 && outcomes.allSatisfy { $0 == .succeeded })
            let levels = await fixture.bridge.controls.requests.filter { $0.method == "PUT" }.compactMap {
                try? JSONDecoder().decode(LightUpdate.self, from: Data($0.body.utf8)).brightness
            }
            #expect(levels == levels.sorted())
            #expect(levels.last == 100)
            #expect(levels.count < 10)
        }
    }

    @Test func `forgetting removes our key from the bridge and ends the connection`() async throws {
        try await withBridge { fixture in
            let pairing = try await fixture.connect()
            let outcome = await ask { fixture.gateway.bridges.forget(fixture.id, $0) }
            #expect(outcome == .succeeded, "\(outcome)")
            let deletes = await fixture.bridge.controls.requests.filter { $0.method == "DELETE" }
            #expect(deletes.map(\.status) == [200])
            #expect(deletes.first?.path.contains(pairing.key.revealed) == true)
            let fan = fixture.light("Fan")
            #expect(
                await fixture.turn(.on, .light(fan))
                    == .failed(.noSuchBridge(fixture.id)))
        }
    }

    @Test func `a key that is revoked is deleted on the bridge, and the paired one still works`() async throws {
        try await withBridge { fixture in
            try await fixture.connect()
            let second = try await fixture.pair()
            fixture.gateway.bridges.revoke(second)
            try await until("the key is deleted") {
                await fixture.bridge.controls.requests.contains { $0.method == "DELETE" && $0.status == 200 }
            }
            let deletes = await fixture.bridge.controls.requests.filter { $0.method == "DELETE" }
            #expect(deletes.map(\.path) == [Dialect.keyPath(second.key)])
            #expect(await fixture.turn(.on, .light(fixture.light("Fan"))) == .succeeded)
        }
    }

    @Test func `discovery reports each way it tried and what came of it`() async throws {
        try await withBridge { fixture in
            let found = await ask { fixture.gateway.bridges.discover(.milliseconds(200), $0) }
            #expect(found.first?.id == fixture.id)
            #expect(found.first?.name == "Flat")
            #expect(found.first?.attempts.map(\.way) == [.configured])
            #expect(found.first?.attempts.first?.result == "Flat, \(fixture.id), BSB002")
        }
    }

    @Test func `every waiting caller is answered when the gateway ends`() async throws {
        let settings = GatewaySettings()
        let gateway = HueGateway(
            settings, clock: .stopped(at: Timestamp(milliseconds: 0)), logger: silent,
            browser: .blind)
        let task = Task { try await gateway.run() }
        let bridge = Bridge(
            id: Bridge.ID("ecb5fafffe010203"), name: "", model: "",
            // Nothing listens on loopback's discard port.
            address: Bridge.Address(host: "127.0.0.1", port: 9),
            connection: .lost(since: Timestamp(milliseconds: 0), because: .notPaired))
        gateway.bridges.connect(Pairing(bridge: bridge, key: Secret("k"), clientKey: nil, trust: .maker))
        let lamp = Light.ID(bridge: bridge.id, resource: "lamp")
        async let outcome = ask { gateway.lights.set([DesiredState(lamp, power: .on)], .usual, .test, $0) }
        task.cancel()
        try await task.value
        #expect(await outcome != .succeeded)
    }
}

extension Freshness {
    var isUnreachable: Bool { if case .unreachable = self { true } else { false } }
}
