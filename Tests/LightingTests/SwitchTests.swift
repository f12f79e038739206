import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

/// Switches and dials bound to lights.
@DomainActor
struct SwitchTests {
    @DomainActor
    private struct SwitchFixture {
        let home: DomainFixture
        let switchID: Sensor.ID
        let target = Target.room(Room.make().id)

        @DomainActor
        init(
            _ sensor: Sensor = .dimmer(), lamps: [Double] = [0.8, 0.2], power: Turn = .on, scenes: [String] = [],
            isBound: Bool = true
        ) {
            let lights = lamps.enumerated().map {
                Light.make("\($0)", name: "Lamp \($0)", power: power, brightness: $1)
            }
            let room = Room.make(lights: lights)
            let stored = scenes.map { Scene.make($0, name: $0, room: room.id, lights: lights.map(\.id)) }
            home = DomainFixture(
                .make(lights: lights, rooms: [room], scenes: stored, sensors: [sensor]),
                stack: MemoryStack(lights: lights, rooms: [room], scenes: stored, sensors: [sensor]))
            switchID = sensor.id
            if isBound { home.send(.bind(SwitchBinding(of: sensor.id, to: .room(room.id)))) }
        }

        func tell(_ report: Sensor.Report) {
            home.stack.tell(.sensor(switchID, report))
            home.settle()
        }

        func press(_ button: Int, _ kinds: ButtonPress..., apart: Duration = .milliseconds(200)) {
            for kind in kinds {
                tell(Sensor.Report(press: .init(button, kind)))
                home.wait(apart)
            }
        }

        func turn(_ steps: Int) { tell(Sensor.Report(rotation: steps)) }

        var requests: [MemoryStack.Request] { home.stack.requests }
        var levels: [Double] { (0..<9).compactMap { home.light(Light.make("\($0)").id)?.brightness } }
        var isOn: Bool { home.light(Light.make("0").id)?.power == .on }
        var recalled: [String] {
            requests.compactMap { if case let .recall(scene, _, _) = $0 { scene.resource } else { nil } }
        }
    }

