import Khipu
import Lighting
import LightingTestKit
import Testing

@testable import ControlSurface

@Suite struct LatestStateTests {
    private func state(_ number: Int) -> AppState {
        AppState().alter(by: .adding(.light(.make(name: "Light \(number)"))))
    }

    @Test func `the newest states are remembered by their ids, and the oldest forgotten`() {
        let latest = LatestState(AppState(), started: .sample)
        var known = [latest.snapshot]
        for number in 1...(2 * LatestState.memory) {
            latest.update(to: state(number))
            known.append(latest.snapshot)
        }
        #expect(zip(known, known.dropFirst()).allSatisfy { $0.id < $1.id })
        for (place, snapshot) in known.enumerated() {
            let found = latest.snapshot(id: snapshot.id)
            #expect(found?.state == (place >= known.count - LatestState.memory ? snapshot.state : nil))
        }
    }

    @Test func `the same state keeps its id and wakes nobody`() async {
        let latest = LatestState(state(1), started: .sample)
        let (id, subscriber) = (latest.snapshot.id, latest.changes.subscribe())
        latest.update(to: state(1))
        #expect(latest.snapshot.id == id)
        latest.update(to: state(2))
        #expect(latest.snapshot.id > id)
        subscriber.cancel()
        var signals = 0
        for await _ in subscriber.signals { signals += 1 }
        #expect(signals == 1)
    }

    @Test func `a home in another time is another one`() {
        let time = Live(HomeTime.utc)
        let latest = LatestState(state(1), in: time, started: .sample)
        let before = latest.snapshot
        time.value = HomeTime(zone: .fixed(3600))
        latest.update(to: state(1))
        #expect(latest.snapshot.id > before.id && latest.snapshot.home.time == time.value)
        #expect(before.home.time == .utc && latest.snapshot(id: before.id)?.home.time == .utc)
        let id = latest.snapshot.id
        latest.update(to: state(1))
        #expect(latest.snapshot.id == id)
    }

    @Test(arguments: [Int64.min, -1, 0, 1, .max]) func `an id that nobody gave is not remembered`(id: Int64) {
        let latest = LatestState(AppState(), started: .sample)
        for number in 1...3 { latest.update(to: state(number)) }
        #expect(latest.snapshot(id: id) == nil)
        #expect(latest.snapshot(id: latest.snapshot.id + id.signum()) == nil || id == 0)
    }

    @Test func `of the events of a change only the last one's id stands for the state`() {
        let latest = LatestState(AppState(), started: .sample)
        latest.update(to: state(1))
        let snapshot = latest.snapshot
        let ids = (0..<1000).reversed().map { snapshot.eventID(before: $0) }
        #expect(ids.last == snapshot.id && ids == ids.sorted() && Set(ids.suffix(200)).count == 200)
        for id in ids.dropLast() { #expect(latest.snapshot(id: id) == nil) }
    }

    @Test func `two processes that began at the same time do not take each other's states for theirs`() {
        let one = LatestState(AppState(), started: .sample, salt: 7)
        let other = LatestState(AppState(), started: .sample, salt: 8)
        #expect(other.snapshot(id: one.snapshot.id) == nil)
        let later = LatestState(AppState(), started: .sample.advanced(by: .seconds(60)), salt: 0)
        #expect(later.snapshot.id > one.snapshot.id)
    }
}
