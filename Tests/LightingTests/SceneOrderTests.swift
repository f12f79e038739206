import HashTreeCollections
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

/// The order of a room's scenes, which lightd keeps because bridges keep none.
@DomainActor
struct SceneOrderTests {
    private static let kitchen = HomeFixture.kitchen
    private static let names = ["Scene 10", "scene 2", "Bright", "Relax", "Night", "Écru", "bright"]

    private static func scene(_ number: Int, _ name: String? = nil, in room: Room = kitchen) -> Scene {
        Scene.make("s\(number)", name: name ?? names[number % names.count], room: room.id, lights: room.lights)
    }

    private static func fixture(_ scenes: [Scene]) -> DomainFixture {
        DomainFixture(
            .make(lights: HomeFixture.lights, rooms: HomeFixture.rooms, scenes: scenes),
            stack: MemoryStack(lights: HomeFixture.lights, rooms: HomeFixture.rooms, scenes: scenes))
    }

    private static func order(_ home: DomainFixture, _ room: Room = kitchen) -> [Scene.ID] {
        home.store.state().scenes(of: room.id).map(\.id)
    }

    private static func outcome(_ home: DomainFixture, _ ordering: Scene.Ordering, of room: Room = kitchen) -> Outcome?
    {
        home.response(to: home.send(.reorder(scenesOf: room.id, by: ordering)))?.outcome
    }

    private static func home(_ scenes: [Scene]) -> BridgeUpdate {
        .home(
            .sample, lights: HomeFixture.lights, rooms: HomeFixture.rooms, scenes: scenes, sensors: [])
    }

    /// The same, kept as a plain list: what was named, then what there was; new ones after them, by name.
    @Test(arguments: 0..<40)
    func `what is named comes first, the others keep their order, and new ones come last`(seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        var known = (0..<Int.random(in: 1...9, using: &random)).map { Self.scene($0) }
        let elsewhere = [Self.scene(90, in: HomeFixture.study), Self.scene(91, in: HomeFixture.study)]
        let home = Self.fixture(known + elsewhere)
        let untouched = Self.order(home, HomeFixture.study)
        func byName(_ scenes: [Scene]) -> [Scene.ID] { scenes.sorted { NameOrder($0.name, $0.id) }.map(\.id) }
        // Those that have been put into an order, and whether anybody has done so.
        var ordered: [Scene.ID] = []
        for step in 0..<60 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                let new = Self.scene(10 + step)
                known.append(new)
                home.stack.tell(.added(.scene(new)))
            case 1 where known.count > 1:
                let gone = known.remove(at: Int.random(in: known.indices, using: &random))
                home.stack.tell(.removed(.scene(gone.id)))
            case 2 where !known.isEmpty:
                let place = Int.random(in: known.indices, using: &random)
                known[place] = known[place].alter(by: .renaming(.it(to: "Name \(step)")))
                home.stack.tell(.changed(.scene(known[place])))
            case 3:
                // A bridge that has just started lists what it has bit by bit.
                home.stack.tell(Self.home(known.filter { _ in Bool.random(using: &random) }))
                home.stack.tell(Self.home(known + elsewhere))
            case 4 where step % 3 == 0:
                ordered = []
                #expect(Self.outcome(home, .byName) == .succeeded)
            default:
                home.settle()
                let named = known.map(\.id).filter { _ in Bool.random(using: &random) }.shuffled(using: &random)
                let others = Self.order(home).filter { !named.contains($0) }
                ordered = named + others
                // Who is named again stands where it was named first.
                #expect(Self.outcome(home, .first(named + named.reversed())) == .succeeded)
                #expect(Self.order(home) == ordered)
            }
            home.settle()
            let existing = Set(known.map(\.id))
            let placed = ordered.filter(existing.contains)
            let expected = placed + byName(known.filter { !ordered.contains($0.id) })
            #expect(Self.order(home) == expected, "step \(step)")
            #expect(Self.order(home, HomeFixture.study) == untouched)
        }
        #expect(home.stack.requests.isEmpty, "no bridge is asked")
        #expect(home.store.state().history.done.isEmpty, "nothing is left to undo")
    }

    @Test func `the order of a bridge's rooms is saved, and forgotten with the bridge`() {
        let scenes = [Self.scene(0), Self.scene(1), Self.scene(3, in: HomeFixture.evening)]
        let home = Self.fixture(scenes)
        #expect(Self.outcome(home, .first([scenes[0].id])) == .succeeded)
        #expect(Self.outcome(home, .first([scenes[2].id]), of: HomeFixture.evening) == .succeeded)
        let orders = [
            SceneOrder(of: HomeFixture.evening.id, [scenes[2].id]),
            SceneOrder(of: Self.kitchen.id, [scenes[0].id, scenes[1].id]),
        ]
        #expect(home.archive.items.last == .sceneOrders(of: .sample, orders))
        #expect(Self.outcome(home, .byName) == .succeeded)
        #expect(home.archive.items.last == .sceneOrders(of: .sample, [orders[0]]))
        #expect(home.store.state().alter(by: .removing(.bridge(.sample))).sceneOrders.isEmpty)
    }

    @Test func `an order that could not be saved is said to be so`() {
        let home = Self.fixture([Self.scene(0)])
        home.archive.end(with: .failed(.notSaved(because: "the disk is full")))
        #expect(Self.outcome(home, .byName) == .failed(.notSaved(because: "the disk is full")))
    }

    @Test func `what belongs to another room, or to none, is refused, and nothing is moved`() {
        let scenes = [Self.scene(0), Self.scene(1), Self.scene(3, in: HomeFixture.evening)]
        let home = Self.fixture(scenes)
        let before = home.store.state()
        #expect(
            Self.outcome(home, .first([scenes[1].id, scenes[2].id])) == .failed(.noSuchScene(scenes[2].id)))
        let gone = Scene.ID(bridge: .sample, resource: "gone")
        #expect(Self.outcome(home, .first([gone])) == .failed(.noSuchScene(gone)))
        let attic = Room.make("attic")
        #expect(Self.outcome(home, .byName, of: attic) == .failed(.noSuchTarget(.room(attic.id))))
        #expect(home.store.state() == before && home.archive.items.isEmpty)
    }
}
