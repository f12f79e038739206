import Testing

@testable import ServiceDiscovery

/// Who is looked up when more services are announced than can be looked up at once. Time is handed in.
@Suite struct LookupQueueTests {
    private let start = ContinuousClock.now
    private let limits = LookupQueue.Limits(
        open: 4, services: 20, patience: .seconds(5), turn: .seconds(10))

    private func name(_ number: Int) -> ServiceName {
        ServiceName(name: "Fake \(number)", type: "_hue._tcp", domain: "local")
    }

    private func numbers(_ names: [ServiceName]) -> [Int] { names.compactMap { Int($0.name.dropFirst(5)) } }

    private func queue(of count: Int) -> LookupQueue {
        var queue = LookupQueue(limits)
        for number in 0..<count {
            let isTakenIn = queue.add(name(number))
            #expect(isTakenIn == (number < 20))
        }
        return queue
    }

    @Test func `as few services as there are look-ups all keep theirs`() {
        var queue = queue(of: 4)
        let first = queue.handOver(at: start)
        #expect(numbers(first.open) == [0, 1, 2, 3])
        #expect(queue.nextHandOver == nil)
        let later = queue.handOver(at: start + .seconds(3600))
        #expect(later.close.isEmpty && later.open.isEmpty)
    }

    @Test func `a flood is looked up a few at a time, and no more services are taken in than allowed`() {
        var queue = queue(of: 500)
        var open = Set(numbers(queue.handOver(at: start).open))
        var seen = open
        #expect(open.count == 4)
        // Silent ones give way after five seconds.
        for round in 1...4 {
            let now = start + .seconds(5 * round)
            #expect(queue.nextHandOver == now)
            let turn = queue.handOver(at: now)
            open.subtract(numbers(turn.close))
            open.formUnion(numbers(turn.open))
            seen.formUnion(open)
            #expect(open.count == 4)
        }
        #expect(seen == Set(0..<20))
    }

    @Test func `an answer makes room at once for a service that was never looked up`() {
        var queue = queue(of: 5)
        _ = queue.handOver(at: start)
        queue.answered(name(2), isFollowed: false)
        let turn = queue.handOver(at: start)
        #expect(numbers(turn.close) == [2] && numbers(turn.open) == [4])
        // Now all have had a turn, and 4 keeps its own for ten seconds.
        for number in [0, 1, 3, 4] { queue.answered(name(number), isFollowed: false) }
        #expect(queue.nextHandOver == start + .seconds(10))
        let early = queue.handOver(at: start + .seconds(9))
        let due = queue.handOver(at: start + .seconds(10))
        #expect(early.open.isEmpty && numbers(due.open).first == 2)
    }

    @Test func `a followed service keeps its look-up, but impostors cannot keep more than half`() {
        var queue = queue(of: 20)
        _ = queue.handOver(at: start)
        for number in 0..<4 { queue.answered(name(number), isFollowed: true) }
        var everClosed: Set<Int> = []
        for round in 0...100 { everClosed.formUnion(numbers(queue.handOver(at: start + .seconds(5 * round)).close)) }
        #expect(everClosed.isDisjoint(with: [0, 1]))
        #expect(everClosed.isSuperset(of: [2, 3]))
    }

    @Test func `a service that is gone makes room`() {
        var queue = queue(of: 20)
        _ = queue.handOver(at: start)
        let isTakenIn = queue.add(name(20))
        queue.remove(name(1))
        let isTakenInLater = queue.add(name(20))
        #expect(!isTakenIn && isTakenInLater)
        let next = queue.handOver(at: start)
        #expect(numbers(next.open) == [4])
    }
}
