import ControlProtocol
import Curl
import Foundation
import SimulatedBridge
import TestSupport
import Testing

/// A lightd that is killed again and again while it pairs, forgets, renames, pins and recalls. The commands and the
/// moments of the kills follow from the seed.
///
/// `LIGHTD_TEST_KILLS` sets the number of kills; `make durability` asks for 200.
@Suite(.timeLimit(.minutes(20)))
struct DurabilityTests {
    @Test func `kill -9 at any moment loses nothing that was acknowledged, and the database always opens`()
        async throws
    {
        let environment = ProcessInfo.processInfo.environment
        let kills = environment["LIGHTD_TEST_KILLS"].flatMap(Int.init) ?? 8
        let seed = environment["LIGHTD_TEST_KILLS_SEED"].flatMap(UInt64.init) ?? 1
        try await withTemporaryDirectory { place in
            let (first, second) = (try flat(), try flat(seed: 2))
            try await withBridge(first) {
                try await withBridge(second) {
                    var home = try await MortalHome(at: place, first, second, seed: seed)
                    try await home.pairFirst()
                    for _ in 0..<kills { try await home.liveAndDie() }
                    try await home.liveOn()
                    print("\(kills) kills, seed \(seed): \(home.summary)")
                    #expect(home.acknowledged > kills)
                }
            }
        }
    }
}

/// What lightd must remember: each thing by its name, with all values that it may have.
///
/// A command that was acknowledged leaves one value; one that was under way at a kill leaves the value before it, too.
private struct Memory {
    enum Thing: Hashable, Sendable, Comparable {
        /// On the dashboard, by a target; the value is how it is displayed.
        case pin(String)
        /// The name of a light, by its id.
        case name(String)
        case pairing
    }

    private(set) var possible: [Thing: Set<String?>] = [:]

    /// The value, which is known between two kills, or the likely one.
    func value(of thing: Thing) -> String? { possible[thing]?.max { ($0 ?? "") < ($1 ?? "") } ?? nil }

    mutating func acknowledge(_ thing: Thing, _ value: String?) { possible[thing] = [value] }

    mutating func doubt(_ thing: Thing, _ value: String?) { possible[thing, default: [nil]].insert(value) }

    /// Compares with what lightd knows after a restart.
    mutating func compare(with actual: [Thing: String], _ complaint: String) {
        for (thing, values) in possible {
            #expect(
                values.contains(actual[thing]), "\(thing) is \(actual[thing] ?? "nothing"), not \(values) \(complaint)")
            possible[thing] = [actual[thing]]
        }
    }
}

private struct MortalHome {
    private struct Write: Sendable {
        let thing: Memory.Thing?
        let value: String?
        let command: Command
    }

    private enum Moment {
        /// When this many commands of a volley are acknowledged.
        case acknowledged(Int)
        case after(Duration)
    }

    let place: TemporaryDirectory
    let bridges: (SimulatedBridge, SimulatedBridge)
    let hosts: String
    let secondID: String
    var random: SplitMix
    var memory = Memory()
    var highestTicket: UInt64 = 0
    var recalls = 0
    var lights: [String] = []
    var rooms: [String] = []
    var scenes: [String] = []
    /// How this life of lightd was told to display a light: one that is pinned again is displayed as before.
    private var displays: [Memory.Thing: String] = [:]
    private(set) var acknowledged = 0
    private(set) var doubted = 0

    init(
        at place: TemporaryDirectory, _ first: SimulatedBridge, _ second: SimulatedBridge, seed: UInt64
    ) async throws {
        self.place = place
        bridges = (first, second)
        random = SplitMix(seed: seed)
        let ready = (try await first.ready, try await second.ready)
        hosts = "\(ready.0.host):\(ready.0.httpsPort),\(ready.1.host):\(ready.1.httpsPort)"
        secondID = ready.1.bridgeID
        memory.acknowledge(.pairing, nil)
    }

    var summary: String { "\(acknowledged) commands acknowledged, \(doubted) under way at a kill" }

    /// Pairs with the first bridge, whose lights and rooms are then pinned and renamed, and stops gracefully.
    mutating func pairFirst() async throws {
        let (program, client) = try await start()
        defer { end(program, client) }
        let first = bridges.0
        let id = try await first.ready.bridgeID
        try await first.controls.withButtonPressed { try await client.post(.pair(bridge: id)) }
        try await until("the lights are known") { try await !client.get([LightBody].self, Routes.lights).isEmpty }
        for light in try await client.get([LightBody].self, Routes.lights) {
            lights.append(light.id)
            memory.acknowledge(.name(light.id), light.name)
        }
        rooms = try await client.get([RoomBody].self, Routes.rooms).map { "@\($0.id)" }
        scenes = try await client.get([SceneBody].self, Routes.scenes).map(\.id)
        for target in ["all"] + lights + rooms { memory.acknowledge(.pin(target), nil) }
        program.signal(SIGTERM)
        #expect(try await program.end().status == 0)
    }

    /// A life of lightd: it has forgotten nothing, does a few things, and is killed in the middle of some.
    mutating func liveAndDie() async throws {
        let (program, client) = try await start()
        defer { end(program, client) }
        try await compare(client, program)
        for _ in 0..<Int(random.next() % 3) { try await perform(volley(), client) }
        let last = volley()
        let moment: Moment =
            random.next() % 2 == 0
            ? .acknowledged(1 + Int(random.next() % UInt64(last.count)))
            : .after(.microseconds(Int64(random.next() % 12_000)))
        try await perform(last, client, killing: program, moment)
        let end = try await program.end()
        #expect(end.status == -SIGKILL, "\(end)")
        #expect(!end.errors.contains("database"), "\(end)")
    }

