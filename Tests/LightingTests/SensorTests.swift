import FoundationEssentials
import HashTreeCollections
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

@DomainActor
struct SensorTests {
    private static let hall = Sensor.make()
    private static let dimmer = Sensor.dimmer()
    private static let hour = Timestamp.sample.advanced(by: .seconds(3600))

    private func home(_ sensors: [Sensor] = [hall, dimmer]) -> DomainFixture {
        DomainFixture(.make(sensors: sensors), stack: MemoryStack(sensors: sensors))
    }

    private func sensor(_ home: DomainFixture, _ id: Sensor.ID = hall.id) -> Sensor? { home.store.state().sensors[id] }

    @Test func `what a sensor reports is in the state, with the time at which it became so`() {
        let home = home()
        let start = home.clock.now
        home.stack.tell(.sensor(Self.hall.id, Sensor.Report(motion: true)))
        home.settle()
        home.wait(.seconds(10))
        home.stack.tell(.sensor(Self.hall.id, Sensor.Report(motion: true, lightLevel: 12)))
        home.settle()
        #expect(sensor(home)?.motion == Sensor.Reading(true, at: start))
        #expect(sensor(home)?.lightLevel == Sensor.Reading(12, at: start.advanced(by: .seconds(10))))
    }

    @Test func `a sensor is disabled by its bridge, and a switch has nothing that could be`() {
        let home = home()
        func outcome(_ command: Message.Switches) -> Outcome? {
            home.send(command)
            return home.recorder.messages.last { $0.isResponse }?.outcome
        }
        #expect(outcome(.enable(Self.hall.id, false)) == .succeeded)
        #expect(home.stack.requests == [.enable(Self.hall.id, false)])
        #expect(
            outcome(.enable(Self.dimmer.id, false))
                == .failed(.impossible("'\(Self.dimmer.name)' has nothing that can be disabled")))
        let gone = Sensor.ID(bridge: .sample, resource: "gone")
        #expect(outcome(.enable(gone, true)) == .failed(.noSuchSensor(gone)))
        #expect(home.stack.requests.count == 1)
    }

    @Test func `a button remembers what last happened to it, each time anew`() {
        let home = home()
        for kind in [ButtonPress.pressed, .released, .released] {
            home.wait(.seconds(1))
            home.stack.tell(.sensor(Self.dimmer.id, Sensor.Report(press: .init(2, kind))))
            home.settle()
        }
        let buttons = sensor(home, Self.dimmer.id)?.buttons
        #expect(buttons?.map(\.number) == [1, 2, 3, 4])
        #expect(buttons?.map(\.last) == [nil, Sensor.Reading(.released, at: home.clock.now), nil, nil])
    }

    @Test func `a sensor is stale while its bridge is lost, and what was missed is caught up with its own time`() {
        let home = home()
        home.stack.tell(.lost(.sample, because: .unreachable(.sample, because: "no route")))
        home.settle()
        let lost = home.clock.now
        #expect(sensor(home)?.staleSince == lost)
        home.wait(.seconds(60))
        let missed = Sensor.Reading(true, at: lost.advanced(by: .seconds(30)))
        home.stack.tell(.home(.sample, lights: [], rooms: [], scenes: [], sensors: [Self.hall.seeing(missed)]))
        home.settle()
        #expect(sensor(home)?.staleSince == nil)
        #expect(sensor(home)?.motion == missed)
        #expect(sensor(home, Self.dimmer.id) == nil)
    }

    @Test func `a refetch that says nothing new changes nothing, not even a time`() {
        let home = home()
        home.stack.tell(.sensor(Self.hall.id, Sensor.Report(motion: true)))
        home.settle()
        let before = home.store.state().sensors
        // The bridge's clock is a little behind.
        let told = Sensor.Reading(true, at: home.clock.now.advanced(by: .seconds(-2)))
        home.stack.tell(.changed(.sensor(Self.hall.seeing(told))))
        home.settle()
        #expect(home.store.state().sensors == before)
    }

    @Test(arguments: [
        (Sensor.Report(motion: true), true), (Sensor.Report(press: .init(1, .held)), true),
        (Sensor.Report(contact: .open, battery: 0.5), true), (Sensor.Report(rotation: -90), true),
        (Sensor.Report(reachable: false), true), (Sensor.Report(tampering: true), true),
        (Sensor.Report(lightLevel: 100), false), (Sensor.Report(temperature: 21.5, battery: 1), false),
    ])
    func `the journal has what happens, not what is only measured`(report: Sensor.Report, isRecorded: Bool) {
        let home = home()
        home.stack.tell(.sensor(Self.hall.id, report))
        home.settle()
        #expect(home.journal.entries.count == (isRecorded ? 1 : 0))
    }

    @Test func `what a sensor told is found by its name and by its id, also when it has another name now`() throws {
        let home = home()
        home.stack.tell(.sensor(Self.hall.id, Sensor.Report(motion: true)))
        home.stack.tell(.sensor(Self.dimmer.id, Sensor.Report(press: .init(1, .pressed))))
        home.stack.tell(.changed(.sensor(Sensor.make(name: "Stairs"))))
        home.settle()
        let entries = home.journal.entries
        let heard = try #require(entries.first)
        #expect(heard.names.name(of: Self.hall.id) == "Hall")
        #expect(entries.map { $0.matches(Journal.Filter(by: "hal")) } == [true, false, true])
        let subject = Journal.Subject(lights: [], sensors: [Self.hall.id])
        #expect(entries.filter { $0.matches(Journal.Filter(subject: subject)) }.count == 2)
    }

    @Test func `a difference that an older version has recorded has no sensors`() throws {
        let none = #"{"count":0,"changed":[],"gone":[]}"#
        let recorded = #"{"bridge":"ecb5fafffe010203","lights":\#(none),"rooms":\#(none),"scenes":\#(none)}"#
        let difference = try JSONDecoder().decode(HomeDifference.self, from: Data(recorded.utf8))
        #expect(difference.sensors.count == 0 && difference.sensors.changed == [] && difference.bridge == .sample)
    }

    /// Whatever happens in whatever order, what the journal has leads to the same sensors, but for what they measure.
    @Test(arguments: 0..<40 as Range<UInt64>)
    func `the journal gives the same sensors again`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let home = home([])
        var known: [Sensor] = []
        for _ in 0..<60 {
            let name = ["Hall", "Bath", "Dimmer"].randomElement(using: &random) ?? ""
            let id = Sensor.ID(bridge: .sample, resource: name)
            let sensor = Sensor.make(name, name: name, motion: .random(using: &random), buttons: 3)
                .seeing(Sensor.Reading(.random(using: &random), at: home.clock.now))
            switch Int.random(in: 0..<8, using: &random) {
            case 0: home.stack.tell(.home(.sample, lights: [], rooms: [], scenes: [], sensors: known))
            case 1:
                known = known.filter { $0.id != id } + [sensor]
                home.stack.tell(.added(.sensor(sensor)))
            case 2:
                known.removeAll { $0.id == id }
                home.stack.tell(.removed(.sensor(id)))
            case 3: home.stack.tell(.lost(.sample, because: .notPaired))
            case 4: home.stack.tell(.connected(.sample, by: .stream))
            case 5: home.stack.tell(.sensor(id, Sensor.Report(lightLevel: .random(in: 0...100, using: &random))))
            case 6: home.stack.tell(.sensor(id, Sensor.Report(motion: .random(using: &random))))
            default: home.stack.tell(.sensor(id, Sensor.Report(press: .init(2, .pressed), rotation: 15)))
            }
            home.wait(.seconds(Int.random(in: 0...5, using: &random)))
        }
        let again = DomainFixture()
        again.stack.hold()
        for entry in home.journal.entries {
            let message = try JSONDecoder().decode(Message.self, from: try JSONEncoder().encode(entry.message))
            again.domain(message)
        }
        #expect(
            again.store.state().sensors.values.map(\.unmeasured) == home.store.state().sensors.values.map(\.unmeasured))
    }
}

extension Sensor {
    fileprivate func seeing(_ motion: Reading<Bool>) -> Self {
        Sensor(
            id: id, name: name, product: product, room: room, abilities: abilities, motion: motion, buttons: buttons)
    }

    fileprivate var unmeasured: Self {
        Sensor(
            id: id, name: name, product: product, room: room, abilities: abilities, motion: motion, contact: contact,
            buttons: buttons, dial: dial, isReachable: isReachable, staleSince: staleSince)
    }
}
