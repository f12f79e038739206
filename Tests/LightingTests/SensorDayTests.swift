import HashTreeCollections
import Khipu
import LightingTestKit
import TestSupport
import Testing

@testable import Lighting

@DomainActor
struct SensorDayTests {
    private static let day = Duration.seconds(86_400)

    @Test(arguments: [3 as UInt64, 14, 159]) func `a day is bounded, in order, and as old as a day`(seed: UInt64) {
        var (random, now, record) = (SplitMix(seed: seed), Timestamp.sample, SensorDay())
        for _ in 0..<5000 {
            now = now.advanced(by: .seconds(Int.random(in: 0..<300, using: &random)))
            let report = Sensor.Report(
                motion: Bool.random(using: &random), lightLevel: .random(in: 0...100, using: &random),
                temperature: .random(in: 10...30, using: &random))
            record = record.recording(report, at: now)
            #expect(record.temperature.last?.value == report.temperature)
            #expect((record.active.last?.end == nil && !record.active.isEmpty) == report.motion)
        }
        for samples in [record.temperature, record.lightLevel] {
            #expect(samples.count <= 146)
            #expect(zip(samples, samples.dropFirst()).allSatisfy { $1.time.since($0.time) >= SensorDay.slot })
            // One from before the day's beginning says what held then.
            #expect(samples.filter { now.since($0.time) > Self.day }.count <= 1)
        }
        #expect(record.active.count <= SensorDay.mostSpans)
        #expect(record.active.allSatisfy { now.since($0.end ?? now) <= Self.day && $0.start <= $0.end ?? now })
        #expect(
            zip(record.active, record.active.dropFirst()).allSatisfy { earlier, later in
                earlier.end.map { later.start.since($0) >= SensorDay.pause } ?? false
            })
    }

    @Test func `a contact that stays open is open from then on, however often it is read`() {
        let door = Sensor(
            id: .init(bridge: .sample, resource: "door"), name: "Door", abilities: [.contact],
            contact: .init(.open, at: .sample))
        let later = Timestamp.sample.advanced(by: .seconds(3600))
        let day = SensorDay().recording(door, at: later).recording(door, at: later.advanced(by: .seconds(60)))
        #expect(day.active == [.init(from: .sample)])
        #expect(day.recording(Sensor.Report(contact: .closed), at: later).active == [.init(from: .sample, to: later)])
    }

    @Test func `what is reported and what is read is kept, and goes with the sensor`() {
        let hall = Sensor.make()
        let home = DomainFixture(.make(sensors: [hall]), stack: MemoryStack(sensors: [hall]))
        home.stack.tell(.sensor(hall.id, Sensor.Report(temperature: 21.5)))
        home.settle()
        #expect(home.store.state().sensorDays[hall.id]?.temperature.map(\.value) == [21.5])
        home.stack.tell(
            .home(.sample, lights: [], rooms: [], scenes: [], sensors: [Sensor.make(motion: true)]))
        home.settle()
        #expect(home.store.state().sensorDays[hall.id]?.active == [.init(from: .sample)])
        home.stack.tell(.removed(.sensor(hall.id)))
        home.settle()
        #expect(home.store.state().sensorDays.isEmpty)
    }
}
