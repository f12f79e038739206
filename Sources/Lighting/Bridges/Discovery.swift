import Khipu

/// A bridge that was found, or a method that found none.
public struct Discovery: Equatable, Codable, Sendable {
    /// `nil` if no bridge was found; the attempts say why.
    public let id: Bridge.ID?
    public let name: String
    public let model: String
    public let address: Bridge.Address?
    public let attempts: [Attempt]

    public struct Attempt: Equatable, Codable, Sendable {
        public let way: Way
        /// What was tried: an address, a service type.
        public let asked: String
        /// What happened, in plain words.
        public let result: String
        public let succeeded: Bool
        /// Whether this way was not tried, because the configuration turns it off.
        public let isOff: Bool

        public init(way: Way, asked: String, result: String, succeeded: Bool, isOff: Bool = false) {
            self.way = way
            self.asked = asked
            self.result = result
            self.succeeded = succeeded
            self.isOff = isOff
        }
    }

    public enum Way: String, Codable, Sendable { case mdns, configured, lastKnown, cloud }

    public init(id: Bridge.ID?, name: String, model: String, address: Bridge.Address?, attempts: [Attempt]) {
        self.id = id
        self.name = name
        self.model = model
        self.address = address
        self.attempts = attempts
    }
}

/// Looks for bridges in reach.
struct BridgeDiscoverer: UseCase {
    enum Request { case discover(for: Duration) }
    enum Response { case discovering([Discovery]) }

    let stack: BridgeStack
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .discover(for: duration):
            stack.discover(duration) { [respond] found in respond(.discovering(found), ticket) }
        }
    }
}
