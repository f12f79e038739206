import DequeModule

/// What waits to be published while a connection lasts: of each topic that is retained the newest message, in the order in
/// which the topics came; and other messages, one after the other. With the connection it ends: what a broker has missed
/// is found out by looking.
struct MQTTOutbox {
    /// The most messages that wait besides the retained ones. Nobody wants a button's press of an hour ago.
    static let mostEvents = 1000
    /// The most bytes that they have together; one that has more alone is taken if no other waits.
    static let mostEventBytes = 16 << 20
    /// The most messages that the broker has not acknowledged yet, and the most bytes that they have together, but for
    /// the last one. libmosquitto keeps a copy of each.
    static let window = 200
    static let windowBytes = 4 << 20

    private var order: Deque<Entry> = []
    private var retained: [String: MQTTMessage] = [:]
    private var events = 0
    /// In their payloads.
    private var eventBytes = 0
    /// By the numbers by which the broker acknowledges them.
    private var unacknowledged: [Int32: Sent] = [:]
    private var unacknowledgedBytes = 0

    struct Sent: Equatable {
        let topic: String
        let correlation: [UInt8]?
        fileprivate let bytes: Int
    }

    private enum Entry {
        case retained(String)
        case event(MQTTMessage)
    }

    var waiting: Int { order.count }
    var unacknowledgedCount: Int { unacknowledged.count }

    /// - Returns: `false` if there is no room for it.
    mutating func put(_ message: MQTTMessage) -> Bool {
        guard message.isRetained else {
            let bytes = eventBytes + message.payload.count
            guard events < Self.mostEvents, bytes <= Self.mostEventBytes || events == 0 else { return false }
            events += 1
            eventBytes = bytes
            order.append(.event(message))
            return true
        }
        if retained.updateValue(message, forKey: message.topic) == nil { order.append(.retained(message.topic)) }
        return true
    }

    /// The next message, if the window is open.
    mutating func next() -> MQTTMessage? {
        guard unacknowledged.count < Self.window, unacknowledgedBytes < Self.windowBytes, let entry = order.popFirst()
        else { return nil }
        switch entry {
        case let .retained(topic): return retained.removeValue(forKey: topic)
        case let .event(message):
            events -= 1
            eventBytes -= message.payload.count
            return message
        }
    }

    /// - Parameter number: by which the broker will acknowledge it.
    mutating func sent(_ message: MQTTMessage, as number: Int32) {
        guard message.quality == .atLeastOnce else { return }
        let sent = Sent(topic: message.topic, correlation: message.correlation, bytes: message.size)
        unacknowledged[number] = sent
        unacknowledgedBytes += sent.bytes
    }

    /// - Returns: the message, if it was waited for.
    mutating func acknowledged(_ number: Int32) -> Sent? {
        guard let sent = unacknowledged.removeValue(forKey: number) else { return nil }
        unacknowledgedBytes -= sent.bytes
        return sent
    }
}
