/// What is published on a topic, by us or by others.
public struct MQTTMessage: Equatable, Sendable {
    public var topic: String
    /// Bytes from outside are text only where they are read as one.
    public var payload: [UInt8]
    public var quality: Quality
    /// Whether the broker keeps it for those who come later; of a message that arrived, whether it was kept.
    public var isRetained: Bool
    /// Where an answer is expected; only MQTT 5 tells.
    public var responseTopic: String?
    /// Comes back with the answer, as it is.
    public var correlation: [UInt8]?
    /// In the order in which they came; names may come more than once.
    public var userProperties: [Property]

    public enum Quality: Int32, Sendable {
        /// At most once: lost with the connection.
        case atMostOnce = 0
        /// At least once: acknowledged.
        case atLeastOnce = 1
    }

    public struct Property: Equatable, Sendable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    public init(
        _ topic: String, _ payload: [UInt8], quality: Quality = .atLeastOnce, isRetained: Bool = false,
        responseTopic: String? = nil, correlation: [UInt8]? = nil, userProperties: [Property] = []
    ) {
        self.topic = topic
        self.payload = payload
        self.quality = quality
        self.isRetained = isRetained
        self.responseTopic = responseTopic
        self.correlation = correlation
        self.userProperties = userProperties
    }

    public init(_ topic: String, _ text: String, quality: Quality = .atLeastOnce, isRetained: Bool = false) {
        self.init(topic, Array(text.utf8), quality: quality, isRetained: isRetained)
    }

    /// In bytes, as it takes up memory.
    public var size: Int {
        topic.utf8.count + payload.count + (responseTopic?.utf8.count ?? 0) + (correlation?.count ?? 0)
            + userProperties.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }

    public func property(_ name: String) -> String? { userProperties.first { $0.name == name }?.value }
}
