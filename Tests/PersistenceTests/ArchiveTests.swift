import Foundation
import GRDB
import Khipu
import Lighting
import LightingTestKit
import Synchronization
import TestSupport
import Testing

@testable import Persistence

@Suite struct ArchiveTests {
    let fixture: DatabaseFixture

    init() throws { fixture = try DatabaseFixture() }

    @Test func `a new database is empty`() async throws {
        let database = try fixture.open()
        #expect(database.contents == Archive.Contents())
        #expect(database.nextTicketNumber == 1)
        await database.close()
    }

    @Test func `everything saved is there after a restart`() async throws {
        let other = Pairing.make(
            "0017880000000abc", name: "Küche", key: "k2", clientKey: nil, trust: .pinned("sha256//QQ=="))
        let room = Room.ID(bridge: .sample, resource: "kitchen")
        let scenes = [
            Scene(id: Scene.ID(bridge: .sample, resource: "z"), name: "Relax", room: room, lights: [Light.make().id]),
            Scene.make("a"),
        ]
        let dashboard = Dashboard(pins: [
            DashboardPin(.room(room), display: .scrubbing), DashboardPin(.all), DashboardPin(.light(Light.make().id)),
        ])
        let first = try fixture.open()
        for keepsake: Archive.Item in [
            .pairing(.make()), .pairing(other), .scenes(of: .sample, scenes), .dashboard(dashboard),
            .sighting(.sample, Bridge.Address(host: "fe80::2", port: 8443), name: "Attic", model: "BSB003"),
        ] {
            #expect(await first.archive.keep(keepsake) == .succeeded)
        }
        await first.close()

        let contents = try fixture.open().contents
        func lost(_ id: Bridge.ID) -> Bridge.Connection {
            .lost(since: fixture.time.now, because: .unreachable(id, because: "not reached yet since lightd started"))
        }
        #expect(
            contents.pairings.map(\.bridge) == [
                .make(
                    id: Bridge.ID("0017880000000abc"), name: "Küche", connection: lost(Bridge.ID("0017880000000abc"))),
                .make(
                    name: "Attic", model: "BSB003", address: Bridge.Address(host: "fe80::2", port: 8443),
                    connection: lost(.sample)
                ),
            ])
        #expect(contents.pairings.map(\.key) == [Secret("k2"), Secret("hue-key-0815")])
        #expect(contents.pairings.map(\.clientKey) == [nil, Secret("4711FEED")])
        #expect(contents.pairings.map(\.trust) == [.pinned("sha256//QQ=="), .maker])
        #expect(contents.scenes == scenes)
        #expect(contents.dashboard == dashboard)
    }

    @Test func `a confirmed change is committed, and visible to other connections`() async throws {
        let database = try fixture.open()
        #expect(await database.archive.keep(.pairing(.make())) == .succeeded)
        #expect(try fixture.read { try String.fetchOne($0, sql: "SELECT key FROM bridge") } == "hue-key-0815")
        await database.close()
    }

    @Test func `a kill loses no confirmed change`() async throws {
        let database = try fixture.open()
        #expect(await database.archive.keep(.pairing(.make())) == .succeeded)
        // A copy of the files is what a killed process leaves.
        let copy = fixture.root + "/copy"
        try FileManager.default.copyItem(atPath: fixture.directory, toPath: copy)
        await database.close()
        let survivor = try StateDatabase.open(
            directory: copy, journal: .off, clock: fixture.time.clock, logger: fixture.log.logger)
        #expect(survivor.contents.pairings.map(\.unconnected) == [Pairing.make().unconnected])
        await survivor.close()
    }

    @Test(arguments: seeds(5)) func `any sequence of keep and drop equals a dictionary, even across restarts`(
        seed: UInt64
    ) async throws {
        var random = SplitMix(seed: seed)
        var pairings: [Bridge.ID: Pairing] = [:]
        var scenes: [Bridge.ID: [Scene]] = [:]
        var sceneOrders: [Bridge.ID: [SceneOrder]] = [:]
        var dashboard = Dashboard()
        var automations: [Automation] = []
        var bindings: [SwitchBinding] = []
        var automationMemory = AutomationState.Memory()
        var (followings, curves): ([Following], [String: Curve]) = ([], [:])
        var presence: PresenceReplay?
        var database = try fixture.open(.off)
        for _ in 0..<120 {
            if random.pick(25) == 0 {
                await database.close()
                database = try fixture.open(.off)
                #expect(
                    database.contents.unconnected
                        == Archive.Contents(
                            pairings: pairings.values.sorted { $0.bridge.id < $1.bridge.id }.map(\.unconnected),
                            scenes: scenes.sorted { $0.key < $1.key }.flatMap(\.value),
                            sceneOrders: sceneOrders.sorted { $0.key < $1.key }.flatMap(\.value),
                            dashboard: dashboard,
                            followings: followings, curves: curves,
                            automations: AutomationState(automations, automationMemory), bindings: bindings,
                            presence: presence
                        )
                )
            } else if random.pick(6) == 0 {
                let bridge = random.bridge()
                #expect(await database.archive.drop(bridge) == .succeeded)
                pairings[bridge] = nil
                scenes[bridge] = nil
                sceneOrders[bridge] = nil
            } else {
                let keepsake = random.keepsake()
                var expected = Outcome.succeeded
                switch keepsake {
                case let .pairing(pairing):
                    pairings[pairing.bridge.id] = pairing
                case let .sighting(id, address, name: name, model: model):
                    if let known = pairings[id] {
                        pairings[id] = known.with(.make(id: id, name: name, model: model, address: address))
                    } else {
                        expected = .failed(.noSuchBridge(id))
                    }
                case let .scenes(of: bridge, new):
                    if pairings[bridge] != nil {
                        scenes[bridge] = new
                    } else {
                        expected = .failed(.noSuchBridge(bridge))
                    }
                case let .sceneOrders(of: bridge, new):
                    if pairings[bridge] != nil {
                        sceneOrders[bridge] = new
                    } else {
                        expected = .failed(.noSuchBridge(bridge))
                    }
                case let .dashboard(new):
                    dashboard = new
                case let .bindings(new):
                    bindings = new
                case let .automations(new):
                    automations = new
                case let .automationMemory(new):
                    automationMemory = new
                case let .followings(new, curves: newCurves):
                    (followings, curves) = (new, newCurves)
                case let .presence(new):
                    presence = new
                }
                #expect(await database.archive.keep(keepsake) == expected)
            }
        }
        await database.close()
    }

    @Test func `saving an unchanged value writes nothing`() async throws {
        let database = try fixture.open()
        let bridge = Bridge.make()
        let keepsakes: [Archive.Item] = [
            .pairing(.make()), .scenes(of: .sample, [.make("a"), .make("b")]),
            .sceneOrders(of: .sample, [SceneOrder(of: Room.make().id, [Scene.make("b").id])]),
            .dashboard(Dashboard(pins: [DashboardPin(.all)])), .automations([SplitMix.automation("Evening")]),
            .automationMemory(SplitMix.automationMemory(runs: 2)),
            .followings([SplitMix.following(1)], curves: ["office": SplitMix.curve]),
            .presence(PresenceReplay(.init(seed: 1), began: .sample, history: UsageHistory())),
        ]
        for keepsake in keepsakes { #expect(await database.archive.keep(keepsake) == .succeeded) }
        let (files, commits) = (try fixture.files(), try fixture.commits())
        for keepsake in keepsakes + [
            .sighting(bridge.id, bridge.address, name: bridge.name, model: bridge.model),
            .pairing(Pairing.make().unconnected),
        ] {
            #expect(await database.archive.keep(keepsake) == .succeeded)
        }
        #expect(await database.archive.drop(Bridge.ID("0000000000000000")) == .succeeded)
        #expect(try fixture.files() == files)
        #expect(await database.archive.keep(.dashboard(Dashboard())) == .succeeded)
        #expect(try fixture.commits() == commits + 1)
        await database.close()
    }

    @Test func `each request is answered once, in order, and never while it is made`() async throws {
        let database = try fixture.open()
        let answers = Mutex<[Int]>([])
        // The thread that asks, while it does. Afterwards it may be the one that answers.
        let asking = Mutex<UInt?>(nil)
        let isAnsweredAtOnce = Mutex(false)
        func ask() {
            asking.withLock { $0 = UInt(pthread_self()) }
            for number in 0..<50 {
                database.archive.keep(.dashboard(Dashboard(pins: Array(repeating: DashboardPin(.all), count: number))))
                { _ in
                    answers.withLock { $0.append(number) }
                    if asking.withLock({ $0 == UInt(pthread_self()) }) { isAnsweredAtOnce.withLock { $0 = true } }
                }
            }
            asking.withLock { $0 = nil }
        }
        await DispatchedThread.run(ask)
        #expect(await database.archive.drop(.sample) == .succeeded)
        #expect(answers.withLock { $0 } == Array(0..<50))
        #expect(!isAnsweredAtOnce.withLock { $0 })
        await database.close()
    }

    @Test func `a write failure is reported without the key`() async throws {
        let database = try fixture.open()
        try fixture.execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON bridge BEGIN SELECT RAISE(ABORT, 'the disk is on fire'); END")
        #expect(await database.archive.keep(.pairing(.make())) == .failed(.notSaved(because: "the disk is on fire")))
        try fixture.execute("DROP TRIGGER refuse")
        #expect(await database.archive.keep(.pairing(.make())) == .succeeded)
        #expect(!fixture.log.lines.contains { $0.contains("hue-key") })
        await database.close()
        #expect(
            await database.archive.keep(.dashboard(Dashboard()))
                == .failed(.notSaved(because: "lightd is shutting down")))
    }

    @Test func `what lightd goes on with is written once that is possible, and the log says so once`() async throws {
        let database = try fixture.open(.on(entries: 1000, bytes: 1 << 25, flush: .milliseconds(1)))
        #expect(await database.archive.keep(.pairing(.make())) == .succeeded)
        for table in ["bridge", "scene", "dashboardPin", "journal", "mark"] {
            for event in ["INSERT", "UPDATE"] {
                try fixture.execute(
                    """
                    CREATE TRIGGER refuse\(table)\(event) BEFORE \(event) ON \(table)
                    BEGIN SELECT RAISE(ABORT, 'the disk is on fire'); END
                    """)
            }
        }
        let failure = Outcome.failed(.notSaved(because: "the disk is on fire"))
        let other = Pairing.make("0017880000000abc")
        let dashboard = Dashboard(pins: [DashboardPin(.all)])
        for item: Archive.Item in [
            .scenes(of: .sample, [.make("a")]), .scenes(of: .sample, [.make("b")]), .dashboard(dashboard),
            .sighting(.sample, Bridge.Address(host: "192.0.2.9", port: 443), name: "Attic", model: "BSB003"),
            .pairing(other),
        ] {
            #expect(await database.archive.keep(item) == failure)
        }
        database.journal.append(.note("hello"), .sample)
        await database.flush()
        await database.recover()
        #expect(
            fixture.log.lines == [
                "error the database cannot be written; lights go on working, and lightd tries again "
                    + "because=the disk is on fire"
            ])

        for table in ["bridge", "scene", "dashboardPin", "journal", "mark"] {
            for event in ["INSERT", "UPDATE"] { try fixture.execute("DROP TRIGGER refuse\(table)\(event)") }
        }
        await database.flush()
        #expect(fixture.log.lines.count == 1)
        await database.recover()
        #expect(fixture.log.lines.dropFirst() == ["notice the database is written again lost=0"])
        await database.close()
        let contents = try fixture.open().contents
        #expect(contents.scenes == [.make("b")])
        #expect(contents.dashboard == dashboard)
        // A bridge is not paired with a key that was not saved.
        #expect(contents.pairings.map(\.bridge.name) == ["Attic"])
    }
}

/// Runs work on a new thread, so that "another thread" can be tested.
enum DispatchedThread {
    static func run<Answer: Sendable>(_ work: @escaping () -> Answer) async -> Answer {
        nonisolated(unsafe) let work = work
        return await withCheckedContinuation { waiting in
            Thread { waiting.resume(returning: work()) }.start()
        }
    }
}
