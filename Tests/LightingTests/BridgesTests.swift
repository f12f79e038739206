import HashTreeCollections
import Khipu
import Lighting
import LightingTestKit
import Testing

@DomainActor
struct BridgesTests {
    private let pairing = Pairing(
        bridge: .make(connection: .lost(since: .sample, because: .unreachable(.sample, because: "just paired"))),
        key: Secret("key"), clientKey: nil,
        trust: .pinned("sha256//abc")
    )

    @Test func `pairing succeeds once it is saved, and connects the bridge`() {
        let home = DomainFixture(stack: MemoryStack(lights: [.make()]))
        home.stack.pair(with: .success(pairing))
        let ticket = home.send(.pair(nil, waiting: .seconds(30)))
        #expect(home.archive.items.first == .pairing(pairing))
        #expect(home.stack.requests == [.pair(nil), .connect(.sample)])
        #expect(home.response(to: ticket) == .bridges(.pairing(.sample, .succeeded), ticket: ticket))
        #expect(home.store.state().bridges[.sample]?.connection == .connected(since: home.clock.now, by: .stream))
        #expect(home.light(Light.make().id)?.name == "Desk")
    }

    @Test func `pairing fails if the key cannot be saved`() {
        let home = DomainFixture()
        home.stack.pair(with: .success(pairing))
        home.archive.end(with: .failed(.notSaved(because: "the disk is full")))
        let ticket = home.send(.pair(nil, waiting: .seconds(30)))
        #expect(home.response(to: ticket)?.outcome == .failed(.notSaved(because: "the disk is full")))
        #expect(home.store.state().bridges.isEmpty)
    }

    @Test func `a bridge is not asked for a key while nothing can be saved`() {
        let home = DomainFixture()
        home.stack.pair(with: .success(pairing))
        home.archive.end(with: .failed(.notSaved(because: "the disk is full")))
        home.send(.pair(nil, waiting: .seconds(30)))
        #expect(home.stack.requests == [])
    }

    @Test func `a key that cannot be saved is deleted on the bridge that gave it`() {
        let home = DomainFixture()
        home.stack.pair(with: .success(pairing))
        home.archive.end(with: .failed(.notSaved(because: "the disk is full")), check: .succeeded)
        let ticket = home.send(.pair(nil, waiting: .seconds(30)))
        #expect(home.response(to: ticket)?.outcome == .failed(.notSaved(because: "the disk is full")))
        #expect(home.stack.requests == [.pair(nil), .revoke(.sample)])
        #expect(home.store.state().bridges.isEmpty)
    }

    @Test func `a bridge and its lights are lost since the first reason, whatever comes after it`() {
        let home = DomainFixture(stack: MemoryStack(lights: [.make()]))
        home.stack.pair(with: .success(pairing))
        home.send(.pair(nil, waiting: .seconds(30)))
        let lost = home.clock.now
        for failure in [Failure.unreachable(.sample, because: "no answer"), .keyRefused(by: .sample)] {
            home.stack.tell(.lost(.sample, because: failure))
            home.settle()
            #expect(home.store.state().bridges[.sample]?.connection == .lost(since: lost, because: failure))
            #expect(home.light(Light.make().id)?.freshness == .stale(since: lost))
            home.clock.advance(by: .seconds(90))
        }
    }

    @Test func `firmware stays as last reported, wherever its bridge is, and only an update is news`() {
        let home = DomainFixture(.make(bridges: [.make()]))
        func tell(_ update: FirmwareUpdate?) {
            home.stack.tell(.firmware(.sample, .init(version: "1.78", update: update)))
            home.settle()
        }
        #expect(home.store.state().bridges[.sample]?.firmware == nil)
        for update in FirmwareUpdate.allCases + [nil] { tell(update) }
        #expect(home.journal.entries.count == 3)
        tell(.ready)
        home.stack.tell(.lost(.sample, because: .unreachable(.sample, because: "no route")))
        home.stack.tell(
            .seen(.sample, at: .init(host: "192.0.2.99", port: 443), name: "Attic", model: "BSB002"))
        home.settle()
        let bridge = home.store.state().bridges[.sample]
        #expect(bridge?.name == "Attic" && bridge?.firmware == .init(version: "1.78", update: .ready))
        home.stack.tell(.firmware(Bridge.ID("0017880000000001"), .init(version: "1", update: .ready)))
        home.settle()
        #expect(home.store.state().bridges.count == 1, "of one that is not paired")
    }

    @Test func `no message contains a key`() {
        let home = DomainFixture()
        home.stack.pair(with: .success(pairing))
        home.send(.pair(nil, waiting: .seconds(30)))
        #expect(!"\(home.recorder.messages)".contains("\"key\""))
        #expect(!"\(pairing)".contains("\"key\"") && "\(pairing.key)" == "(secret)")
    }

