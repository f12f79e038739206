import HueWire
import Khipu
import Lighting
import LightingTestKit
import ServerSentEvents
import SimulatedBridge
import Synchronization
import TestSupport
import Testing

@testable import HueBridge

/// A daemon runs for months, so its memory must not grow with its work. `Benchmarks/gateway` measures the same in the
/// release build, with a hundred thousand commands and a million events.
@Suite(.timeLimit(.minutes(15)))
struct GrowthTests {
    @Test func `after many commands and events at most one entry for each light is kept`()
        async throws
    {
        let clock = HandBridgeClock()
        try await withBridge(gateway: {
            ($0.lightsPerSecond, $0.groupsPerSecond, $0.requestsInFlight) = (100_000, 100_000, 8)
            $0.run(on: clock)
        }) { fixture in
            let domain = await DomainFixture(fixture)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await domain.run() }
                let connection = try await domain.connect(to: fixture)
                await domain.work(commands: 600, events: 5000, connection)
                // Rates are counted over a second, and confirmations are expected for a few seconds.
                clock.wind(by: .seconds(15))
                // One more command of each kind drops what has expired.
                let fan = connection.home.lights.keys.sorted()[0]
                await domain.send(.turn(.off, .light(Light.ID(fixture.id, fan)), over: .usual))
                await domain.send(.turn(.on, .all, over: .usual))
                try await until("everything is finished") { connection.unfinished.values.allSatisfy { $0 == 0 } }
                #expect(await domain.requests.count == 0)
                let lights = connection.home.lights.count
                for (part, count) in connection.kept { #expect(count <= lights, "\(part)") }
                #expect(await domain.store.state().history.steps.count <= History.longest)
                domain.mailbox.close()
            }
        }
    }

    /// A setting is delivered when the bridge has time again. A name is not: it was checked against those of then.
    @Test func `a request that is answered too late leaves nothing behind`() async throws {
        let clock = HandBridgeClock()
        try await withBridge(gateway: {
            $0.run(on: clock)
            $0.commandDeadline = .seconds(10)
        }) { fixture in
            try await fixture.connect()
            let connection = try #require(fixture.gateway.connection(fixture.id))
            let fan = fixture.light("Fan")
            await fixture.bridge.controls.begin(try Fault("busy:503"))
            let outcomes = Mutex<[Outcome]>([])
            fixture.gateway.lights.configure([fan], .powerup(.safety)) { outcome in
                outcomes.withLock { $0.append(outcome) }
            }
            fixture.gateway.lights.rename(.light(fan), "Vent") { outcome in outcomes.withLock { $0.append(outcome) } }
            try await until("the bridge has refused") { await fixture.bridge.controls.requests.last?.status == 503 }
            clock.wind(by: .seconds(11))
            try await until("both are answered") { outcomes.withLock(\.count) == 2 }
            #expect(outcomes.withLock { !$0.contains(.succeeded) })
            // What is on its way when its caller is answered may be carried out.
            try await until("nothing is on its way") { connection.unfinished["requests in flight"] == 0 }
            await fixture.bridge.controls.end(.busy)
            try await until("it is delivered all the same") {
                clock.wind(by: .seconds(1))
                return fixture.updates.state.light("Fan")?.configuration.powerup == .safety
            }
            try await until("everything is finished") { connection.unfinished.values.allSatisfy { $0 == 0 } }
            #expect(fixture.updates.state.light("Fan") != nil)
        }
    }
}

extension BridgeConnection {
    /// Counts that must be 0 once everything is answered.
    fileprivate var unfinished: [String: Int] {
        parts.withLock {
            let queue = $0.queue
            return [
                "callers": queue.callers.count, "work": queue.work.count, "jobs": queue.scheduler.jobs.count,
                "waiting lights": queue.scheduler.waiting.count, "waiters": queue.scheduler.waiters.count,
                "requests in flight": queue.scheduler.inFlightRequests.count,
            ]
        }
    }

