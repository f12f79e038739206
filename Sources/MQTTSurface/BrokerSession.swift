import ControlSurface
import FoundationEssentials
import Lighting
import MQTT

/// What lightd does on a broker while one connection lasts: a value, without a socket or a clock. What happens comes in;
/// what is to be published and subscribed comes out.
///
/// First it looks at what the broker keeps of this site: all of it is published again where it differs, and what is no
/// longer there is cleared away. That is how a lamp that was removed while lightd was off leaves no ghost.
struct BrokerSession {
    /// What is to be done at the broker, in this order.
    enum Step: Equatable {
        case publish([MQTTMessage])
        case subscribe([String])
        /// To what is kept, of which there may be more than a broker has patience to see acknowledged.
        case look([String])
        case unsubscribe([String])
        /// Carry out what a message asks for.
        case perform(Topics.Address, MQTTMessage)
        /// Publish everything again, in a moment: Home Assistant has started.
        case repeatSoon
        case tell(Remark)
    }

    /// For the log.
    enum Remark: Hashable {
        /// The broker does not keep what is published there.
        case rejected(topic: String, reason: String)
        case retainedCommand(topic: String)
        case refused(filters: [String])
        case tooLong(topic: String, bytes: Int)
        case noSweep
    }

    /// Why something is published.
    enum Occasion {
        case change
        /// Somebody may have missed it.
        case repetition
        /// Somebody shows something else.
        case correction
    }

    private enum Phase { case looking, live }

    private let topics: Topics
    private let sentinel: String
    private var phase = Phase.looking
    /// What the broker keeps of us, as far as is known: the hash of each payload.
    private(set) var kept: [String: Int] = [:]
    /// What Home Assistant knows of by each message that describes a device.
    private var discovered: [String: Publication.Entities] = [:]

    /// - Parameter sentinel: a text that no other session has.
    init(_ topics: Topics, sentinel: String) { (self.topics, self.sentinel) = (topics, sentinel) }

    var isLive: Bool { phase == .live }

    /// The connection is there.
    func begin() -> [Step] {
        [
            .publish([MQTTMessage(topics.status, Publisher.availability(true), isRetained: true)]),
            .subscribe(topics.commands), .look(topics.kept),
        ]
    }

    /// The broker has answered to a subscription. What it keeps there has come by then, or is on its way.
    mutating func subscribed(
        _ filters: [String], refused: [String], _ publications: () throws -> [Publication], _ mayClear: (String) -> Bool
    ) rethrows -> [Step] {
        let remark: [Step] = refused.isEmpty ? [] : [.tell(.refused(filters: refused.sorted()))]
        guard filters == topics.kept, phase == .looking else { return remark }
        // Without a subscription nothing comes back.
        guard !refused.contains(topics.kept[0]) else { return remark + (try goLive(publications, mayClear)) }
        return remark + [.publish([MQTTMessage(topics.sweep, sentinel)])]
    }

    /// - Parameters:
    ///   - publications: all that the broker is to keep.
    ///   - mayClear: whether what is kept on a topic, and is not among them, is no longer there.
    mutating func hear(
        _ message: MQTTMessage, _ publications: () throws -> [Publication], _ mayClear: (String) -> Bool
    ) rethrows -> [Step] {
        if message.topic == topics.sweep {
            guard phase == .looking, message.payload.elementsEqual(sentinel.utf8) else { return [] }
            return try goLive(publications, mayClear)
        }
        if message.topic == topics.homeAssistant {
            return !message.isRetained && message.payload.elementsEqual("online".utf8) ? [.repeatSoon] : []
        }
        if let address = topics.address(of: message.topic) {
            return [message.isRetained ? .tell(.retainedCommand(topic: message.topic)) : .perform(address, message)]
        }
        if phase == .looking, message.isRetained, topics.isPublished(message.topic) {
            note(Publication(kept: message.topic, message.payload))
        }
        return []
    }

    /// The broker has not sent back what it was sent: the session goes on without it.
    mutating func giveUpLooking(_ publications: () throws -> [Publication], _ mayClear: (String) -> Bool) rethrows
        -> [Step]
    {
        guard phase == .looking else { return [] }
        return [.tell(.noSweep)] + (try goLive(publications, mayClear))
    }

    private mutating func goLive(
        _ publications: () throws -> [Publication], _ mayClear: (String) -> Bool
    ) rethrows -> [Step] {
        phase = .live
        return [.unsubscribe(topics.kept), .publish(publish(try publications(), clearing: mayClear))]
    }

    private mutating func note(_ publication: Publication) {
        let (topic, payload) = (publication.topic, publication.payload)
        kept[topic] = payload.isEmpty ? nil : payload.hashValue
        if publication.entities != nil || discovered[topic] != nil { discovered[topic] = publication.entities }
    }

    /// The messages for what the broker does not keep yet.
    ///
    /// - Parameter occasion: whether also for what it keeps already.
    mutating func publish(_ publications: [Publication], _ occasion: Occasion = .change) -> [MQTTMessage] {
        guard phase == .live else { return [] }
        return publications.flatMap { publication -> [MQTTMessage] in
            let (topic, payload) = (publication.topic, publication.payload)
            let isKept = kept[topic] == payload.hashValue
            switch occasion {
            case .change where isKept: return []
            // What was published meanwhile is newer.
            case .repetition where !isKept: return []
            case .change, .repetition, .correction: break
            }
            let farewell = discovered[topic].flatMap { publication.farewell(to: $0) }.map { MQTTMessage(topic, $0) }
            note(publication)
            return [farewell, MQTTMessage(topic, payload, isRetained: true)].compactMap(\.self)
        }
    }

    /// The same, when these are all: what else is kept is cleared.
    mutating func publish(_ everything: [Publication], clearing mayClear: (String) -> Bool) -> [MQTTMessage] {
        let topics = Set(everything.map(\.topic))
        let ghosts = kept.keys.filter { $0 != self.topics.status && !topics.contains($0) && mayClear($0) }.sorted()
        return publish(ghosts.map { .none($0) } + everything)
    }
}