    private func close(_ one: [Double], _ other: [Double]) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { abs($0 - $1) < 0.005 }
    }

    nonisolated private static let dial = Sensor.make("dial", name: "Dial", abilities: [.battery, .dial], buttons: 4)

    // MARK: The dimmer switch

    @Test func `a dimmer switch turns on and off as soon as a button goes down`() {
        let fixture = SwitchFixture(power: .off)
        fixture.tell(Sensor.Report(press: .init(1, .pressed)))
        #expect(fixture.isOn)
        fixture.tell(Sensor.Report(press: .init(1, .released)))
        #expect(fixture.requests.count == 1)
        fixture.tell(Sensor.Report(press: .init(4, .pressed)))
        #expect(!fixture.isOn && fixture.requests.count == 2)
    }

    @Test func `on pressed again recalls one scene of the room after the other, by their names`() {
        let fixture = SwitchFixture(power: .off, scenes: ["Scene 10", "Scene 2", "Bright"])
        for _ in 0..<5 { fixture.press(1, .pressed, .released) }
        #expect(fixture.recalled == ["Bright", "Scene 2", "Scene 10", "Bright"])
        // Later, it begins with the first again.
        fixture.home.wait(.seconds(11))
        fixture.press(1, .pressed, .released)
        #expect(fixture.recalled.last == "Bright")
    }

    @Test func `scenes are recalled in the order into which they were put, and a new order holds at once`() {
        let fixture = SwitchFixture(scenes: ["Bright", "Night", "Relax"])
        func reorder(_ names: String...) {
            fixture.home.send(.reorder(scenesOf: Room.make().id, by: .first(names.map { Scene.make($0).id })))
        }
        reorder("Relax", "Night")
        for _ in 0..<2 { fixture.press(1, .pressed, .released) }
        #expect(fixture.recalled == ["Relax", "Night"])
        reorder("Bright")
        for _ in 0..<2 { fixture.press(1, .pressed, .released) }
        #expect(fixture.recalled == ["Relax", "Night", "Night", "Bright"])
    }

    @Test func `the scenes that were chosen are recalled in their order`() {
        let fixture = SwitchFixture(scenes: ["Bright", "Night", "Relax"])
        let chosen = ["Relax", "Bright"].map { Scene.make($0).id }
        fixture.home.send(.bind(SwitchBinding(of: fixture.switchID, to: fixture.target, scenes: chosen)))
        for _ in 0..<3 { fixture.press(1, .pressed, .released) }
        #expect(fixture.recalled == ["Relax", "Bright", "Relax"])
    }

    @Test func `short presses step the room with its ratios, and one press is one command`() {
        let fixture = SwitchFixture()
        fixture.press(2, .pressed, .released)
        fixture.press(3, .pressed, .released)
        #expect(fixture.requests.count == 2)
        #expect(close(fixture.levels, [0.8, 0.2]))
        fixture.press(3, .pressed, .released)
        #expect(fixture.levels[0] < 0.75 && abs(fixture.levels[0] / fixture.levels[1] - 4) < 1e-6)
    }

    @Test(arguments: [500, 800, 1000])
    func `holding fades on and on at one speed, stops when released, and one last value says where`(pause: Int) {
        let fixture = SwitchFixture(lamps: [1, 1])
        fixture.tell(Sensor.Report(press: .init(3, .pressed)))
        let repeats = 2000 / pause
        for _ in 0..<repeats {
            fixture.home.wait(.milliseconds(pause))
            fixture.tell(Sensor.Report(press: .init(3, .held)))
        }
        let (before, count) = (fixture.levels, fixture.requests.count)
        #expect(count == repeats + 1)
        for case let .set(_, fade) in fixture.requests.dropFirst() { #expect(fade == .milliseconds(pause)) }
        // A quarter of the last fade has passed: the lamps are between its ends.
        fixture.home.wait(.milliseconds(pause / 4))
        fixture.tell(Sensor.Report(press: .init(3, .releasedLong)))
        #expect(fixture.requests.count == count + 1)
        #expect(fixture.levels[0] > before[0])
        fixture.home.wait(.seconds(5))
        #expect(fixture.requests.count == count + 1)
    }

    @Test func `the speed of holding does not depend on how often a bridge repeats`() {
        func level(repeating pause: Int, times: Int) -> Double {
            let fixture = SwitchFixture(lamps: [1])
            fixture.tell(Sensor.Report(press: .init(3, .pressed)))
            for _ in 0..<times {
                fixture.home.wait(.milliseconds(pause))
                fixture.tell(Sensor.Report(press: .init(3, .held)))
            }
            return fixture.levels[0]
        }
        #expect(abs(level(repeating: 500, times: 4) - level(repeating: 1000, times: 2)) < 1e-9)
        #expect(level(repeating: 800, times: 9) == 0.01)
    }

    @Test func `holding brings every lamp to its lowest level, and then sends nothing more`() {
        let fixture = SwitchFixture(lamps: [1, 0.3, 0.05])
        fixture.press(3, .pressed, .held, .held, .held, .held, .held, .held, .held, apart: .milliseconds(800))
        #expect(close(fixture.levels, [0.01, 0.01, 0.01]))
        let count = fixture.requests.count
        fixture.press(3, .held, .held, .releasedLong, apart: .milliseconds(800))
        #expect(fixture.requests.count == count)
    }

    @Test func `a release after the fade has arrived needs no last value`() {
        let fixture = SwitchFixture(lamps: [1])
        fixture.press(3, .pressed, .held, apart: .milliseconds(800))
        fixture.home.wait(.seconds(1))
        let count = fixture.requests.count
        fixture.press(3, .releasedLong)
        #expect(fixture.requests.count == count)
    }

    @Test func `brighter turns on what is off, darker does not`() {
        let fixture = SwitchFixture(power: .off)
        fixture.press(3, .pressed, .held, .releasedLong)
        #expect(fixture.requests.isEmpty)
        fixture.press(2, .pressed, .released)
        #expect(fixture.isOn && fixture.levels[0] < 0.2)
    }

    // MARK: What bridges leave out

    @Test func `a release whose press was left out is a press`() {
        let fixture = SwitchFixture(power: .off)
        fixture.press(1, .released)
        #expect(fixture.isOn)
        fixture.press(4, .pressed)
        fixture.home.wait(.seconds(5))
        // The release of the first press was left out, and so was the second press.
        fixture.home.send(.turn(.on, fixture.target, over: .usual))
        fixture.press(4, .released)
        #expect(!fixture.isOn)
    }

    @Test func `a release that is told late belongs to its press, as its bridge's clock tells`() {
        let fixture = SwitchFixture(lamps: [0.8])
        fixture.press(3, .pressed)
        fixture.home.wait(.seconds(3))
        fixture.tell(Sensor.Report(press: .init(3, .released, after: .milliseconds(200))))
        #expect(fixture.requests.count == 1)
        // A press that was left out comes after one whose release was.
        fixture.press(3, .pressed)
        fixture.tell(Sensor.Report(press: .init(3, .released, after: .seconds(60))))
        #expect(fixture.requests.count == 3)
    }

    @Test func `a button that is held, and whose press was left out, dims`() {
        let fixture = SwitchFixture(lamps: [1])
        fixture.press(3, .held)
        #expect(fixture.levels[0] < 0.9 && fixture.requests.count == 1)
    }

    @Test(arguments: 1...80 as ClosedRange<UInt64>)
    func `whatever is left out, repeated or mixed, a bound switch neither fails nor goes on by itself`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let sensors = [Sensor.dimmer(), Self.dial, .make("button", name: "Button", abilities: [.battery], buttons: 1)]
        let sensor = sensors[Int.random(in: 0..<3, using: &random)]
        let fixture = SwitchFixture(sensor, scenes: ["a", "b"])
        for _ in 0..<30 {
            let (before, steps) = (fixture.requests.count, fixture.home.store.state().history.done.count)
            let button = Int.random(in: 1...max(sensor.buttons.count, 1), using: &random)
            if sensor.abilities.contains(.dial), Bool.random(using: &random) {
                fixture.turn(Int.random(in: -400...400, using: &random))
            } else {
                let kinds = ButtonPress.allCases
                let kind = kinds[Int.random(in: 0..<kinds.count, using: &random)]
                fixture.tell(Sensor.Report(press: .init(button, kind)))
            }
            #expect(fixture.requests.count <= before + 1)
            #expect(fixture.home.store.state().history.done.count <= steps + 1)
            let count = fixture.requests.count
            fixture.home.wait(.milliseconds(Int.random(in: 0...3000, using: &random)))
            #expect(fixture.requests.count == count)
        }
        #expect(fixture.levels.allSatisfy { (0.01...1).contains($0) })
    }

    // MARK: The dial

    @Test func `a dial sets the level of a room with its ratios, and one turn is one step to undo`() {
        let fixture = SwitchFixture(Self.dial)
        for _ in 0..<4 {
            fixture.turn(-60)
            fixture.home.wait(.milliseconds(400))
        }
        #expect(fixture.levels[0] < 0.7 && abs(fixture.levels[0] / fixture.levels[1] - 4) < 1e-6)
        #expect(fixture.requests.count == 4)
        #expect(fixture.home.store.state().history.done.count == 1)
        #expect(fixture.home.store.state().history.done.first?.tickets.first?.holder == "switch 'Dial'")
        fixture.home.send(.undo(1, over: .usual))
        #expect(close(fixture.levels, [0.8, 0.2]))
        // After a pause it is another turn.
        for pause in [0, 3] {
            fixture.home.wait(.seconds(pause))
            fixture.turn(-60)
        }
        #expect(fixture.home.store.state().history.done.count == 2)
    }

    @Test func `a dial turned to the end and back loses nothing`() {
        let fixture = SwitchFixture(Self.dial)
        for steps in [-1000, 300, 900, -1100] { fixture.turn(steps) }
        fixture.home.send(.apply(.mean(brightness: 0.5), on: fixture.target, over: .usual))
        #expect(close(fixture.levels, [0.8, 0.2]))
    }

    @Test func `clockwise turns on what is off, counter-clockwise does not, and never turns off`() {
        let fixture = SwitchFixture(Self.dial, power: .off)
        fixture.turn(-200)
        #expect(!fixture.isOn && fixture.requests.isEmpty)
        fixture.turn(200)
        #expect(fixture.isOn && close(fixture.levels, [0.173, 0.173]))
        fixture.turn(-1000)
        #expect(fixture.isOn && close(fixture.levels, [0.01, 0.01]))
    }

    @Test func `the buttons of a dial recall the scenes; held, they turn off, and nothing flashes up before`() {
        let fixture = SwitchFixture(Self.dial, scenes: ["Bright", "Night"])
        fixture.press(2, .pressed, .released)
        #expect(fixture.recalled == ["Night"])
        fixture.press(1, .pressed)
        #expect(fixture.recalled == ["Night"])
        fixture.press(1, .held, .held, .releasedLong)
        #expect(!fixture.isOn && fixture.recalled == ["Night"])
        // What is off cannot be turned off: the scene comes at once.
        fixture.tell(Sensor.Report(press: .init(1, .pressed)))
        #expect(fixture.recalled == ["Night", "Bright"])
        // There is no third scene.
        fixture.home.send(.turn(.on, fixture.target, over: .usual))
        fixture.press(3, .pressed, .released)
        #expect(!fixture.isOn)
    }

    @Test func `a switch with one button turns on and off, and dims in turns while it is held`() {
        let button = Sensor.make("button", name: "Button", abilities: [.battery], buttons: 1)
        let fixture = SwitchFixture(button, lamps: [0.4])
        fixture.press(1, .pressed, .held, .held, .releasedLong, apart: .milliseconds(800))
        #expect(fixture.levels[0] > 0.6 && fixture.isOn)
        let bright = fixture.levels[0]
        fixture.press(1, .pressed, .held, .held, .releasedLong, apart: .milliseconds(800))
        #expect(fixture.levels[0] < bright)
        fixture.press(1, .pressed, .released)
        #expect(!fixture.isOn)
        fixture.press(1, .pressed, .released)
        #expect(fixture.isOn)
    }

    // MARK: Binding

    @Test func `holding is one gesture, and is undone in one step`() {
        let fixture = SwitchFixture()
        fixture.press(3, .pressed, .held, .held, apart: .milliseconds(800))
        fixture.home.wait(.milliseconds(100))
        fixture.press(3, .releasedLong)
        #expect(fixture.home.store.state().history.done.count == 1)
        fixture.home.send(.undo(1, over: .usual))
        #expect(close(fixture.levels, [0.8, 0.2]))
    }

    @Test func `only what happens now is acted on, and only while the switch is bound`() {
        let fixture = SwitchFixture(power: .off)
        // A full read finds a press, and a forgotten one.
        let read = Sensor.make("dimmer", name: "Dimmer", abilities: [.battery], buttons: 4)
        fixture.home.stack.tell(.changed(.sensor(read)))
        fixture.home.settle()
        #expect(fixture.requests.isEmpty)
        fixture.home.send(.unbind(fixture.switchID))
        fixture.press(1, .pressed, .released)
        #expect(fixture.requests.isEmpty)
    }

    @Test func `bindings are saved, with the names that people know`() {
        let fixture = SwitchFixture()
        guard case let .bindings(saved)? = fixture.home.archive.items.last else {
            Issue.record("nothing was saved")
            return
        }
        #expect(saved.map(\.id) == [fixture.switchID])
        #expect(saved[0].names.name(of: fixture.switchID) == "Dimmer")
        #expect(saved[0].names.name(of: Room.make().id) == "Kitchen")
        fixture.home.send(.unbind(fixture.switchID))
        #expect(fixture.home.archive.items.last == .bindings([]))
        let again = fixture.home.send(.unbind(fixture.switchID))
        #expect(fixture.home.response(to: again)?.outcome == .failed(.notBound(fixture.switchID)))
    }

    @Test func `a bridge that is forgotten takes its bindings with it`() {
        let fixture = SwitchFixture()
        fixture.home.send(.forget(.sample))
        #expect(fixture.home.store.state().bindings.isEmpty && fixture.home.archive.items.last == .bindings([]))
    }

    @Test func `what cannot be bound is refused`() {
        let motion = Sensor.make()
        let fixture = SwitchFixture(motion, isBound: false)
        func outcome(_ binding: SwitchBinding) -> Outcome? {
            fixture.home.response(to: fixture.home.send(.bind(binding)))?.outcome
        }
        let gone = (Sensor.make("gone").id, Target.room(Room.make("gone").id), Scene.make("gone").id)
        #expect(
            outcome(SwitchBinding(of: motion.id, to: fixture.target))
                == .failed(.impossible("'Hall' has neither buttons nor a dial")))
        #expect(outcome(SwitchBinding(of: gone.0, to: fixture.target)) == .failed(.noSuchSensor(gone.0)))
        fixture.home.store.change(by: .adding(.sensor(.dimmer())))
        let dimmer = Sensor.dimmer().id
        #expect(outcome(SwitchBinding(of: dimmer, to: gone.1)) == .failed(.noSuchTarget(gone.1)))
        #expect(
            outcome(SwitchBinding(of: dimmer, to: .all, scenes: [gone.2])) == .failed(.noSuchScene(gone.2)))
        #expect(fixture.home.store.state().bindings.isEmpty)
    }

    @Test func `a press for a room that is gone is an error in the journal, once for each press`() {
        let fixture = SwitchFixture()
        fixture.home.stack.tell(.removed(.room(Room.make().id)))
        fixture.home.settle()
        fixture.press(3, .pressed, .held, .held, .releasedLong)
        let missed = fixture.home.recorder.messages.filter {
            if case .switches(.missed(_, because: .noSuchTarget(fixture.target)), _) = $0 { true } else { false }
        }
        #expect(missed.count == 1 && fixture.requests.isEmpty)
    }
}