    /// Counts of parts that may hold one entry for each light.
    fileprivate var kept: [String: Int] {
        parts.withLock {
            let (queue, mirror) = ($0.queue, $0.mirror)
            return [
                "light queues": queue.scheduler.queues.count, "tickets": queue.tickets.count,
                "lights sent to": mirror.lastSent.count, "reported lights": mirror.lastReported.count,
                "pending confirmations": mirror.confirmations.count,
                "offline commands": mirror.offline.count, "attributed changes": mirror.attribution.count,
                "light rate window": queue.scheduler.lightWindow.count,
                "group rate window": queue.scheduler.groupWindow.count,
            ]
        }
    }
}

/// The domain on top of the gateway, as the daemon puts them together; without a disk.
private struct DomainFixture: Sendable {
    let store: AppStore
    let requests: PendingRequests<Message>
    let mailbox = Mailbox<Message>()
    let domain: Input<Message>

    @DomainActor
    init(_ fixture: BridgeFixture) {
        store = createAppStore()
        requests = PendingRequests(post: mailbox.post)
        // Timeouts are for commands that no bridge answers; here one does.
        let clock = Clock.stopped(at: .sample)
        domain = createAppDomain(
            store: store, lights: fixture.gateway.lights, bridges: fixture.gateway.bridges,
            rooms: fixture.gateway.rooms, scenes: fixture.gateway.scenes,
            sensors: fixture.gateway.sensors,
            archive: Archive(
                keep: { $1(.succeeded) }, drop: { $1(.succeeded) }, check: { $0(.succeeded) }, remember: { _ in }),
            journal: Journal(
                append: { _, _, _ in },
                list: {
                    $1(.success([])); return {}
                }, prune: { $1(.succeeded) }),
            clock: clock, time: Live(.utc), resolve: TestCommands.resolve,
            tickets: { [requests] in requests.issue(to: $0, at: $1, gesture: $2) }, receivers: [requests.receiver],
            output: mailbox.post)
    }

    func run() async { await mailbox.deliver(to: domain) }

    func connect(to fixture: BridgeFixture) async throws -> BridgeConnection {
        await fixture.bridge.controls.pressButton()
        let answer = await requests.send(holder: "test", at: .sample) {
            .bridges(.pair(nil, waiting: .seconds(10)), ticket: $0)
        }
        let connection = try #require(fixture.gateway.connection(fixture.id), "\(String(describing: answer))")
        try await until("connected") { connection.state == .connected }
        return connection
    }

    func send(_ command: Message.Lighting, by holder: String = "test") async {
        _ = await requests.send(holder: holder, at: .sample) { .lighting(command, ticket: $0) }
    }

    /// Sends commands of several callers at once, with events between them, until all are answered.
    func work(commands: Int, events: Int, _ connection: BridgeConnection) async {
        guard case let .home(_, all, rooms, scenes, _) = connection.home.everything(at: .sample) else { return }
        let lights = all.map(\.id)
        let callers = 10
        await withTaskGroup(of: Void.self) { group in
            for caller in 0..<callers {
                group.addTask {
                    for number in 0..<(commands / callers) {
                        let light = Target.light(lights[(number + caller) % lights.count])
                        let turn: Turn = number.isMultiple(of: 2) ? .on : .off
                        let command: Message.Lighting =
                            switch number % 10 {
                            case 8: .turn(turn, .room(rooms[number % rooms.count].id), over: .usual)
                            case 9: .recall(scenes[number % scenes.count].id, over: .usual)
                            default: .turn(turn, light, over: .usual)
                            }
                        await send(command, by: "caller \(caller)")
                    }
                }
            }
            group.addTask {
                for number in 0..<events {
                    connection.take([Self.event(lights[number % lights.count], isOn: number.isMultiple(of: 3))])
                    // Waits for the domain now and then: a real bridge sends events more slowly.
                    if number.isMultiple(of: 100) { _ = await store.state() }
                }
            }
        }
    }

    private static func event(_ light: Light.ID, isOn: Bool) -> EventContainer {
        let data = #"[{"type":"update","data":[{"id":"\#(light.resourceID)","type":"light","on":{"on":\#(isOn)}}]}]"#
        return (try? EventContainer.all(in: ServerSentEvent(id: nil, data: data)))?.first ?? EventContainer(.update, [])
    }
}