    /// The last life ends gracefully.
    mutating func liveOn() async throws {
        let (program, client) = try await start()
        defer { end(program, client) }
        try await compare(client, program)
        program.signal(SIGTERM)
        #expect(try await program.end().status == 0)
    }

    private func start() async throws -> (Program, ControlClient) {
        let program = try Program(
            .lightd, ["--socket", place.socket, "--state-dir", place.state],
            environment: ["LIGHTD_DISCOVERY_MDNS": "false", "LIGHTD_DISCOVERY_HOSTS": hosts, "HOME": place.path])
        try await until("lightd is ready") {
            guard program.isRunning else { throw TestError("lightd did not start: \(try await program.end())") }
            return program.errors.contains(" ready ")
        }
        return (program, ControlClient(socket: place.socket))
    }

    private func end(_ program: Program, _ client: ControlClient) {
        program.signal(SIGKILL)
        client.http.shutdown()
    }

    private mutating func compare(_ client: ControlClient, _ program: Program) async throws {
        displays = [:]
        var actual: [Memory.Thing: String] = [:]
        for pin in try await client.get([PinBody].self, Routes.dashboard) {
            actual[.pin(pin.target)] = pin.display.rawValue
        }
        let paired = try await client.get([BridgeBody].self, Routes.bridges).map(\.id)
        #expect(paired.count == (paired.contains(secondID) ? 2 : 1), "\(paired)")
        if paired.contains(secondID) { actual[.pairing] = "paired" }
        // Names come from the bridge, which is read once it is connected.
        var known: [LightBody] = []
        try await until("the lights are known; \(program.errors)") {
            known = try await client.get([LightBody].self, Routes.lights)
            return Set(lights).isSubset(of: known.map(\.id))
        }
        for light in known where lights.contains(light.id) { actual[.name(light.id)] = light.name }
        memory.compare(with: actual, "(after \(summary))")
        let arrived = await bridges.0.controls.requests.count { $0.method == "PUT" && $0.path.contains("/scene/") }
        #expect(arrived >= recalls)
    }

    /// Commands for different things, sent at the same time.
    private mutating func volley() -> [Write] {
        var writes: [Write] = []
        for target in ["all"] + lights + rooms where random.next() % 3 == 0 { writes.append(pinning(target)) }
        for light in lights where random.next() % 4 == 0 {
            let name = "Lamp \(random.next() % 1000)"
            writes.append(Write(thing: .name(light), value: name, command: .rename(target: light, name: name)))
        }
        if random.next() % 2 == 0, !scenes.isEmpty {
            let scene = scenes[Int(random.next() % UInt64(scenes.count))]
            writes.append(Write(thing: nil, value: nil, command: .recall(scene: scene)))
        }
        if random.next() % 3 == 0 || writes.isEmpty {
            let isPaired = memory.value(of: .pairing) != nil
            writes.append(
                Write(
                    thing: .pairing, value: isPaired ? nil : "paired",
                    command: isPaired ? .forget(bridge: secondID) : .pair(bridge: secondID)))
        }
        return writes
    }

    private mutating func pinning(_ target: String) -> Write {
        let thing = Memory.Thing.pin(target)
        guard let display = memory.value(of: thing) else {
            return Write(thing: thing, value: displays[thing] ?? "slider", command: .pin(target: target))
        }
        if random.next() % 2 == 0 { return Write(thing: thing, value: nil, command: .unpin(target: target)) }
        let other: LevelControl = display == "slider" ? .scrubbing : .slider
        return Write(thing: thing, value: other.rawValue, command: .display(target: target, as: other))
    }

    private mutating func perform(
        _ writes: [Write], _ client: ControlClient, killing program: Program? = nil, _ moment: Moment? = nil
    ) async throws {
        await bridges.1.controls.pressButton()
        let results = try await withThrowingTaskGroup(of: (Write, UInt64?)?.self) { group in
            for write in writes {
                group.addTask {
                    do {
                        return (write, try await client.post(write.command).ticket)
                    } catch let error as CommandRefused {
                        throw TestError("\(write.command) was refused: \(error.reply)")
                    } catch {
                        guard let program, try await program.end().status == -SIGKILL else { throw error }
                        return (write, nil)
                    }
                }
            }
            if let program, case let .after(delay) = moment {
                group.addTask {
                    try await Task.sleep(for: delay)
                    program.signal(SIGKILL)
                    return nil
                }
            }
            var results: [(Write, UInt64?)] = []
            for try await case let (write, ticket)? in group {
                results.append((write, ticket))
                if let program, case let .acknowledged(count) = moment,
                    results.count(where: { $0.1 != nil }) == count
                {
                    program.signal(SIGKILL)
                }
            }
            return results
        }
        let lowest = highestTicket
        for (write, ticket) in results {
            if let ticket {
                acknowledged += 1
                #expect(ticket > lowest, "a ticket was given twice")
                highestTicket = max(highestTicket, ticket)
                if let thing = write.thing { memory.acknowledge(thing, write.value) } else { recalls += 1 }
                if case let .display(target, display) = write.command, lights.contains(target) {
                    displays[.pin(target)] = display.rawValue
                }
            } else {
                doubted += 1
                if let thing = write.thing { memory.doubt(thing, write.value) }
            }
            // An earlier life may have lasted until the journal's batch, which keeps how it displayed a light.
            if case let .pin(target) = write.command, lights.contains(target), displays[.pin(target)] == nil {
                memory.doubt(.pin(target), "scrubbing")
            }
        }
    }
}
