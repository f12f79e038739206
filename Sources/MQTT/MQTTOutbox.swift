import DequeModule

/// What waits to be published while a connection lasts: of each topic that is retained the newest message, in the order in
/// which the topics came; and other messages, one after the other. With the connection it ends: what a broker has missed
/// is found out by looking.
struct MQTTOutbox {
    /// The most messages that wait besides the retained ones. Nobody wants a button's press of an hour ago.
    static let mostEvents = 1000
    /// The most messages that the broker has not acknowledged yet.
    static let window = 200

    private var order: Deque<Entry> = []
    private var retained: [String: MQTTMessage] = [:]
    private var events = 0
    /// Their topics, by the numbers by which the broker acknowledges them.
    private var unacknowledged: [Int32: String] = [:]

    private enum Entry {
        case retained(String)
        case event(MQTTMessage)
    }

    var waiting: Int { order.count }
    var unacknowledgedCount: Int { unacknowledged.count }

    /// - Returns: `false` if there is no room for it.
    mutating func put(_ message: MQTTMessage) -> Bool {
        guard message.isRetained else {
            guard events < Self.mostEvents else { return false }
            events += 1
            order.append(.event(message))
            return true
        }
        if retained.updateValue(message, forKey: message.topic) == nil { order.append(.retained(message.topic)) }
        return true
    }

    /// The next message, if the window is open.
    mutating func next() -> MQTTMessage? {
        guard unacknowledged.count < Self.window, let entry = order.popFirst() else { return nil }
        switch entry {
        case let .retained(topic): return retained.removeValue(forKey: topic)
        case let .event(message):
            events -= 1
            return message
        }
    }

    /// - Parameter number: by which the broker will acknowledge it.
    mutating func sent(_ message: MQTTMessage, as number: Int32) {
        if message.quality == .atLeastOnce { unacknowledged[number] = message.topic }
    }

    /// - Returns: its topic, if it was waited for.
    mutating func acknowledged(_ number: Int32) -> String? { unacknowledged.removeValue(forKey: number) }
}