    @Test func `losing a bridge makes its own lights stale, and no others`() {
        let other = Bridge.ID("0017880000000001")
        let (near, far) = (Light.make(), Light.make(bridge: other))
        let home = DomainFixture(.make(lights: [near, far], bridges: [.make(), .make(id: other)]))
        home.stack.tell(.lost(.sample, because: .unreachable(.sample, because: "no route")))
        home.settle()
        #expect(home.light(near.id)?.freshness == .stale(since: home.clock.now))
        #expect(home.light(far.id)?.freshness == far.freshness)
        #expect(
            home.store.state().bridges[.sample]?.connection
                == .lost(since: home.clock.now, because: .unreachable(.sample, because: "no route"))
        )
    }

    @Test func `lights are confirmed again when their lost bridge has been read`() {
        let light = Light.make()
        let home = DomainFixture(
            .make(lights: [light]), stack: MemoryStack(lights: [light.alter(by: .turning(.it(.off)))]))
        home.stack.tell(.lost(.sample, because: .unreachable(.sample, because: "no route")))
        home.settle()
        home.wait(.seconds(10))
        home.send(.load)
        #expect(home.light(light.id)?.freshness == .confirmed(at: home.clock.now))
        #expect(home.light(light.id)?.power == .off)
    }

    @Test func `forgetting a bridge removes everything that was on it`() {
        let light = Light.make()
        let home = DomainFixture(.make(lights: [light], rooms: [.make(lights: [light])], scenes: [.make()]))
        let ticket = home.send(.forget(.sample))
        #expect(home.response(to: ticket)?.outcome == .succeeded)
        #expect(home.archive.dropped == [.sample])
        let state = home.store.state()
        #expect(state.lights.isEmpty && state.rooms.isEmpty && state.scenes.isEmpty && state.bridges.isEmpty)
        let again = home.send(.forget(.sample))
        #expect(home.response(to: again)?.outcome == .failed(.noSuchBridge(.sample)))
    }

    @Test func `a bridge stays as it is if it cannot be forgotten on disk`() {
        let light = Light.make()
        let home = DomainFixture(.make(lights: [light], rooms: [.make(lights: [light])], scenes: [.make()]))
        let before = home.store.state()
        home.archive.end(with: .failed(.notSaved(because: "the disk is full")))
        let ticket = home.send(.forget(.sample))
        #expect(home.response(to: ticket)?.outcome == .failed(.notSaved(because: "the disk is full")))
        #expect(home.stack.requests == [])
        #expect(home.store.state() == before)
    }

    @Test func `a bridge is forgotten on disk before its key is deleted, and even if it is out of reach`() {
        let home = DomainFixture(.make(lights: [.make()]))
        home.stack.hold()
        home.stack.end(with: .failed(.unreachable(.sample, because: "no route")))
        let ticket = home.send(.forget(.sample))
        #expect(home.archive.dropped == [.sample])
        #expect(home.response(to: ticket) == nil)
        home.stack.release()
        home.settle()
        #expect(home.response(to: ticket)?.outcome == .succeeded)
        #expect(home.store.state().bridges.isEmpty)
    }

    @Test func `the new address of a bridge that moved is saved once`() {
        let home = DomainFixture(.make())
        let address = Bridge.Address(host: "192.0.2.99", port: 443)
        for _ in 0..<3 {
            home.stack.tell(.seen(.sample, at: address, name: "Study bridge", model: "BSB002"))
            home.settle()
        }
        #expect(home.store.state().bridges[.sample]?.address == address)
        #expect(home.archive.items == [.sighting(.sample, address, name: "Study bridge", model: "BSB002")])
    }

    @Test func `discovering responds with every method that was tried`() {
        let home = DomainFixture()
        let found = [
            Discovery(
                id: .sample, name: "Study bridge", model: "BSB002", address: nil,
                attempts: [.init(way: .mdns, asked: "_hue._tcp", result: "found", succeeded: true)]
            )
        ]
        home.stack.find(found)
        let ticket = home.send(.discover(for: .seconds(3)))
        #expect(home.response(to: ticket) == .bridges(.discovering(found, .succeeded), ticket: ticket))
    }
}

struct BridgeIDTests {
    @Test(arguments: ["ecb5fafffe010203", "ECB5FAFFFE010203", "simulated-decade-cafe-00", "a", "00:17:88", "x.y_z"])
    func `an id from outside is hexadecimal digits, or another plain word`(id: String) {
        #expect(Bridge.ID(fromOutside: id) == Bridge.ID(id))
    }

    @Test(arguments: [
        "", "a b", "-a", ".", "a/b", "a;b", "a'", "$(id)", "ä", "a\u{301}", "a\u{200B}", "a\n", "a\u{0}", "ｅcb5",
        "\u{212A}", String(repeating: "a", count: 65),
    ])
    func `nothing else is`(id: String) { #expect(Bridge.ID(fromOutside: id) == nil) }
}
