import HueWire
import Khipu
import Lighting
import LightingTestKit
import SimulatedBridge
import Synchronization
import Testing

@testable import HueBridge

/// A daemon runs for months: what it keeps must not grow with what it has done. `Benchmarks/gateway` measures the same in the release
/// build, with a hundred thousand commands and a million events.
@Suite(.timeLimit(.minutes(3)))
struct GrowthTests {
    @Test func `nothing that is kept grows with the commands and events that have been`() async throws {
        try await withBridge(
            gateway: { ($0.lightsPerSecond, $0.groupsPerSecond, $0.requestsInFlight) = (100_000, 100_000, 8) }
        ) { fixture in
            let house = await House(fixture)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await house.live() }
                let connection = try await house.move(in: fixture)
                try await house.work(commands: 200, events: 500, connection)
                let before = await house.weights(connection)
                try await house.work(commands: 600, events: 5000, connection)
                let after = await house.weights(connection)
                for (part, weight) in after {
                    let earlier = before[part] ?? 0
                    #expect(weight - earlier < 100, "\(part): \(earlier) things before, \(weight) after")
                }
                house.mailbox.close()
            }
        }
    }

    @Test func `a request that was answered too late leaves nothing behind`() async throws {
        try await withBridge(gateway: { $0.commandDeadline = .milliseconds(200) }) { fixture in
            try await fixture.connect()
            let connection = try #require(fixture.gateway.connection(fixture.id))
            let fan = fixture.light("Fan")
            await fixture.bridge.controls.begin(try Fault("busy:503"))
            let outcome = await fixture.send { fixture.gateway.lights.rename(.light(fan), "Ventilator", $0) }
            #expect(outcome != .succeeded)
            await fixture.bridge.controls.end(.busy)
            try await fixture.updates.wait("the name is delivered yet") { $0.light("Ventilator") != nil }
            while !connection.desk.withLock({ $0.jobs.isEmpty }) { try await Task.sleep(for: .milliseconds(5)) }
            #expect(connection.desk.withLock { $0.scheduler.jobs.isEmpty && $0.callers.isEmpty })
        }
    }
}

/// The domain and the gateway, as the daemon puts them together; without a disk.
private struct House: Sendable {
    let store: AppStore
    let requests: PendingRequests<Message>
    let mailbox = Mailbox<Message>()
    let domain: Input<Message>

    @DomainActor
    init(_ fixture: BridgeFixture) {
        store = createAppStore()
        requests = PendingRequests(post: mailbox.post)
        // Alarms are for those whom no bridge answers; here one does.
        let clock = Clock(now: { .sample }, wake: { _, _ in })
        domain = createAppDomain(
            store: store, lights: fixture.gateway.lights, bridges: fixture.gateway.bridges,
            archive: Archive(keep: { $1(.succeeded) }, drop: { $1(.succeeded) }),
            journal: Journal(append: { _, _ in }, list: { $1(.success([])) }, prune: { $1(.succeeded) }), clock: clock,
            receivers: [requests.receiver], output: mailbox.post)
    }

    func live() async { await mailbox.deliver(to: domain) }

    func move(in fixture: BridgeFixture) async throws -> BridgeConnection {
        await fixture.bridge.controls.pressButton()
        _ = await requests.send(holder: "test", at: .sample) { .bridges(.pair(nil, waiting: .seconds(10)), ticket: $0) }
        let connection = try #require(fixture.gateway.connection(fixture.id))
        while connection.state != .connected { try await Task.sleep(for: .milliseconds(5)) }
        return connection
    }

    /// Commands of several callers at once, events between them; ends when all is answered.
    func work(commands: Int, events: Int, _ connection: BridgeConnection) async throws {
        guard case let .home(_, all, rooms, scenes) = connection.home.home(at: .sample) else { return }
        let lights = all.map(\.id)
        let callers = 10
        await withTaskGroup(of: Void.self) { group in
            for caller in 0..<callers {
                group.addTask {
                    for number in 0..<(commands / callers) {
                        _ = await requests.send(holder: "caller \(caller)", at: .sample) { ticket in
                            let light = Target.light(lights[(number + caller) % lights.count])
                            let turn: Turn = number.isMultiple(of: 2) ? .on : .off
                            return switch number % 10 {
                            case 8:
                                .lighting(
                                    .turn(turn, .room(rooms[number % rooms.count].id), over: .usual), ticket: ticket)
                            case 9: .lighting(.recall(scenes[number % scenes.count].id, over: .usual), ticket: ticket)
                            default: .lighting(.turn(turn, light, over: .usual), ticket: ticket)
                            }
                        }
                    }
                }
            }
            group.addTask {
                for number in 0..<events {
                    connection.take([Self.event(lights[number % lights.count], isOn: number.isMultiple(of: 3))])
                    // What is told waits for the domain; a bridge tells no faster than it listens.
                    if number.isMultiple(of: 100) { _ = await store.state() }
                }
            }
        }
        // What is measured by the second is over, and what waits for an echo has had it.
        try await Task.sleep(for: .seconds(2))
        _ = await requests.send(holder: "test", at: .sample) { .lighting(.turn(.on, .all, over: .usual), ticket: $0) }
    }

    private static func event(_ light: Light.ID, isOn: Bool) -> EventContainer {
        let data = #"[{"type":"update","data":[{"id":"\#(light.resourceID)","type":"light","on":{"on":\#(isOn)}}]}]"#
        return (try? EventContainer.all(in: EventFrame(id: nil, data: data)))?.first ?? EventContainer(.update, [])
    }

    func weights(_ connection: BridgeConnection) async -> [String: Int] {
        let desk = connection.desk.withLock { $0 }
        return [
            "what the line keeps": weight(desk), "what the domain knows": weight(await store.state()),
            "callers that wait for a response": await requests.count,
        ]
    }
}

/// How many things there are in a value, whatever it is made of.
private func weight(_ value: Any) -> Int {
    let mirror = Mirror(reflecting: value)
    // What lies behind a reference is its own.
    guard mirror.displayStyle != .class else { return 1 }
    return mirror.children.reduce(1) { $0 + weight($1.value) }
}
