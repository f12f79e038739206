import TestSupport
import Testing

@testable import MQTT

struct OutboxTests {
    private static func state(_ topic: String, _ text: String) -> MQTTMessage {
        MQTTMessage(topic, text, isRetained: true)
    }

    @Test func `of each topic the newest value waits, in the order in which the topics came`() {
        var outbox = MQTTOutbox()
        for (topic, text) in [("a", "1"), ("b", "1"), ("a", "2"), ("c", "1"), ("a", "3")] {
            _ = outbox.put(Self.state(topic, text))
        }
        #expect(outbox.waiting == 3)
        let sent = (0..<3).compactMap { _ in outbox.next() }.map {
            "\($0.topic)\(String(decoding: $0.payload, as: UTF8.self))"
        }
        #expect(sent == ["a3", "b1", "c1"] && outbox.waiting == 0)
    }

    @Test func `as many messages are under way as the window has, and an acknowledgement lets the next one go`() {
        var outbox = MQTTOutbox()
        for number in 0..<300 { _ = outbox.put(Self.state("\(number)", "x")) }
        var numbers: [Int32] = []
        while let message = outbox.next() {
            numbers.append(Int32(numbers.count + 1))
            outbox.sent(message, as: numbers[numbers.count - 1])
        }
        #expect(numbers.count == MQTTOutbox.window && outbox.waiting == 100)
        let (first, second) = (outbox.acknowledged(1), outbox.acknowledged(1))
        #expect(first != nil && second == nil, "each once")
        let next = outbox.next()
        #expect(next != nil && outbox.unacknowledgedCount == MQTTOutbox.window - 1)
    }

    @Test func `events are bounded, and their overflow is said`() {
        var outbox = MQTTOutbox()
        var taken = 0
        for _ in 0..<(MQTTOutbox.mostEvents + 10) where outbox.put(MQTTMessage("button", "x")) { taken += 1 }
        #expect(taken == MQTTOutbox.mostEvents && outbox.waiting == taken)
        let hasRoom = outbox.put(Self.state("lamp", "ON"))
        #expect(hasRoom, "what is retained always has room")
    }

    /// Whatever comes, what is published last of a topic is what was put last.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `the broker ends with the newest value of each topic`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var (outbox, number) = (MQTTOutbox(), Int32(0))
        var (newest, broker): ([String: [UInt8]], [String: [UInt8]]) = ([:], [:])
        var underWay: [Int32] = []
        for step in 0..<2000 {
            switch random.next() % 3 {
            case 0:
                let message = Self.state("topic \(random.next() % 400)", "\(step)")
                newest[message.topic] = message.payload
                _ = outbox.put(message)
            case 1:
                if let message = outbox.next() {
                    broker[message.topic] = message.payload
                    number += 1
                    outbox.sent(message, as: number)
                    underWay.append(number)
                }
            default: if !underWay.isEmpty { _ = outbox.acknowledged(underWay.removeFirst()) }
            }
            #expect(outbox.waiting <= 400 && outbox.unacknowledgedCount <= MQTTOutbox.window)
        }
        for id in underWay { _ = outbox.acknowledged(id) }
        while let message = outbox.next() { broker[message.topic] = message.payload }
        #expect(broker == newest)
    }

    @Test func `attempts follow one another ever more slowly, up to a minute, and never together`() {
        var backoff = MQTTBackoff()
        let waits = (0..<9).map { _ in backoff.next(isFinal: false, chance: 0.5) }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
        let (least, most) = (backoff.next(isFinal: false, chance: 0), backoff.next(isFinal: false, chance: 1))
        #expect(least == .seconds(45) && most == .seconds(75))
        backoff.succeeded()
        let (soon, late) = (backoff.next(isFinal: false, chance: 0.5), backoff.next(isFinal: true, chance: 0.5))
        #expect(soon == .seconds(1))
        #expect(late == .seconds(60), "a wrong password is as wrong in a second")
    }
}
